"""What joins nodes beside elements: couplings, equations, ties; and what can then move."""

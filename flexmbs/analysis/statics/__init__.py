"""Static equilibrium."""

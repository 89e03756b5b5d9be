"""Exchange: reduced bodies and matrices of other tools, and bodies from plain arrays."""

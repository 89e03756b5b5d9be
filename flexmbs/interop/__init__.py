"""Exchange with other tools: reduced bodies, FE matrices, and bodies from plain arrays."""

"""How Python and compiled code exchange data and call each other."""

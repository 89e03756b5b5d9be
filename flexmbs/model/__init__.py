"""A mechanism compiled to flat tables for the core."""

"""Friction of contacts: one file each, with the class that users write and its compiled force."""

"""Conversion of states and log rows to the arrays stored in a result."""

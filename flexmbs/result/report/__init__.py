"""A result as one HTML page, and as the output of a notebook."""

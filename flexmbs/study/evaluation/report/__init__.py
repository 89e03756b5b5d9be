"""The report of a study: one HTML file."""

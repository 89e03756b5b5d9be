"""Two or more runs beside each other."""

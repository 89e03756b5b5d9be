"""Case files: a Python file that states a problem, its parameters, and the metrics that it reports."""

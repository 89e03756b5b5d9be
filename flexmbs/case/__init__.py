"""Case files: Python files that state a problem, its parameters, and the results they report."""

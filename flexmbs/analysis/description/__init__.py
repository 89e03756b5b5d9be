"""Summary of a mechanism before it runs: its parts, loops and degrees of freedom."""

"""Time integration: the compiled step loop, its error control and its events."""

"""The compiled step loop, its events and the log of finished steps."""

"""What a mechanism consists of and how it can move, before it runs."""

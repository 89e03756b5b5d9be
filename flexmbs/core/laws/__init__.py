"""Laws of contacts and forces: one file each."""

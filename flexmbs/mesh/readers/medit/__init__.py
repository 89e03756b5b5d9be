"""Reader of Medit's text files (.mesh)."""

"""Forces of lubricating films."""

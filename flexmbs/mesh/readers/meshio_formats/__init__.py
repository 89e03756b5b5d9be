"""Reader of the formats that only meshio knows."""

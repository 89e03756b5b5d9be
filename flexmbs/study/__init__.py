"""Studies: many runs of one case with varied parameters, stored so that none is lost and none is run twice."""

"""Reader of Abaqus and CalculiX input files (.inp)."""

"""Reader of Ansys Mechanical APDL decks: .cdb files of CDWRITE and the .dat files that Workbench writes."""

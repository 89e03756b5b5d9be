"""Sections of beams, trusses and shells: from dimensions, from the profiles of FE programs, assigned to a mesh."""

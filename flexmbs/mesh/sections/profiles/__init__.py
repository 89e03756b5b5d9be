"""Beam sections from the profiles of FE programs."""

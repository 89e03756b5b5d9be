"""Geometry of pairs of shapes, called by address: one file a pair."""

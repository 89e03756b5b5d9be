"""Joints with clearance: what they are given, the motions that play leaves free, the points that touch."""

"""Straight beams of two nodes, and what other beams become."""

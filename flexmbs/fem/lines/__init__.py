"""Beams, trusses, springs and point masses."""

"""Surfaces of bodies as contacts need them: smooth faces, points with areas, trees of boxes, fields of the modes."""

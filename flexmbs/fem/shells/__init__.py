"""Shell elements: triangles and quadrilaterals with drilling freedom."""

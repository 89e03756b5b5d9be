"""Solid elements: tetrahedra, pyramids, wedges and hexahedra."""

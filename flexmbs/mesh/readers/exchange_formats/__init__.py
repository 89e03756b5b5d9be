"""Readers of formats without materials: VTK and what meshio reads, in a process of their own; Exodus; Medit."""

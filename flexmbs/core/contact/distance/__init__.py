"""Geometry of contact: signed distances with gradients, and closest points of moving cores. Kernels of plain numbers.

Every shape is a kind (:mod:`.kinds`) and numbers in the pool, in the axes of its marker.
"""

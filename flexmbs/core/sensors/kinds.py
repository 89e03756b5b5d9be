"""Kinds of sensors of coordinates and of markers. A new one is one new file here and one line below."""

from flexmbs.core.sensors import angle, coordinates, distance, inclination, relative_motion, specific_force

KINDS = (*coordinates.KINDS, *relative_motion.KINDS, *angle.KINDS, *distance.KINDS, *inclination.KINDS, *specific_force.KINDS)

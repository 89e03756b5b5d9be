"""Analyses of a system: motion in time, linear modes."""

from flexmbs.analysis.dynamics import Progress, simulate
from flexmbs.analysis.linear import LinearModes, linearize

__all__ = ["LinearModes", "Progress", "linearize", "simulate"]

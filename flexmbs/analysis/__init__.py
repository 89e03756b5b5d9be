"""Analyses of a system: motion in time, linear modes."""

from flexmbs.analysis.dynamics import simulate
from flexmbs.analysis.linear import LinearModes, linearize

__all__ = ["LinearModes", "linearize", "simulate"]

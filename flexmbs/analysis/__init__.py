"""Analyses of a system: motion in time, kinematics, statics, linear modes, and what it is before it runs."""

from flexmbs.analysis.description import Description, describe
from flexmbs.analysis.dynamics import simulate
from flexmbs.analysis.kinematics import kinematics
from flexmbs.analysis.linear import LinearModes, linearize
from flexmbs.analysis.mobility import Mobility, mobility
from flexmbs.analysis.run import Progress
from flexmbs.analysis.statics import assemble, statics

__all__ = [
    "Description", "LinearModes", "Mobility", "Progress", "assemble", "describe", "kinematics", "linearize", "mobility",
    "simulate", "statics",
]  # fmt: skip

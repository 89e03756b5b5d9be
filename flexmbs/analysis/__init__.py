"""Analyses of a system: motion in time, kinematics, statics, linear modes, and what it is before it runs."""

from flexmbs.analysis.description.describe import describe
from flexmbs.analysis.description.description import Description
from flexmbs.analysis.kinematics import kinematics
from flexmbs.analysis.linear.linearize import LinearModes, linearize
from flexmbs.analysis.mobility.mobility import Mobility, mobility
from flexmbs.analysis.run.run import Progress
from flexmbs.analysis.run.simulate import simulate
from flexmbs.analysis.statics.statics import assemble, statics

__all__ = [
    "Description", "LinearModes", "Mobility", "Progress", "assemble", "describe", "kinematics", "linearize", "mobility",
    "simulate", "statics",
]  # fmt: skip

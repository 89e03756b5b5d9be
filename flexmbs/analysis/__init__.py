"""Analyses of a mechanism: simulation in time, kinematics, statics, linearisation, mobility, description."""

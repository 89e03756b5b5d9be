"""Analyses of a system: motion in time, kinematics, statics, linear modes, and what it is before it runs."""

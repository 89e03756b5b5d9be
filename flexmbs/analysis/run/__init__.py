"""Simulation in time: settings, choice of integrator, the run, saved states, failure diagnosis."""

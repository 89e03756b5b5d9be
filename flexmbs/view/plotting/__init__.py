"""Plots of histories: curves, axes with units, spectra, phase planes, contacts, comparison of runs."""

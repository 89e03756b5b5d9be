"""Data that compiled code works on: tables of a mechanism, state of a run. Data only: nothing here loads code."""

"""Rigid contacts: which are open, slide or stick, and what an impact does to velocities."""

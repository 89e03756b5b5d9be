"""Kinematics and inertia of rigid and flexible bodies."""

"""What trajectories that tests make up need beside their motion: arrays of runs in which nothing of it happens."""

import numpy as np


def nothing(steps, bodies, contacts=0):
    """Arrays of a trajectory by name: bodies at rest, contacts without friction at the origin, no joints, no records."""
    return {
        "body_velocity": np.zeros((steps, bodies, 3)),
        "body_angular_velocity": np.zeros((steps, bodies, 3)),
        "reaction": np.zeros((steps, 0, 6)),
        "driving_force": np.zeros((steps, 0)),
        "constraint_error": np.zeros(steps),
        "record": np.zeros((steps, 0)),
        "contact_point": np.zeros((steps, contacts, 3)),
        "contact_push": np.zeros((steps, contacts, 3)),
        "contact_slip": np.zeros((steps, contacts)),
    }

"""What tests against closed forms share: gravity, a block, tight runs, and the measure of a difference."""

import numpy as np

import flexmbs as fm

G = 9.81
DOWN = (0.0, 0.0, -G)
CLOSE = 1e-8
BLOCK = fm.RigidBody(2.0, (0.1, 0.2, 0.25))


def run(system, t_end=0.7, **options):
    return system.simulate(t_end, rtol=1e-10, atol=1e-12, **options)


def off(found, exact) -> float:
    """Largest difference, relative to the largest value where that is above one."""
    return np.abs(np.asarray(found) - exact).max() / max(1.0, np.abs(exact).max())

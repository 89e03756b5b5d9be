"""Moreau's midpoint rule with impulses: steps of fixed length through impacts and friction, of order 1.

Moreau, Unilateral contact and dry friction in finite freedom dynamics, CISM 302 (1988) 1; Jean, The non-smooth contact
dynamics method, Comput. Methods Appl. Mech. Engrg. 177 (1999) 235; with theta = 1/2. Its steps are in
core.stepping.moreau, since one of them may contain any number of impacts: there is nothing to attempt and to repeat.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.methods.integrator import Integrator, check_number
from flexmbs.core.methods.method_interface import Method

TOLERANCE, MOST_SWEEPS = range(2)  # parameters
METHOD = Method("moreau")


@dataclass(frozen=True)
class Moreau(Integrator):
    """Moreau's time stepping for rigid contacts (:class:`Rigid`): impulses of all contacts per step, without events.

    It does not control its error: where velocities jump inside a step, the time of the jump is known to within the
    step, so that the motion has an error of the order of the step whatever the accuracy of the rest, and no estimate
    tells a jump from an error. Halve the step to see what it does. Contacts may penetrate by as much as their bodies
    approach in half a step. It is for many contacts at once (from about a hundred on), where events would come faster
    than steps; else the default, which locates every event, is more accurate for the same time (docs/time_stepping.md).

    Parameters
    ----------
    step : s, length of every step
    tolerance : of the speeds at contacts in the sweeps over them, relative to the largest speed of the step
    max_sweeps : over all contacts in one step; more are not made, and the run warns
    """

    step: float
    tolerance: float = 1e-9
    max_sweeps: int = 1000

    method = METHOD

    def __post_init__(self) -> None:
        if isinstance(self.step, bool) or not isinstance(self.step, int | float | np.number):
            raise MechanismError(f"Moreau: step = {self.step!r} s must be a number")
        if not (np.isfinite(self.step) and self.step > 0.0):
            raise MechanismError(f"Moreau: step = {self.step!r} s must be positive")
        check_number("Moreau: tolerance", self.tolerance, 1e-15, 1e-2)
        if not isinstance(self.max_sweeps, int) or self.max_sweeps < 1:
            raise MechanismError(f"Moreau: max_sweeps = {self.max_sweeps!r} must be a positive whole number")

    def parameters(self, rtol: float) -> np.ndarray:
        return np.array([self.tolerance, float(self.max_sweeps)])

    def internal(self, rtol: float) -> float:
        return rtol  # constraints only: steps are not controlled

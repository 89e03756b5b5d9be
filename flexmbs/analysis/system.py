"""The object that a case script works with: a mechanism and the analyses of it."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from flexmbs.analysis.description.cards import system_card
from flexmbs.analysis.description.description import Description, describe
from flexmbs.analysis.kinematics import kinematics
from flexmbs.analysis.linear.linearize import LinearModes, linearize
from flexmbs.analysis.linear.machine_damping import MachineDamping, damped_as_stated
from flexmbs.analysis.linear.machine_modes import MachineModes
from flexmbs.analysis.run.simulate import SimulateOptions, simulate
from flexmbs.analysis.statics.statics import assemble, statics
from flexmbs.common.errors import MechanismError
from flexmbs.common.names_in_messages import names_arguments
from flexmbs.mechanism.high_modes import DampedModes
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.result.result import Result


@names_arguments(MechanismError)
class System(Mechanism):
    """Bodies, joints, forces and contacts, and every analysis of them as a method.

    The only mutable object of the pipeline; stated by the methods of :class:`flexmbs.mechanism.mechanism.Mechanism`.

    Parameters
    ----------
    gravity : (3,) m/s2, in world axes; without it (0, 0, -9.81), z points up
    coordinates : "reduced" (coordinates of the joints that carry the bodies; joints that close loops are constraints)
        or "absolute" (coordinates of every body, all joints are constraints): the same motion and reactions
    """

    def _repr_html_(self) -> str:
        """For notebooks: tables of bodies, joints, constraints, forces and contacts."""
        return system_card(self)

    def simulate(self, t_end: float, **options: Unpack[SimulateOptions]) -> Result:
        """Integrate from the start values to ``t_end`` (s): see :func:`flexmbs.simulate`."""
        return simulate(self, t_end, **options)

    def kinematics(
        self, t_end: float, *, steps: int = 200, out: str | Path | None = None, stop_on_deformation: bool = True
    ) -> Result:
        """Motion that drivers determine alone, to ``t_end`` (s): see :func:`flexmbs.kinematics`."""
        return kinematics(self, t_end, steps=steps, out=out, stop_on_deformation=stop_on_deformation)

    def statics(self, *, time: float = 0.0, out: str | Path | None = None, stop_on_deformation: bool = True) -> Result:
        """Static equilibrium, a result with one time: see :func:`flexmbs.statics`."""
        return statics(self, time=time, out=out, stop_on_deformation=stop_on_deformation)

    def assemble(self, *, time: float = 0.0) -> Result:
        """Start values with loops closed, a result with one time: see ``flexmbs.analysis.statics.statics.assemble``."""
        return assemble(self, time=time)

    def describe(self) -> Description:
        """Bodies, joints, forces, degrees of freedom: see :class:`flexmbs.Description`."""
        return describe(self)

    def linearize(self, *, time: float = 0.0) -> LinearModes:
        """Frequencies and modes about a steady state: see :func:`flexmbs.linearize`."""
        return linearize(self, time=time)

    def damp(self, damping: MachineDamping, *, high_modes: DampedModes | None = None) -> MachineModes:
        """State the damping of the assembled machine; it replaces that of its flexible bodies, dampers beside them count.

        ``reduce(damping=0.02)`` is the ratio of the modes of the body alone, which in a machine may be a tenth of it. Call
        this when the system is complete: its modes about rest, with drivers held, get the stated ratios.

        Parameters
        ----------
        damping : a ratio for all modes; ratios from the lowest mode on (the last one holds beyond); ``fm.Rayleigh(alpha,
            beta)`` or ``fm.Rayleigh.between(...)``; ``fm.DampingByFrequency(...)``
        high_modes : modes of the machine above a frequency get its ratio besides; lower ones keep theirs within 1 %

        Returns
        -------
        MachineModes
            Frequencies and the ratios that were reached: print it. Where many bodies bend alike in several modes, no
            damping of their own can tell these apart.

        Raises
        ------
        MechanismError
            No body bends, or the damping is none of these.
        """
        return damped_as_stated(self, damping, high_modes)

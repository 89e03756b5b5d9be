"""Methods of a result that answer questions on stress (docs/stress.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.progress import on_progress
from flexmbs.fem.section_forces import SectionForces
from flexmbs.fem.stress_field import StressField
from flexmbs.reduction.recovery import peak_von_mises, surface_stress, von_mises_at
from flexmbs.result.stress_envelope import StressEnvelope, envelope, times_in_window
from flexmbs.result.stress_histories import StressHistory, node_numbers, stress_history
from flexmbs.result.stress_peak import PeakStress, element_at, nearest_nodes

if TYPE_CHECKING:
    from flexmbs.reduction.flexible_body import FlexibleBody
    from flexmbs.result.structure import Structure


class StressMethods:
    """What :class:`flexmbs.Result` knows of stress; it has the bodies and their modal coordinates."""

    if TYPE_CHECKING:  # of the result
        structure: Structure

        @property
        def t(self) -> np.ndarray: ...
        def flexible(self, body: str) -> FlexibleBody: ...
        def modal(self, body: str, time: float | np.ndarray) -> np.ndarray: ...

    def stress(self, body: str, time: float | np.ndarray) -> np.ndarray:
        """(np, 6) Pa: xx, yy, zz, yz, xz, xy at the surface points (``flexible(body).surface.points``), body axes.

        (k, np, 6) at times (k,).
        """
        return surface_stress(self.flexible(body), self.modal(body, time))

    @on_progress()
    def von_mises(self, body: str, time: float | np.ndarray) -> np.ndarray:
        """(np,) Pa: von Mises stress at the surface points; (k, np) at times (k,), such as ``result.t``."""
        found = von_mises_at(self.flexible(body), np.atleast_2d(self.modal(body, time)))
        return found if np.ndim(time) else found[0]

    def stress_field(self, body: str, time: float, at: str = "surface") -> StressField:
        """Stress of a flexible body with its points, von Mises and principal stresses, in the axes of the body.

        ``at="nodes"`` is for bodies reduced with ``stress="nodes"`` (``FlexibleBody.stress``). Stress and strain at
        integration points: ``model.stress(flexible.linear_displacement(result.modal(body, time)), ...)`` with the
        assembled mesh.
        """
        return self.flexible(body).stress(self.modal(body, time), at)

    def section_forces(self, body: str, time: float) -> SectionForces:
        """Forces and moments at both ends of every beam and bar of a flexible body; BodyError when it has none."""
        return self.flexible(body).section_forces(self.modal(body, time))

    @on_progress()
    def largest_von_mises(self, body: str, start: float | None = None, end: float | None = None) -> PeakStress:
        """Largest von Mises stress at the surface points from ``start`` to ``end`` (s; None: of the whole run).

        A number in Pa with ``.time``, ``.position``, ``.node`` and ``.element``, searched among the steps, then between
        neighbouring ones. ValueError for times outside the run.
        """
        flexible = self.flexible(body)
        times = times_in_window(self.t, start, end, "largest_von_mises")
        _, state, _ = peak_von_mises(flexible, self.modal(body, times))
        around = times[max(state - 1, 0) : state + 2]
        times = np.unique([*np.linspace(around[0], around[-1], 41), times[state]])
        q = self.modal(body, times)
        value, state, point = peak_von_mises(flexible, q)
        place, element = flexible.surface.points[point], element_at(flexible, point, q[state])
        where = {"position": place, "node": int(nearest_nodes(flexible, place[None])[0]), "element": element, "body": body}
        return PeakStress(value, time=float(times[state]), **where)

    @on_progress()
    def stress_envelope(
        self,
        body: str,
        start: float | None = None,
        end: float | None = None,
        quantity: str = "von_mises",
        *,
        at: str = "surface",
        times: ArrayLike | None = None,
    ) -> StressEnvelope:
        """Extreme stress of every point from ``start`` to ``end`` (s; None: of the whole run), each with its time.

        Looks at the stored steps of that part, or at ``times`` (k,); stress at all times is never in memory.

        Parameters
        ----------
        quantity : "von_mises", "max_principal", "max_shear" (the largest), "min_principal" (the smallest), or "xx",
            "yy", "zz", "yz", "xz", "xy" (the largest in magnitude, with its sign)
        at : "surface", or "nodes" (all nodes, of bodies reduced with ``stress="nodes"``)
        """
        flexible = self.flexible(body)
        chosen = times_in_window(self.t, start, end, "stress_envelope") if times is None else np.atleast_1d(times)
        return envelope(flexible, body, chosen, self.modal(body, chosen), quantity, at)

    def stress_at(
        self, body: str, nodes: int | str | Sequence[int | str], times: ArrayLike | None = None, *, at: str = "surface"
    ) -> StressHistory:
        """Stress tensor over time at nodes, (k, points, 6) Pa, with principal and signed von Mises stresses.

        Parameters
        ----------
        nodes : numbers in the mesh file, or names of markers that stand on a node
        times : (k,) s; None: every stored step
        at : "surface" or "nodes", as in :meth:`stress_envelope`
        """
        flexible = self.flexible(body)
        numbers = node_numbers(self.structure, flexible, body, nodes)
        chosen = self.t if times is None else np.atleast_1d(np.asarray(times, dtype=float))
        return stress_history(flexible, body, numbers, chosen, self.modal(body, chosen), at)

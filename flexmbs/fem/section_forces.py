"""Section forces of beams, bars and shells, and forces in springs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from flexmbs.fem.stress_field import stacked


class ByElement:
    """A table with a row for each element or point; its fields are arrays, or tuples, as long as ``element_ids``."""

    element_ids: np.ndarray

    def __len__(self) -> int:
        return len(self.element_ids)

    def of_elements(self, ids: int | Sequence[int]) -> Self:
        """Rows of the elements with these numbers."""
        chosen = np.flatnonzero(np.isin(self.element_ids, ids))
        values = {part.name: getattr(self, part.name) for part in fields(self)}  # type: ignore[arg-type]
        rows = {name: tuple(v[i] for i in chosen) if isinstance(v, tuple) else v[chosen] for name, v in values.items()}
        return type(self)(**rows)


@dataclass(frozen=True, eq=False)
class SectionForces(ByElement):
    """What the section of a beam or bar carries at both ends of every element.

    Forces and moments are those on the part towards the first node from the part beyond the section (tension is
    positive), in the section's axes: N, Vy, Vz (N), T, My, Mz (N m); bending moments about the centroid, the torque
    about the shear centre. Axial stress is N / A - y Mz / Iz + z My / Iy; Vy = -dMz/dx and Vz = dMy/dx.

    Attributes
    ----------
    element_ids : (m,) int, numbers of the file; an element that is computed as several has one row for each
    positions : (m, 2, 3) m, of the ends of the centroid's line
    axes : (m, 3, 3) rows are the section's axes x (along), y, z in mesh axes
    forces : (m, 2, 6)
    """

    element_ids: np.ndarray
    positions: np.ndarray
    axes: np.ndarray
    forces: np.ndarray

    @property
    def N(self) -> np.ndarray:
        """(m, 2) N, axial force."""
        return self.forces[..., 0]

    @property
    def V(self) -> np.ndarray:
        """(m, 2, 2) N, shear along y and z."""
        return self.forces[..., 1:3]

    @property
    def T(self) -> np.ndarray:
        """(m, 2) N m, torque."""
        return self.forces[..., 3]

    @property
    def M(self) -> np.ndarray:
        """(m, 2, 2) N m, bending moments about y and z."""
        return self.forces[..., 4:]


@dataclass(frozen=True, eq=False)
class SectionForceModes:
    """Section forces of several fields (the modes of a body).

    Attributes
    ----------
    element_ids : (m,) int; positions : (m, 2, 3); axes : (m, 3, 3) as ``SectionForces``
    forces : (n, m, 2, 6) per unit of each field
    """

    element_ids: np.ndarray
    positions: np.ndarray
    axes: np.ndarray
    forces: np.ndarray

    def __len__(self) -> int:
        return len(self.element_ids)

    def at(self, q: np.ndarray) -> SectionForces:
        """Forces at amplitudes q (n,) of the fields."""
        return SectionForces(self.element_ids, self.positions, self.axes, np.tensordot(q, self.forces, axes=(0, 0)))

    @staticmethod
    def joined(parts: Sequence[SectionForceModes], count: int) -> SectionForceModes:
        """All elements of ``parts``; no elements of ``count`` fields where there are no parts."""
        return stacked(
            [SectionForceModes(np.zeros(0, int), np.zeros((0, 2, 3)), np.zeros((0, 3, 3)), np.zeros((count, 0, 2, 6))), *parts],
            forces=1,
        )


@dataclass(frozen=True, eq=False)
class SpringForces(ByElement):
    """Spring forces and moments: stiffness times elongation and rotation, N and N m.

    Positive where end 2 moves away from end 1; of a spring to ground where its node moves along the axes. A spring
    between single components of two nodes is stretched by the first less the second.

    Attributes
    ----------
    element_ids : (m,) int, numbers of the file
    names : m names, "file:line: type element number"
    forces : (m, 6) in the axes of the spring; the first alone of one along its line or between single components
    """

    element_ids: np.ndarray
    names: tuple[str, ...]
    forces: np.ndarray


@dataclass(frozen=True, eq=False)
class ShellForces(ByElement):
    """Section forces of a shell per length, in the wall's axes 1, 2 (normal last), about its middle surface.

    Attributes
    ----------
    element_ids : (m,) int, numbers of the file
    node_ids : (m,) int; 0 at integration points
    positions : (m, 3) m, on the middle surface
    axes : (m, 3, 3) rows are 1, 2 and the normal in mesh axes
    membrane : (m, 3) N/m: N11, N22, N12
    moments : (m, 3) N: M11, M22, M12; M = int sigma z dz, positive where the top is in tension
    shear : (m, 2) N/m: Q1, Q2 = int tau_13 dz, int tau_23 dz
    """

    element_ids: np.ndarray
    node_ids: np.ndarray
    positions: np.ndarray
    axes: np.ndarray
    membrane: np.ndarray
    moments: np.ndarray
    shear: np.ndarray

    @staticmethod
    def joined(parts: Sequence[ShellForces]) -> ShellForces:
        """All points of ``parts`` one after the other."""
        no_ids, three = np.zeros(0, int), np.zeros((0, 3))
        return stacked([ShellForces(no_ids, no_ids, three, np.zeros((0, 3, 3)), three, three, np.zeros((0, 2))), *parts])

"""Stress and strain at points of a body: what recovery returns, numbers derived from it, means at nodes, what is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import numpy as np
from scipy import sparse

from flexmbs.mesh.mesh import Mesh

Table = TypeVar("Table", bound=Any)

# Tensor components of the six numbers xx, yy, zz, yz, xz, xy, and back.
ROWS, COLUMNS = [0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]
_PLACES = np.array([[0, 5, 4], [5, 1, 3], [4, 3, 2]])

WHERE = ("nodes", "element nodes", "integration points")


def checked_place(at: str) -> str:
    """``at`` if it is one of ``WHERE``; else ValueError."""
    if at not in WHERE:
        raise ValueError(f"at is {at!r}; it must be one of {', '.join(map(repr, WHERE))}")
    return at


def as_six(tensors: np.ndarray) -> np.ndarray:
    """(..., 6) xx, yy, zz, yz, xz, xy of symmetric tensors (..., 3, 3)."""
    return tensors[..., ROWS, COLUMNS]


def as_tensors(six: np.ndarray) -> np.ndarray:
    """(..., 3, 3) of (..., 6)."""
    return np.asarray(six)[..., _PLACES]


def von_mises(stress: np.ndarray) -> np.ndarray:
    """Von Mises stress (...,), Pa, of stress (..., 6)."""
    xx, yy, zz, yz, xz, xy = np.moveaxis(stress, -1, 0)
    normal = (xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2
    return np.sqrt(0.5 * normal + 3.0 * (yz**2 + xz**2 + xy**2))


def principal(stress: np.ndarray) -> np.ndarray:
    """Principal values (..., 3), the largest first, of symmetric tensors (..., 6)."""
    return np.linalg.eigvalsh(as_tensors(stress))[..., ::-1]


@dataclass(frozen=True, eq=False)
class StressPoints:
    """Where stress is known: m points, each of one element or (averaged) of one node and one material.

    Attributes
    ----------
    positions : (m, 3) m, undeformed, in mesh axes
    element_ids : (m,) int, numbers of the file; 0 where elements are averaged
    node_ids : (m,) int, numbers of the file; 0 at points inside elements
    region : (m,) int, index into the mesh's blocks: the first block with that material (shells and beams: and section)
    layer : (m,) int: of shells, 1 for the lowest; 0 in solids and beams
    height : (m,) place across the wall of a shell, -1 at its bottom, 0 in the middle, 1 at its top; 0 in solids, beams
    axes : (m, 3, 3) rows are the element's own axes in mesh axes: of the material (solids), of the wall and its layer
        with the normal last (shells), of the section (beams); mesh axes where elements are averaged
    """

    positions: np.ndarray
    element_ids: np.ndarray
    node_ids: np.ndarray
    region: np.ndarray
    layer: np.ndarray
    height: np.ndarray
    axes: np.ndarray

    def __len__(self) -> int:
        return len(self.positions)


class StressNumbers:
    """What follows from the six numbers of ``stress`` (..., 6), Pa."""

    stress: np.ndarray

    @property
    def von_mises(self) -> np.ndarray:
        """(...,) Pa."""
        return von_mises(self.stress)

    @property
    def principal(self) -> np.ndarray:
        """(..., 3) Pa, the largest first."""
        return principal(self.stress)

    @property
    def max_shear(self) -> np.ndarray:
        """(...,) Pa: half the difference of the extreme principal stresses (Tresca's stress is twice that)."""
        values = self.principal
        return 0.5 * (values[..., 0] - values[..., 2])


@dataclass(frozen=True, eq=False)
class StressField(StressNumbers):
    """Stress and strain at ``points``, in mesh axes.

    Attributes
    ----------
    points : StressPoints
    stress : (m, 6) Pa: xx, yy, zz, yz, xz, xy
    strain : (m, 6) or None
        Tensor components in the same order: shear strains are half the engineering ones. Strain across a shell is 0
        where its material has no constants for it (plane stress).
    """

    points: StressPoints
    stress: np.ndarray
    strain: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.points)

    @property
    def principal_strain(self) -> np.ndarray:
        """(m, 3), the largest first; ValueError where no strain is known."""
        return principal(self._known_strain())

    @property
    def stress_in_own_axes(self) -> np.ndarray:
        """(m, 6) Pa in ``points.axes``."""
        return _turned(self.stress, self.points.axes)

    @property
    def strain_in_own_axes(self) -> np.ndarray:
        """(m, 6) in ``points.axes``; ValueError where no strain is known."""
        return _turned(self._known_strain(), self.points.axes)

    @property
    def bottom(self) -> StressField:
        """The bottom faces of shells."""
        return self.where(self._shell & (self.points.height == -1.0))

    @property
    def middle(self) -> StressField:
        """The middle surfaces of shells."""
        return self.where(self._shell & (self.points.height == 0.0))

    @property
    def top(self) -> StressField:
        """The top faces of shells."""
        return self.where(self._shell & (self.points.height == 1.0))

    def of_layer(self, layer: int) -> StressField:
        """One layer of shells, 1 being the lowest."""
        return self.where(self.points.layer == layer)

    def of_elements(self, ids: int | Sequence[int]) -> StressField:
        """Points of the elements with these numbers."""
        return self.where(np.isin(self.points.element_ids, ids))

    def of_nodes(self, ids: int | Sequence[int]) -> StressField:
        """Points at the nodes with these numbers."""
        return self.where(np.isin(self.points.node_ids, ids))

    def where(self, chosen: np.ndarray) -> StressField:
        """Some of the points, by a mask or by indices."""
        points = some_rows(self.points, chosen)
        return StressField(points, self.stress[chosen], None if self.strain is None else self.strain[chosen])

    @property
    def _shell(self) -> np.ndarray:
        return self.points.layer > 0

    def _known_strain(self) -> np.ndarray:
        if self.strain is None:
            raise ValueError("reduced bodies store stress but not strain; model.stress gives both")
        return self.strain


@dataclass(frozen=True, eq=False)
class StressModes:
    """Stress of several fields (the modes of a body) at the same points.

    Attributes
    ----------
    points : StressPoints
    stress : (n, m, 6) Pa per unit of each field
    strain : (n, m, 6) or None
    """

    points: StressPoints
    stress: np.ndarray
    strain: np.ndarray | None = None

    def at(self, q: np.ndarray) -> StressField:
        """Stress at amplitudes q (n,) of the fields."""
        strain = None if self.strain is None else np.tensordot(q, self.strain, axes=(0, 0))
        return StressField(self.points, np.tensordot(q, self.stress, axes=(0, 0)), strain)

    @staticmethod
    def joined(parts: Sequence[StressModes], count: int) -> StressModes:
        """All points of ``parts`` one after the other; no points of ``count`` fields where there are no parts."""
        parts = [part for part in parts if len(part.points)]
        if not parts:
            return StressModes(stress_points(np.zeros((0, 3))), np.zeros((count, 0, 6)), np.zeros((count, 0, 6)))
        strains = [part.strain for part in parts]
        strain = None if any(s is None for s in strains) else np.concatenate(strains, axis=1)
        return StressModes(
            stacked([part.points for part in parts]), np.concatenate([part.stress for part in parts], axis=1), strain
        )


def some_rows(record: Table, rows: np.ndarray | slice) -> Table:
    """A frozen record of arrays with a row for each element, with some of the elements; other fields as they are."""
    return replace(record, **{name: value[rows] for name, value in vars(record).items() if isinstance(value, np.ndarray)})


def stacked_columns(parts: Sequence[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Arrays with a row for each element, by name: those of all parts one after the other."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def stacked(parts: Sequence[Table], **axes: int) -> Table:
    """Records of arrays one after the other, along the first axis or those of ``axes``."""
    names = [part.name for part in fields(parts[0])]
    return type(parts[0])(**{name: np.concatenate([getattr(p, name) for p in parts], axis=axes.get(name, 0)) for name in names})


def modes_at(points: StressPoints, values: np.ndarray) -> StressModes:
    """From values (m, 6 or 12, n): stress, and strain if there is one."""
    by_field = np.ascontiguousarray(values.transpose(2, 0, 1))
    return StressModes(points, by_field[..., :6], by_field[..., 6:] if by_field.shape[2] > 6 else None)


def stress_points(positions: np.ndarray, **known: np.ndarray) -> StressPoints:
    """Points with what is known of them; the rest is 0, axes are the mesh's. Numbers and single rows are repeated."""
    count = len(positions)
    nothing = dict.fromkeys(("element_ids", "node_ids", "region", "layer"), 0)
    whole = nothing | {"height": 0.0, "axes": np.eye(3)} | known
    shapes = {"axes": (count, 3, 3)}
    return StressPoints(positions, **{name: np.broadcast_to(value, shapes.get(name, (count,))) for name, value in whole.items()})


def _turned(six: np.ndarray, axes: np.ndarray) -> np.ndarray:
    return as_six(axes @ as_tensors(six) @ axes.swapaxes(1, 2))


class NodalMean:
    """Sums of values (rows, ...) that elements add, chunk by chunk, to ``count`` rows, and their means."""

    def __init__(self, count: int, shape: tuple[int, ...]) -> None:
        self._total = np.zeros((count, int(np.prod(shape))))
        self._hits = np.zeros(count)
        self._shape = shape

    def add(self, rows: np.ndarray, values: np.ndarray) -> None:
        """``values`` (k, ...) to ``rows`` (k,) int, repeated or not; negative rows are left out."""
        kept = np.flatnonzero(rows >= 0)
        if not len(kept):
            return
        touched, place = np.unique(rows[kept], return_inverse=True)
        gather = sparse.csr_matrix((np.ones(len(kept)), (place.ravel(), kept)), shape=(len(touched), len(rows)))
        self._total[touched] += gather @ values.reshape(len(rows), self._total.shape[1])
        self._hits[touched] += np.bincount(place.ravel(), minlength=len(touched))

    def mean(self) -> np.ndarray:
        """(count, ...); every row has been added to."""
        return (self._total / self._hits[:, None]).reshape(len(self._hits), *self._shape)


def regions(mesh: Mesh, with_section: bool) -> list[int]:
    """For each block the first one with the same material, and section if that counts too.

    Stress jumps where these change: it is averaged over the elements of one region only.
    """
    first: dict[str, int] = {}
    keys = [repr((block.material, block.section if with_section else None)) for block in mesh.blocks]
    return [first.setdefault(key, index) for index, key in enumerate(keys)]


@dataclass(frozen=True)
class SurfaceFields:
    """What is drawn and where stress is known: the outer faces of a solid or shell, the swept section of a beam.

    Attributes
    ----------
    points : (np, 3) m
    faces : (k,) int, VTK style [count, i, j, k, count, ...]
    modes : (n, np, 3)
    quadratic : (npairs, np, 3)
    stress_modes : (n, np, 6), Pa per unit q: xx, yy, zz, yz, xz, xy in the body frame
    elements : (number of faces,) int, number in the mesh file of the element that each face is a side of; None where it
        is not known (bodies without elements)
    """

    points: np.ndarray
    faces: np.ndarray
    modes: np.ndarray
    quadratic: np.ndarray
    stress_modes: np.ndarray
    elements: np.ndarray | None = None


def joined_surfaces(parts: Sequence[SurfaceFields], modes: int, pairs: int) -> SurfaceFields:
    """All points, fields and faces, one part after the other; nothing, of so many fields, where there are no parts."""
    if not parts:
        none = np.zeros((modes, 0, 3)), np.zeros((pairs, 0, 3)), np.zeros((modes, 0, 6))
        return SurfaceFields(np.zeros((0, 3)), np.zeros(0, int), *none)
    first = np.cumsum([0, *(len(part.points) for part in parts)])
    moved = [replace(part, faces=_moved(part.faces, start)) if start else part for part, start in zip(parts, first, strict=False)]
    return stacked(moved, modes=1, quadratic=1, stress_modes=1) if len(parts) > 1 else parts[0]


def vtk_faces(polygons: np.ndarray) -> np.ndarray:
    """VTK faces [count, i, j, ...] of polygons (faces, count) with as many points each."""
    return np.column_stack([np.full(len(polygons), polygons.shape[1]), polygons]).ravel()


def _moved(faces: np.ndarray, start: int) -> np.ndarray:
    """VTK faces with ``start`` added to the points, not to the counts."""
    moved = np.asarray(faces, dtype=int) + start
    at = 0
    while at < len(moved):
        moved[at] -= start
        at += int(moved[at]) + 1
    return moved

"""Choosing and scaling the modes of a body."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError
from flexmbs.reduction.constrained_body import ConstrainedProblem
from flexmbs.reduction.eigenmodes import FixedProblem, ModeFamily
from flexmbs.reduction.mode_names import AXES, aligned, group_kind, long_axis, numbered, section_kinds
from flexmbs.reduction.options import ModeChoice

_SEARCH_LIMIT = 400  # modes searched for a kind before the search is given up


@dataclass(frozen=True)
class Modes:
    """omega (n,) rad/s ascending; fields (ndof, n), largest displacement 1; labels n names.

    ``normal_limit``: rad/s of the highest normal mode chosen; static modes among the others may lie above it.
    """

    omega: np.ndarray
    fields: np.ndarray
    labels: tuple[str, ...]
    normal_limit: float = 0.0


@dataclass(frozen=True)
class _Spectrum:
    """All mode families of a held body, seen as one list of modes in ascending frequency."""

    fem: object
    T: sparse.csr_matrix
    families: list[ModeFamily]
    axis: int | None

    @property
    def limit(self) -> int:
        return sum(f.limit for f in self.families)

    def lowest(self, count: int, families: list[ModeFamily] | None = None):
        """omega^2 (k,), nodal fields (ndof, k), kinds: the lowest k = min(count, existing) of the given families."""
        families = self.families if families is None else families
        values, fields, kinds = [np.empty(0)], [np.zeros((self.T.shape[0], 0))], []
        for family in families:
            # two more than requested, so that modes of equal frequency are not separated
            family_values, family_fields = family.lowest(count if family.kind else count + 2)
            family_fields = self.T @ family_fields
            if family.kind is None:
                family_values, family_fields = aligned(self.fem, family_values, family_fields, self.axis)
            values.append(family_values)
            fields.append(family_fields)
            kinds += [family.kind] * len(family_values)
        values, fields = np.concatenate(values), np.hstack(fields)
        order = np.argsort(values, kind="stable")[:count]
        fields, kinds = fields[:, order], [kinds[i] for i in order]
        unnamed = [i for i, kind in enumerate(kinds) if kind is None]
        for i, kind in zip(unnamed, section_kinds(self.fem, fields[:, unnamed], self.axis), strict=True):
            kinds[i] = kind
        return values[order], fields, kinds


def compute_modes(fem, T: sparse.csr_matrix, problem: ConstrainedProblem | FixedProblem, choice: ModeChoice) -> Modes:
    """Modes selected by ``choice``; BodyError states how many exist if there are fewer."""
    choice.check()
    spectrum = _spectrum(fem, T, problem)
    if choice.by_kind:
        values, fields, kinds = _chosen_by_kind(spectrum, choice)
    elif choice.effective_mass is not None:
        values, fields, kinds = _chosen_by_mass(spectrum, choice)
    elif choice.max_frequency is not None:
        values, fields, kinds = _chosen_by_frequency(spectrum, choice)
    else:
        _require(spectrum, choice.count)
        values, fields, kinds = spectrum.lowest(choice.count)
    if not (np.all(np.isfinite(values)) and np.all(values > 0.0) and np.all(np.isfinite(fields))):
        raise BodyError("modes are not finite or not positive: check material and section of every element")
    return Modes(np.sqrt(values), scaled(fields, fem), numbered(kinds), float(np.sqrt(values.max(initial=0.0))))


def _spectrum(fem, T: sparse.csr_matrix, problem: ConstrainedProblem | FixedProblem) -> _Spectrum:
    axis = long_axis(fem)
    apart = fem.dofs_per_node == 6 and isinstance(problem, ConstrainedProblem)
    groups = problem.uncoupled_dofs() if apart else [np.arange(problem.size)]
    if len(groups) == 1:
        return _Spectrum(fem, T, [ModeFamily(problem, groups[0], problem.size, None)], axis)
    families = [
        ModeFamily(problem.restricted(g), g, problem.size, group_kind(np.unique(T[:, g].nonzero()[0]), axis)) for g in groups
    ]
    return _Spectrum(fem, T, families, axis)


def _require(spectrum: _Spectrum, count: int) -> None:
    exist = sum(f.problem.mode_limit for f in spectrum.families)
    if count > exist:
        raise BodyError(f"{count} modes were requested, but this mesh has only {exist}; request fewer")
    if count > spectrum.limit:
        raise BodyError(f"{count} modes were requested; at most {spectrum.limit} are computed on a mesh of this size")


def _chosen_by_frequency(spectrum: _Spectrum, choice: ModeChoice):
    highest = (2.0 * np.pi * choice.max_frequency) ** 2
    most = spectrum.limit if choice.count is None else choice.count
    _require(spectrum, most)
    count = min(10, most)
    while True:
        values, fields, kinds = spectrum.lowest(count)
        if count >= most or (len(values) and values[-1] > highest):
            keep = int(np.searchsorted(values, highest, side="right"))
            return values[:keep], fields[:, :keep], kinds[:keep]
        count = min(2 * count, most)


def _chosen_by_mass(spectrum: _Spectrum, choice: ModeChoice):
    if choice.frame is None:
        raise BodyError("effective_mass: modes of a free body have none; select them by count or max_frequency")
    fem, most = spectrum.fem, min(spectrum.limit, choice.count or _SEARCH_LIMIT)
    translations = np.zeros((fem.M.shape[0] // fem.dofs_per_node, fem.dofs_per_node, 3))
    translations[:, :3] = np.eye(3)
    momentum = fem.M @ translations.reshape(-1, 3)
    count = min(10, most)
    while True:
        values, fields, kinds = spectrum.lowest(count)
        modal = np.einsum("ia,ia->a", fields, fem.M @ fields)
        moved = np.cumsum((fields.T @ momentum) ** 2 / modal[:, None], axis=0).min(axis=1) / fem.mass
        if moved[-1] >= choice.effective_mass:
            keep = int(np.searchsorted(moved, choice.effective_mass)) + 1
            return values[:keep], fields[:, :keep], kinds[:keep]
        if count == most:
            raise BodyError(
                f"effective_mass = {choice.effective_mass}: the lowest {count} modes have only {moved[-1]:.3g} of the "
                "mass along the axis where they have least; request less"
            )
        count = min(2 * count, most)


def _wanted(choice: ModeChoice, axis: int) -> list[tuple[set[str], int]]:
    """[(kinds, number)]: the number of modes wanted of any of these kinds."""
    kinds = tuple(f"bending {AXES[k]}" for k in range(3) if k != axis)
    wanted = [({"axial"}, choice.axial or 0), ({"torsion"}, choice.torsion or 0)]
    if choice.bending is not None and np.ndim(choice.bending) == 0:
        return [(set(kinds), int(choice.bending)), *wanted]
    return [({kind}, int(n)) for kind, n in zip(kinds, choice.bending or (0, 0), strict=True)] + wanted


def _chosen_by_kind(spectrum: _Spectrum, choice: ModeChoice):
    if spectrum.axis is None:
        raise BodyError(
            "bending, axial and torsion modes can only be distinguished on a body that is longest along the x, y or z "
            "axis of its mesh; select modes by count or max_frequency instead"
        )
    wanted = [(kinds, n) for kinds, n in _wanted(choice, spectrum.axis) if n]
    if all(f.kind is not None for f in spectrum.families):
        picked = [_from_families(spectrum, kinds, n) for kinds, n in wanted]
    else:
        picked = _from_search(spectrum, wanted)
    values = np.concatenate([np.empty(0), *(p[0] for p in picked)])
    fields = np.hstack([np.zeros((spectrum.T.shape[0], 0)), *(p[1] for p in picked)])
    kinds = [kind for p in picked for kind in p[2]]
    order = np.argsort(values, kind="stable")
    return values[order], fields[:, order], [kinds[i] for i in order]


def _from_families(spectrum: _Spectrum, kinds: set[str], n: int):
    families = [f for f in spectrum.families if f.kind in kinds]
    exist = sum(f.limit for f in families)
    if n > exist:
        raise BodyError(f"{n} {_name(kinds)} modes were requested, but this mesh has only {exist}")
    return spectrum.lowest(n, families)


def _from_search(spectrum: _Spectrum, wanted: list[tuple[set[str], int]]):
    total = sum(n for _, n in wanted)
    most = min(spectrum.limit, max(_SEARCH_LIMIT, 4 * total))
    count = min(2 * total + 4, most)
    while True:
        values, fields, kinds = spectrum.lowest(count)
        found = [[i for i, kind in enumerate(kinds) if kind in names][:n] for names, n in wanted]
        if all(len(f) == n for f, (_, n) in zip(found, wanted, strict=True)):
            return [(values[f], fields[:, f], [kinds[i] for i in f]) for f in found]
        if count == most:
            lacking = [f"{n} {_name(names)} ({len(f)} exist)" for f, (names, n) in zip(found, wanted, strict=True) if len(f) < n]
            raise BodyError(f"the lowest {count} modes do not include {', '.join(lacking)}; request fewer")
        count = min(2 * count, most)


def _name(kinds: set[str]) -> str:
    return "bending" if len(kinds) > 1 else next(iter(kinds))


def scaled(fields: np.ndarray, fem) -> np.ndarray:
    """Scale to a largest displacement of 1 with its largest component positive; pure rotations: largest rotation 1.

    Nodes without mass (reference nodes of couplings) are ignored. Of nodes and components equal within 1e-6, the first
    one decides, so that symmetric modes get a definite sign.
    """
    points, d = fem.mesh.points, fem.dofs_per_node
    size = np.linalg.norm(np.ptp(points, axis=0))
    result = np.empty_like(fields)
    for i, column in enumerate(fields.T):
        nodal = column.reshape(len(points), d)[fem.massive_nodes]
        motion = nodal[:, :3]
        if d == 6 and np.abs(motion).max() < 1e-9 * size * np.abs(nodal[:, 3:]).max():
            motion = nodal[:, 3:]
        lengths = np.linalg.norm(motion, axis=1)
        largest = motion[np.flatnonzero(lengths >= (1.0 - 1e-6) * lengths.max())[0]]
        component = largest[np.flatnonzero(np.abs(largest) >= (1.0 - 1e-6) * np.abs(largest).max())[0]]
        result[:, i] = column * (np.sign(component) / lengths.max())
    return result

"""Choosing, naming and scaling the modes of a body: bending, axial or torsion about its long axis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError
from flexmbs.reduction.constrained_body import ConstrainedProblem, FixedProblem, ModeFamily
from flexmbs.reduction.options import ModeChoice

AXES = "xyz"
_SLICES = 40  # section means resolve some ten bending waves
_EQUAL = 1e-6  # in omega^2: meshes break the symmetry by less, different modes differ by more
_SEARCH_LIMIT = 400  # modes searched for a kind before the search is given up


@dataclass(frozen=True)
class Modes:
    """Modes of a held body."""

    omega: np.ndarray  # (n,) rad/s, ascending
    fields: np.ndarray  # (ndof, n), largest displacement 1
    labels: tuple[str, ...]
    normal_limit: float = 0.0  # rad/s of the highest normal mode chosen; static modes among the others may lie above it


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
        parts = []
        for family in families:
            # two more than requested, so that modes of equal frequency are not separated
            values, fields = family.lowest(count if family.kind else count + 2)
            fields = self.T @ fields
            if family.kind is None:
                values, fields = aligned(self.fem, values, fields, self.axis)
            parts.append((values, fields, [family.kind] * len(values)))
        values, fields, kinds = self.ascending(parts, count)
        unnamed = [i for i, kind in enumerate(kinds) if kind is None]
        for i, kind in zip(unnamed, section_kinds(self.fem, fields[:, unnamed], self.axis), strict=True):
            kinds[i] = kind
        return values, fields, kinds

    def ascending(self, parts: Sequence, count: int | None = None):
        """The lowest modes of several parts, each omega^2, nodal fields and kinds, as one."""
        values = np.concatenate([np.empty(0), *(part[0] for part in parts)])
        fields = np.hstack([np.zeros((self.T.shape[0], 0)), *(part[1] for part in parts)])
        kinds = [kind for part in parts for kind in part[2]]
        order = np.argsort(values, kind="stable")[:count]
        return values[order], fields[:, order], [kinds[i] for i in order]


def compute_modes(fem, T: sparse.csr_matrix, problem: ConstrainedProblem | FixedProblem, choice: ModeChoice) -> Modes:
    """Modes selected by a valid ``choice``; BodyError states how many exist if there are fewer."""
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
    groups = problem.uncoupled_dofs() if apart else []
    if len(groups) < 2:
        return _Spectrum(fem, T, [ModeFamily(problem, np.arange(problem.size), problem.size, None)], axis)
    kinds = [group_kind(np.unique(T[:, g].nonzero()[0]), axis) for g in groups]
    families = [ModeFamily(problem.restricted(g), g, problem.size, kind) for g, kind in zip(groups, kinds, strict=True)]
    return _Spectrum(fem, T, families, axis)


def _require(spectrum: _Spectrum, count: int) -> None:
    exist = sum(f.problem.mode_limit for f in spectrum.families)
    if count > exist:
        raise BodyError(f"{count} modes were requested, but this mesh has only {exist}; request fewer")
    if count > spectrum.limit:
        raise BodyError(f"{count} modes were requested; at most {spectrum.limit} are computed on a mesh of this size")


def _more_and_more(spectrum: _Spectrum, count: int, most: int) -> Iterator[tuple[np.ndarray, np.ndarray, list[str | None]]]:
    """The lowest ``count`` modes, then twice as many each time, up to ``most``."""
    while True:
        yield spectrum.lowest(min(count, most))
        if count >= most:
            return
        count *= 2


def _chosen_by_frequency(spectrum: _Spectrum, choice: ModeChoice):
    highest = (2.0 * np.pi * choice.max_frequency) ** 2
    most = spectrum.limit if choice.count is None else choice.count
    _require(spectrum, most)
    for values, fields, kinds in _more_and_more(spectrum, 10, most):  # noqa: B007
        if len(values) and values[-1] > highest:
            break
    keep = int(np.searchsorted(values, highest, side="right"))
    return values[:keep], fields[:, :keep], kinds[:keep]


def _chosen_by_mass(spectrum: _Spectrum, choice: ModeChoice):
    if choice.frame is None:
        raise BodyError("effective_mass: modes of a free body have none; select them by count or max_frequency")
    fem, most = spectrum.fem, min(spectrum.limit, choice.count or _SEARCH_LIMIT)
    translations = np.zeros((fem.M.shape[0] // fem.dofs_per_node, fem.dofs_per_node, 3))
    translations[:, :3] = np.eye(3)
    momentum = fem.M @ translations.reshape(-1, 3)
    for values, fields, kinds in _more_and_more(spectrum, 10, most):
        modal = np.einsum("ia,ia->a", fields, fem.M @ fields)
        moved = np.cumsum((fields.T @ momentum) ** 2 / modal[:, None], axis=0).min(axis=1) / fem.mass
        if moved[-1] >= choice.effective_mass:
            keep = int(np.searchsorted(moved, choice.effective_mass)) + 1
            return values[:keep], fields[:, :keep], kinds[:keep]
    raise BodyError(
        f"effective_mass = {choice.effective_mass}: the lowest {most} modes have only {moved[-1]:.3g} of the "
        "mass along the axis where they have least; request less"
    )


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
        picked = []
        for kinds, n in wanted:
            families = [f for f in spectrum.families if f.kind in kinds]
            exist = sum(f.limit for f in families)
            if n > exist:
                raise BodyError(f"{n} {_name(kinds)} modes were requested, but this mesh has only {exist}")
            picked.append(spectrum.lowest(n, families))
    else:
        picked = _from_search(spectrum, wanted)
    return spectrum.ascending(picked)


def _from_search(spectrum: _Spectrum, wanted: list[tuple[set[str], int]]):
    total = sum(n for _, n in wanted)
    most = min(spectrum.limit, max(_SEARCH_LIMIT, 4 * total))
    for values, fields, kinds in _more_and_more(spectrum, 2 * total + 4, most):
        found = [[i for i, kind in enumerate(kinds) if kind in names][:n] for names, n in wanted]
        if all(len(f) == n for f, (_, n) in zip(found, wanted, strict=True)):
            return [(values[f], fields[:, f], [kinds[i] for i in f]) for f in found]
    lacking = [f"{n} {_name(names)} ({len(f)} exist)" for f, (names, n) in zip(found, wanted, strict=True) if len(f) < n]
    raise BodyError(f"the lowest {most} modes do not include {', '.join(lacking)}; request fewer")


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
    massive = fem.massive_nodes
    for i, column in enumerate(fields.T):
        nodal = column.reshape(len(points), d)[massive]
        motion = nodal[:, :3]
        if d == 6 and np.abs(motion).max() < 1e-9 * size * np.abs(nodal[:, 3:]).max():
            motion = nodal[:, 3:]
        lengths = np.linalg.norm(motion, axis=1)
        largest = motion[np.flatnonzero(lengths >= (1.0 - 1e-6) * lengths.max())[0]]
        component = largest[np.flatnonzero(np.abs(largest) >= (1.0 - 1e-6) * np.abs(largest).max())[0]]
        result[:, i] = column * (np.sign(component) / lengths.max())
    return result


def long_axis(fem) -> int | None:
    """0, 1 or 2 if the body is clearly longest along that mesh axis, otherwise None.

    Longest: the two large principal moments of inertia exceed the small one at least twice; along a mesh axis:
    within 1 degree.
    """
    moments, directions = np.linalg.eigh(fem.inertia)
    if moments[1] < 2.0 * moments[0]:
        return None
    cosines = np.abs(directions[:, 0])
    axis = int(np.argmax(cosines))
    return axis if cosines[axis] > np.cos(np.radians(1.0)) else None


def group_kind(dofs: np.ndarray, axis: int | None) -> str | None:
    """Kind of motion of an uncoupled group of beam dofs (nodal numbering, six per node).

    Exact for a straight beam: one group for each bending plane, one axial, one torsional.
    """
    if axis is None:
        return None
    parts, (first, second) = set(np.unique(dofs % 6).tolist()), (k for k in range(3) if k != axis)
    kinds = {"axial": {axis}, "torsion": {3 + axis}}
    kinds |= {f"bending {AXES[first]}": {first, 3 + second}, f"bending {AXES[second]}": {second, 3 + first}}
    return next((kind for kind, own in kinds.items() if parts <= own), None)


def section_kinds(fem, fields: np.ndarray, axis: int | None) -> list[str | None]:
    """Kind of each field (ndof, n) by the largest share of energy in the mean motion of sections along the axis.

    Shares: squared mean displacement along each axis, and squared mean rotation times the squared radius of gyration
    about the long axis. None if no share reaches 30 % (local modes) or the body has no long axis.
    """
    n = fields.shape[1]
    if axis is None or n == 0:
        return [None] * n
    nodal = fields.reshape(len(fem.mesh.points), fem.dofs_per_node, -1)[fem.massive_nodes]
    gyration2 = fem.inertia[axis, axis] / fem.mass
    weights, means, twists = _section_motion(fem, fields, axis)
    energies = np.vstack([np.einsum("s,skn->kn", weights, means**2), gyration2 * (weights @ twists**2)])
    total = np.einsum("pkn,pkn->n", nodal[:, :3], nodal[:, :3])
    if fem.dofs_per_node == 6:
        total = total + gyration2 * np.sum(nodal[:, 3 + axis] ** 2, axis=0)
    shares = energies / np.maximum(total, 1e-300)
    names = {k: f"bending {AXES[k]}" for k in range(3)} | {axis: "axial", 3: "torsion"}
    best = np.argmax(shares, axis=0)
    return [names[int(b)] if shares[b, i] > 0.3 else None for i, b in enumerate(best)]


def aligned(fem, values: np.ndarray, fields: np.ndarray, axis: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Modes of equal frequency, rotated within their subspace so that they bend along mesh axes.

    values (k,) omega^2 ascending; fields (ndof, k) of equal modal mass. A square or round bar has pairs of equal
    bending frequencies, for which an eigensolver returns arbitrary directions.
    """
    if axis is None or len(values) < 2:
        return values, fields
    values, fields = values.copy(), fields.copy()
    ends = np.flatnonzero(np.diff(values) > _EQUAL * values[1:]) + 1
    for cluster in np.split(np.arange(len(values)), ends):
        if len(cluster) > 1:
            weights, means, _ = _section_motion(fem, fields[:, cluster], axis)
            sideways = np.sqrt(weights)[:, None] * means[:, 0 if axis != 0 else 1]
            turn = np.linalg.eigh(sideways.T @ sideways)[1][:, ::-1]
            fields[:, cluster] = fields[:, cluster] @ turn
            values[cluster] = values[cluster].mean()  # exactly equal, so that sorting keeps this order
    return values, fields


def _section_motion(fem, fields: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nodes (s,), mean displacement (s, 3, n) and mean twist (s, n) of each of s slices across the axis."""
    massive = fem.massive_nodes
    points, turning = fem.mesh.points[massive], fem.turning_nodes[massive]
    nodal = fields.reshape(len(massive), fem.dofs_per_node, -1)[massive]
    first, second = ((axis + 1) % 3, (axis + 2) % 3)
    along = points[:, axis]
    slices = np.minimum((_SLICES * (along - along.min()) / np.ptp(along)).astype(int), _SLICES - 1)
    weights, means, twists = [], [], []
    for s in np.unique(slices):
        inside = np.flatnonzero(slices == s)
        u = nodal[inside, :3]
        mean = u.mean(axis=0)
        if turning[inside].all():
            twist = nodal[inside, 3 + axis].mean(axis=0)
        else:
            r = points[inside] - points[inside].mean(axis=0)
            moment = r[:, first] @ (u[:, second] - mean[second]) - r[:, second] @ (u[:, first] - mean[first])
            twist = moment / max(np.sum(r[:, [first, second]] ** 2), 1e-300)
        weights.append(len(inside))
        means.append(mean)
        twists.append(twist)
    return np.array(weights, dtype=float), np.array(means), np.array(twists)


def numbered(kinds: Sequence[str | None]) -> tuple[str, ...]:
    """["bending y", "axial", "bending y", None] -> ("bending y 1", "axial 1", "bending y 2", "mode 4")."""
    counts: Counter[str | None] = Counter()
    labels = []
    for i, kind in enumerate(kinds):
        counts[kind] += 1
        labels.append(f"mode {i + 1}" if kind is None else f"{kind} {counts[kind]}")
    return tuple(labels)

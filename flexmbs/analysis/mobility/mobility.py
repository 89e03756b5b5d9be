"""Degrees of freedom of a mechanism: Grübler count, actual count, redundant constraints, special freedoms.

The Grübler count adds the freedoms of the bodies and subtracts the scalar constraints. The actual count is the
dimension of the null space of the constraint matrix, evaluated at the assembled start position and slightly
further along the degrees of freedom, because the rank drops in a singular position (Wojtyra,
Mech. Mach. Theory 40 (2005) 1265).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.analysis.assembly.independent_constraints import nearby
from flexmbs.analysis.evaluation.constraint_directions import ConstraintDirections, constraint_directions
from flexmbs.analysis.evaluation.driver_elimination import with_drivers, without_drivers
from flexmbs.analysis.evaluation.massless_motions import freedoms_without_inertia
from flexmbs.analysis.mobility.isolated_freedoms import isolated_freedoms
from flexmbs.analysis.prepare.prepare import closed, in_other_coordinates
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.model.compile_mechanism import compile_system
from flexmbs.model.compiled_model import Model
from flexmbs.model.loop_closure_report import LoopClosure

DRIVER = "the driver of"


@dataclass(frozen=True)
class Redundancy:
    """Motions constrained by ``owner`` although ``others`` constrain them already (empty: they were never possible)."""

    owner: str
    motions: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def sentence(self) -> str:
        drivers = [name for name in self.others if name.startswith(DRIVER)]
        if self.owner.startswith(DRIVER) and drivers:
            return f"{self.owner} repeats what {_listed(drivers)} already prescribes"
        motions = _motions(self.motions)
        if not self.others:
            return f"{self.owner} constrains {motions}, which has no effect"
        return f"{self.owner} constrains {motions}, already constrained by {_listed(list(self.others))}"


@dataclass(frozen=True)
class Mobility:
    """Degrees of freedom and redundant constraints; see :func:`mobility`.

    Attributes
    ----------
    body_freedoms : six per body (three per point mass), plus the modes of flexible bodies
    modes : modal coordinates among them
    constraints : number of scalar constraints of joints, couplings, rods ...
    drivers : number of prescribed coordinates and components
    gruebler : body_freedoms - constraints - drivers
    freedoms : actual number of degrees of freedom
    freedoms_without_drivers : the same without drivers
    momentary : instantaneous freedoms of the start position, which is then singular
    redundant : redundant constraints
    isolated, massless : one sentence for each isolated degree of freedom, and for each freedom without inertia
    closing : misalignment and bending involved in closing the loops (None: none)
    """

    body_freedoms: int
    modes: int
    constraints: int
    drivers: int
    gruebler: int
    freedoms: int
    freedoms_without_drivers: int
    momentary: int
    redundant: tuple[Redundancy, ...]
    isolated: tuple[str, ...]
    massless: tuple[str, ...]
    closing: LoopClosure | None = None

    @property
    def redundant_count(self) -> int:
        """Number of redundant constraint equations."""
        return sum(len(item.motions) for item in self.redundant)

    @property
    def analysis(self) -> str:
        """The applicable analysis, as text."""
        redundant = f"; {self.redundant_count} redundant (minimum-norm reactions)" if self.redundant else ""
        if self.freedoms > 0:
            return f"dynamic: simulate(t_end), or statics(){redundant}"
        if self.drivers > 0:
            return f"kinematic: kinematics(t_end){redundant}"
        return f"none: a structure without degrees of freedom{redundant}"


def mobility(system: Mechanism, t: float = 0.0) -> Mobility:
    """Degrees of freedom of a system at its start position.

    Raises
    ------
    MechanismError
        The loops cannot be closed, or drivers contradict each other.
    """
    start = closed(system, t)
    undriven = without_drivers(start, t)
    here = _directions(system, undriven, t)
    near, momentary_rows = here, 0
    if len(undriven.tables.constraints):
        moved = nearby(undriven, t)
        if moved is not None:
            further = _directions(system, moved, t)
            if further.rank() > here.rank():
                momentary_rows = further.rank() - here.rank()
                near = further
    return _counted(system, start, near, momentary_rows, t)


def _directions(system: Mechanism, model: Model, t: float) -> ConstraintDirections:
    absolute = in_other_coordinates(system, model, t, "absolute")
    return constraint_directions(system, with_drivers(absolute, ()), t)


def _counted(system: Mechanism, start: Model, near: ConstraintDirections, momentary: int, t: float) -> Mobility:
    owners, rows = driver_rows(system, start, near)
    everything = np.vstack([near.rows, rows])
    labels = (*near.labels, *("motion",) * len(rows))
    titles = {name: f"{joint.type.name} '{name}'" for name, joint in system.joints.items()}
    titles |= {name: f"{type(one).__name__.lower()} '{name}'" for name, one in system.constraints.items()}
    named = [titles[owner] for owner in near.owners]
    found = dependences(everything)
    prescribing = sum(constraint.signal is not None for constraint in system.constraints.values())
    modes = sum(part.mode_count for part in system.bodies.values())
    free = everything.shape[1] - (len(everything) - len(found))
    return Mobility(
        body_freedoms=everything.shape[1],
        modes=modes,
        constraints=len(near.rows) - prescribing,
        drivers=len(rows) + prescribing,
        gruebler=everything.shape[1] - len(everything),
        freedoms=free,
        freedoms_without_drivers=near.rows.shape[1] - near.rank(),
        momentary=momentary,
        redundant=_grouped(found, [*named, *owners], labels),
        isolated=isolated_freedoms(system, start, near, t),
        massless=freedoms_without_inertia(start, t),
        closing=start.closing,
    )


def driver_rows(system: Mechanism, start: Model, directions: ConstraintDirections) -> tuple[list[str], np.ndarray]:
    """Names and rows of the drivers of joint coordinates, in absolute coordinates."""
    absolute = compile_system(system, "absolute", start.signals).coordinate_index
    names, rows = [], []
    for k in start.driven_coordinates:
        coordinate = start.coordinate_names[k]
        row = directions.rates.get(absolute.get(coordinate, -1))
        if row is not None:
            size = float(np.linalg.norm(row))
            names.append(f"{DRIVER} '{coordinate}'")
            rows.append(row / size if size > 1e-12 else row)
    return names, np.array(rows).reshape(-1, directions.rows.shape[1])


def _grouped(found: list[tuple[int, list[int]]], owners: list[str], labels: tuple[str, ...]) -> tuple[Redundancy, ...]:
    """Dependent rows, grouped by their owner and by the owners they depend on."""
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for row, partners in found:
        others = tuple(dict.fromkeys(owners[k] for k in partners if owners[k] != owners[row]))
        groups.setdefault((owners[row], others), []).append(labels[row])
    return tuple(Redundancy(owner, tuple(motions), others) for (owner, others), motions in groups.items())


def _motions(labels: tuple[str, ...]) -> str:
    """ "the translation along x and the rotations about x and y"."""
    groups: dict[str, list[str]] = {}
    for label in labels:
        kind, _blank, axis = label.partition(" about " if label.startswith("rotation about") else " along ")
        simple = kind in ("rotation", "translation") and "combined" not in axis
        groups.setdefault(kind if simple else label, []).append(axis)
    phrases = []
    for kind, axes in groups.items():
        if kind not in ("rotation", "translation"):
            phrases.append(kind if kind.startswith("its") else f"the {kind}")
            continue
        preposition = "about" if kind == "rotation" else "along"
        phrases.append(f"the {kind}{'s' if len(axes) > 1 else ''} {preposition} {_listed(axes)}")
    return _listed(phrases)


def _listed(items: list[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


DEPENDENT = 1e-7  # residual of a unit row after projection
SIGNIFICANT = 1e-6  # coefficient relative to the largest one


def dependences(rows: np.ndarray) -> list[tuple[int, list[int]]]:
    """Rows (unit or zero) that are combinations of earlier ones, in order, each with those (none: the row is zero).

    By Gram-Schmidt with reorthogonalisation.
    """
    basis = np.zeros((min(rows.shape), rows.shape[1]))
    independent: list[int] = []
    found = []
    for i, row in enumerate(rows):
        known = basis[: len(independent)]
        rest = row - known.T @ (known @ row)
        rest = rest - known.T @ (known @ rest)
        size = float(np.linalg.norm(rest))
        if size > DEPENDENT:
            basis[len(independent)] = rest / size
            independent.append(i)
        else:
            found.append(i)
    if not found:
        return []
    # one least-squares solution in all independent rows; rows after the dependent one get zero coefficients
    coefficients = np.linalg.lstsq(rows[independent].T, rows[found].T, rcond=None)[0].T
    parts = [np.flatnonzero(np.abs(own) > SIGNIFICANT * np.abs(own).max(initial=0.0)) for own in coefficients]
    return [(i, [independent[k] for k in part]) for i, part in zip(found, parts, strict=True)]

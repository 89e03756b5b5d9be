"""Degrees of freedom of a mechanism before it runs: counted, true, and what is redundant, momentary, idle or massless.

Gruebler's count adds the freedoms of bodies and subtracts what joints block; the true count is the dimension of the
null space of the constraint matrix, at the assembled start position and a little further along the freedoms, because in
a singular position the rank falls for a moment (Wojtyra, Mech. Mach. Theory 40 (2005) 1265).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.analysis.assembly.independent_constraints import nearby
from flexmbs.analysis.evaluation.constraint_directions import BlockedMotions, blocked_motions
from flexmbs.analysis.evaluation.dependent_rows import dependences
from flexmbs.analysis.evaluation.driver_elimination import with_drivers, without_drivers
from flexmbs.analysis.evaluation.massless_motions import freedoms_without_inertia
from flexmbs.analysis.mobility.isolated_freedoms import idle_freedoms
from flexmbs.analysis.prepare.driver_conflicts import closed_with_drivers
from flexmbs.analysis.prepare.prepare import in_other_coordinates
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.model.compile_mechanism import compile_system
from flexmbs.model.compiled_model import Model
from flexmbs.model.loop_closure_report import Closing

DRIVER = "the driver of"


@dataclass(frozen=True)
class Redundancy:
    """Motions that ``owner`` blocks although ``others`` block them already (empty: nothing is left to block)."""

    owner: str
    motions: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def sentence(self) -> str:
        drivers = [name for name in self.others if name.startswith(DRIVER)]
        if self.owner.startswith(DRIVER) and drivers:
            return f"{self.owner} repeats what {_listed(drivers)} prescribes already"
        motions = _motions(self.motions)
        if not self.others:
            return f"{self.owner} blocks nothing with {motions}"
        return f"{self.owner} repeats {motions} already blocked by {_listed(list(self.others))}"


@dataclass(frozen=True)
class Mobility:
    """Degrees of freedom and what is wrong with them; see :func:`mobility`.

    Attributes
    ----------
    body_freedoms : six per body (three per point mass), and the modes of flexible bodies
    modes : of these, modal coordinates
    blocked : number of scalar constraints of joints, couplings, rods
    drivers : number of prescribed coordinates and components
    gruebler : body_freedoms - blocked - drivers
    freedoms : the true count
    freedoms_without_drivers : of the mechanism when its drivers let go
    momentary : freedoms of the start position alone: it is singular
    redundant : what is blocked twice
    idle, massless : sentences about freedoms that matter to nothing, and freedoms without inertia
    closing : what closing the loops took besides rigid motion (None: nothing)
    """

    body_freedoms: int
    modes: int
    blocked: int
    drivers: int
    gruebler: int
    freedoms: int
    freedoms_without_drivers: int
    momentary: int
    redundant: tuple[Redundancy, ...]
    idle: tuple[str, ...]
    massless: tuple[str, ...]
    closing: Closing | None = None

    @property
    def redundant_count(self) -> int:
        return sum(len(item.motions) for item in self.redundant)

    @property
    def analysis(self) -> str:
        """The analysis that fits, in words."""
        redundant = f"; {self.redundant_count} redundant (reactions of least size)" if self.redundant else ""
        if self.freedoms > 0:
            return f"dynamic: simulate(t_end), or statics(){redundant}"
        if self.drivers > 0:
            return f"kinematic: kinematics(t_end){redundant}"
        return f"none: a structure that nothing moves{redundant}"


def mobility(system: Mechanism, t: float = 0.0) -> Mobility:
    """Degrees of freedom of a system at its start.

    Raises
    ------
    MechanismError
        The loops cannot be closed, or drivers contradict each other.
    """
    start = closed_with_drivers(compile_system(system), t)
    loose = without_drivers(start, t)
    here = blocked_motions(system, with_drivers(in_other_coordinates(system, loose, t, "absolute"), ()), t)
    near, momentary_rows = here, 0
    if len(loose.tables.constraints):
        moved = nearby(loose, t)
        if moved is not None:
            further = blocked_motions(system, with_drivers(in_other_coordinates(system, moved, t, "absolute"), ()), t)
            if further.rank() > here.rank():
                momentary_rows = further.rank() - here.rank()
                near = further
    return _counted(system, start, near, momentary_rows, t)


def _counted(system: Mechanism, start: Model, near: BlockedMotions, momentary: int, t: float) -> Mobility:
    owners, rows = driver_rows(system, start, near)
    everything = np.vstack([near.rows, rows])
    labels = (*near.labels, *("motion",) * len(rows))
    words = {name: f"{joint.type.name} '{name}'" for name, joint in system.joints.items()}
    words |= {name: f"{type(one).__name__.lower()} '{name}'" for name, one in system.constraints.items()}
    named = [words[owner] for owner in near.owners]
    found = dependences(everything)
    prescribing = sum(constraint.signal is not None for constraint in system.constraints.values())
    modes = sum(part.mode_count for part in system.bodies.values())
    free = everything.shape[1] - (len(everything) - len(found))
    return Mobility(
        body_freedoms=everything.shape[1],
        modes=modes,
        blocked=len(near.rows) - prescribing,
        drivers=len(rows) + prescribing,
        gruebler=everything.shape[1] - len(everything),
        freedoms=free,
        freedoms_without_drivers=near.rows.shape[1] - near.rank(),
        momentary=momentary,
        redundant=_grouped(found, [*named, *owners], labels),
        idle=idle_freedoms(system, start, near, t),
        massless=freedoms_without_inertia(start, t),
        closing=start.closing,
    )  # fmt: skip


def driver_rows(system: Mechanism, start: Model, blocked: BlockedMotions) -> tuple[list[str], np.ndarray]:
    """Names and rows of the drivers of joint coordinates, in absolute coordinates."""
    absolute = compile_system(system, "absolute", start.signals).coordinate_index
    names, rows = [], []
    for k in start.driven_coordinates:
        coordinate = start.coordinate_names[k]
        row = blocked.rates.get(absolute.get(coordinate, -1))
        if row is not None:
            size = float(np.linalg.norm(row))
            names.append(f"{DRIVER} '{coordinate}'")
            rows.append(row / size if size > 1e-12 else row)
    return names, np.array(rows).reshape(-1, blocked.rows.shape[1])


def _grouped(found, owners: list[str], labels: tuple[str, ...]) -> tuple[Redundancy, ...]:
    """Dependent rows of one owner that repeat the same others, in one."""
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for dependence in found:
        others = tuple(dict.fromkeys(owners[k] for k in dependence.others if owners[k] != owners[dependence.row]))
        groups.setdefault((owners[dependence.row], others), []).append(labels[dependence.row])
    return tuple(Redundancy(owner, tuple(motions), others) for (owner, others), motions in groups.items())


def _motions(labels: tuple[str, ...]) -> str:
    """ "the translation along x and the rotations about x and y"."""
    groups: dict[str, list[str]] = {}
    for label in labels:
        kind, _blank, axis = label.partition(" about " if label.startswith("rotation about") else " along ")
        simple = kind in ("rotation", "translation") and "together" not in axis
        groups.setdefault(kind if simple else label, []).append(axis)
    told = []
    for kind, axes in groups.items():
        if kind not in ("rotation", "translation"):
            told.append(kind if kind.startswith("its") else f"the {kind}")
            continue
        word = "about" if kind == "rotation" else "along"
        told.append(f"the {kind}{'s' if len(axes) > 1 else ''} {word} {_listed(axes)}")
    return _listed(told)


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"

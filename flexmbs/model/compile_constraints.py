"""Joints that close loops, couplings, rods and driven marker components as entries of the flat tables.

All coordinates are numbered when the first constraint is added, except those of the closures themselves, whose axes
have coordinates of their own: closures come first, then multipliers are numbered behind all coordinates.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.layout import tables as t
from flexmbs.core.layout.records import NONE, make_record
from flexmbs.mechanism.constraints import Cable, Component, Coupling, Distance, ElasticCoupling, Rolling, stated_sum

_CLOSURE_ROWS = ("force along x", "force along y", "force along z", "moment about x", "moment about y", "moment about z")
_ROLLING_ROWS = ("normal force", "force along u", "force along v")


def add_closure(compiler, joint) -> None:
    """A cut joint: its own coordinates and axes, and three or six multipliers."""
    start = len(compiler.records["axes"])
    compiler.add_joint(joint)
    rows = 3 if joint.type.ends_with_ball else 6
    _add(
        compiler, joint.name, t.CLOSURE, _CLOSURE_ROWS[:rows], a=joint.a, b=joint.b, start=start, end=len(compiler.records["axes"])
    )


def add_constraint(compiler, constraint) -> None:
    """A constraint that is no joint (flexmbs.mechanism.constraints)."""
    signal = NONE
    if constraint.signal is not None:
        signal = compiler.signal(constraint.signal)
        compiler.prescribing.append(constraint.name)
    elif isinstance(constraint, Coupling):
        signal = compiler.add_signal(t.FUNCTION, constant=stated_sum(constraint.terms))

    def add(kind: int, labels: tuple[str, ...], **fields) -> None:
        _add(compiler, constraint.name, kind, labels, signal=signal, level=constraint.level, **fields)

    if isinstance(constraint, Coupling):
        start, end = _add_terms(compiler, constraint.terms)
        add(t.COUPLING, ("force",), start=start, end=end)
    elif isinstance(constraint, Distance):
        add(t.DISTANCE, ("force",), a=constraint.a, b=constraint.b, length=constraint.length)
    elif isinstance(constraint, Component):
        add(t.COMPONENT, ("force",), a=constraint.a, b=constraint.b, component=constraint.axis)
    elif isinstance(constraint, Cable):
        first, last, start = constraint.markers[0], constraint.markers[-1], len(compiler.records["terms"])
        for marker, parts in zip(constraint.markers, (*constraint.parts, 0.0), strict=True):
            compiler.records["terms"].append(make_record(t.TERM, coordinate=compiler.marker(marker), factor=parts))
        end = len(compiler.records["terms"])
        add(t.CABLE, ("force",), a=first, b=last, start=start, end=end, length=constraint.length)
    elif isinstance(constraint, Rolling):
        what = t.BALL_ON_PLANE if constraint.is_ball else t.DISC
        directions = dict(zip(("u_A", "v_A", "n_A", "e_B"), constraint.directions, strict=True))
        add(t.ROLLING, _ROLLING_ROWS, a=constraint.a, b=constraint.b, length=constraint.radius, component=what, **directions)
    else:
        raise TypeError(f"constraint '{constraint.name}' of unknown kind {type(constraint).__name__}")


def add_coupler(compiler, coupler: ElasticCoupling) -> None:
    """A spring and damper on a sum of coordinates."""
    start, end = _add_terms(compiler, coupler.terms)
    rest = stated_sum(coupler.terms) if coupler.rest is None else coupler.rest
    record = make_record(t.COUPLER, start=start, end=end, stiffness=coupler.stiffness, damping=coupler.damping, rest=rest)
    compiler.records["couplers"].append(record)


def _add_terms(compiler, terms) -> tuple[int, int]:
    """Where the terms of a coupling begin and end."""
    start = len(compiler.records["terms"])
    for joint, coordinate, factor in terms:
        number = compiler.coordinate_index[f"{joint.name}.{coordinate}"]
        compiler.records["terms"].append(make_record(t.TERM, coordinate=number, factor=factor))
    return start, len(compiler.records["terms"])


def levels_of_rows(constraint) -> np.ndarray:
    """Level (0 position, 1 velocity, 2 acceleration) at which each row of a record of ``tables.constraints`` holds."""
    levels = np.full(constraint["rows"], constraint["level"])
    if constraint["kind"] == t.ROLLING:
        levels[1:] = t.VELOCITY_LEVEL  # no slip
    return levels


def _add(compiler, name: str, kind: int, labels: tuple[str, ...], *, a=None, b=None, **fields) -> None:
    """One record; ``labels`` name its multipliers.  Row numbers are relative until all coordinates are known."""
    row = len(compiler.names.multipliers)
    compiler.names.multipliers += [f"{name}.{label}" for label in labels]
    compiler.constraint_names.append(name)
    ends = {key: 0 if marker is None else compiler.marker(marker) for key, marker in (("a", a), ("b", b))}
    compiler.records["constraints"].append(make_record(t.CONSTRAINT, kind=kind, row=row, rows=len(labels), **ends, **fields))

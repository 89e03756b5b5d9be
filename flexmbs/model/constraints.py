"""Joints that close loops, couplings, rods and driven marker components as entries of the flat tables.

All coordinates are numbered when the first constraint is added, except those of the closures themselves, whose axes
have coordinates of their own: closures come first, then multipliers are numbered behind all coordinates.
"""

from __future__ import annotations

from flexmbs.kernels import tables as t
from flexmbs.system.constraints import Component, Coupling, Distance

_CLOSURE_ROWS = (
    "force along x", "force along y", "force along z", "moment about x", "moment about y", "moment about z"
)  # fmt: skip


def add_closure(compiler, joint) -> None:
    """A cut joint: its own coordinates and axes, and three or six multipliers."""
    start = len(compiler.records["axes"])
    compiler.add_joint(joint)
    rows = 3 if joint.type.ends_with_ball else 6
    _add(
        compiler, joint.name, t.CLOSURE, _CLOSURE_ROWS[:rows], a=joint.a, b=joint.b, start=start,
        end=len(compiler.records["axes"]),
    )  # fmt: skip


def add_constraint(compiler, constraint) -> None:
    """A constraint that is no joint (flexmbs.system.constraints)."""
    signal = -1 if constraint.signal is None else compiler.signal(constraint.signal)
    common = {"signal": signal, "level": constraint.level}
    if isinstance(constraint, Coupling):
        start = len(compiler.records["terms"])
        for joint, coordinate, factor in constraint.terms:
            compiler.records["terms"].append((compiler.coordinate_index[f"{joint.name}.{coordinate}"], factor))
        end = len(compiler.records["terms"])
        _add(compiler, constraint.name, t.COUPLING, ("force",), start=start, end=end, **common)
    elif isinstance(constraint, Distance):
        _add(
            compiler, constraint.name, t.DISTANCE, ("force",), a=constraint.a, b=constraint.b,
            length=constraint.length, **common,
        )  # fmt: skip
    elif isinstance(constraint, Component):
        _add(
            compiler, constraint.name, t.COMPONENT, ("force",), a=constraint.a, b=constraint.b,
            component=constraint.axis, **common,
        )  # fmt: skip
    else:
        raise TypeError(f"constraint '{constraint.name}' of unknown kind {type(constraint).__name__}")


def _add(
    compiler, name: str, kind: int, labels: tuple[str, ...], *, a=None, b=None, start=0, end=0, signal=-1, level=0,
    component=0, length=0.0,
) -> None:  # fmt: skip
    """One record; ``labels`` name its multipliers.  Row numbers are relative until all coordinates are known."""
    row = len(compiler.names.multipliers)
    compiler.names.multipliers += [f"{name}.{label}" for label in labels]
    compiler.constraint_names.append(name)
    marker_a = 0 if a is None else compiler.marker(a)
    marker_b = 0 if b is None else compiler.marker(b)
    compiler.records["constraints"].append(
        (kind, marker_a, marker_b, row, len(labels), start, end, signal, level, component, length)
    )

"""Friction that sticks in joints as entries of the flat tables: its cone, its switched rows, what it records."""

from __future__ import annotations

from flexmbs.core.laws.force.sticking_friction import StickingFriction
from flexmbs.core.layout import force_tables as f
from flexmbs.core.layout import friction_tables as j
from flexmbs.core.layout.records import NONE, make_record
from flexmbs.core.layout.switch_tables import FRICTION_HOLD
from flexmbs.mechanism.forces import Element
from flexmbs.model.compile_switches import add_switch

_ABOUT_A_POINT = ("friction about x", "friction about y", "friction about z")


def add_joint_friction(compiler, element: Element, signal: int, number: int) -> int:
    """Record of a friction law on a joint; its element gets ``number``. Returns its first coordinate.

    ``signal``: row with its normal force, -1: the reaction of the joint.
    """
    law, joint = element.law, element.joint
    labels = tuple(f"friction along {name}" for name in law.coordinates) or _ABOUT_A_POINT
    frictions = compiler.records["joint_frictions"]
    switch = add_switch(compiler, element.name, FRICTION_HOLD, labels, start=len(frictions))
    places = [compiler.coordinate_index[f"{joint.name}.{name}"] for name in law.coordinates]
    static, dynamic = law.law.coefficients
    history = j.ANCHOR + len(places) if places else j.BALL_HISTORY
    axis = next((axis.direction for axis in joint.type.axes if axis.kind != "ball"), (0.0, 0.0, 1.0))
    record = make_record(
        j.JOINT_FRICTION,
        switch=switch,
        element=number,
        motions=len(places),
        a=compiler.marker(joint.a),
        b=compiler.marker(joint.b),
        first=places[0] if places else NONE,
        second=places[1] if places[1:] else NONE,
        first_radius=law.radii[0],
        second_radius=law.radii[1] if law.radii[1:] else 1.0,
        static=static,
        dynamic=dynamic,
        load=_load(law),
        signal=signal,
        reaction=NONE if law.normal is not None else compiler.reaction_row(joint.name),
        axis=axis,
        arm=law.arm,
        axial=law.axial,
        thread=law.thread,
        advance=_advance(joint, law),
        history_at=sum(int(one["history"]) for one in frictions),
        history=history,
    )
    frictions.append(record)
    return places[0] if places else 0


def _load(law: StickingFriction) -> int:
    if law.normal is not None:
        return j.GIVEN
    if not law.coordinates:
        return j.POINT
    return j.THREAD if law.advance > 0.0 else j.AXIAL


def _advance(joint, law: StickingFriction) -> float:
    """With its sign: that of a left-hand thread is negative."""
    if law.advance == 0.0:
        return 0.0
    return next(axis.factor for axis in joint.type.axes if axis.kind == "translation")


def record_columns(element: Element) -> tuple[tuple[str, str, int], ...]:
    """Names, units and places of the histories of friction: effort on a coordinate, friction along the slip, moment."""
    law = element.law
    if len(law.coordinates) == 2:
        return ("effort", "N", f.ELEMENT_FORCE), ("power", "W", f.ELEMENT_POWER)
    turns = not law.coordinates or element.joint.type.coordinates[law.coordinates[0]] == "rad"
    return ("effort", "N m" if turns else "N", f.ELEMENT_FORCE), ("power", "W", f.ELEMENT_POWER)

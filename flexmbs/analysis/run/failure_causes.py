"""What a run has failed at: names of equations, and why closed rigid contacts have no forces that fit."""

from __future__ import annotations

import math

from flexmbs.common.names_in_messages import listed
from flexmbs.core.contact.rigid.contact_work import NO_SOLUTION, PAINLEVE, ContactWork
from flexmbs.core.laws.contact.rigid import FRICTION
from flexmbs.core.layout.rigid_contacts import RigidContacts
from flexmbs.core.layout.state import State
from flexmbs.core.layout.switch_tables import SLIDING
from flexmbs.core.layout.tables import COUPLING
from flexmbs.model.compiled_model import Model


def equation_name(system, model: Model, k: int) -> str:
    """Name of equation or coordinate number ``k``.

    "coordinate 'hinge.angle' of joint 'hinge' (between body 'crank' and body 'rod')", "mode 'bending y 2' of body
    'rod'", "row 'force along x' of constraint 'loop' (between body 'a' and body 'b')", "user state 'charge'".
    """
    name = model.coordinate_names[k]
    if k >= model.coordinate_count:
        return _constraint(model, k)
    if model.state_coordinates[k]:
        return f"user state '{model.rate_names[k]}'"
    for body, part in model.modal.items():
        if part.start <= k < part.stop:
            return f"mode '{name.removeprefix(f'{body}.')}' of body '{body}'"
    owner = max((joint for joint in system.joints if name.startswith(f"{joint}.")), key=len, default=None)
    if owner is not None:
        joint = system.joints[owner]
        return f"coordinate '{name}' of joint '{owner}' ({_between(joint.a.body, joint.b.body)})"
    for branch in model.tree.branches:
        if name.startswith(f"{branch.joint.name}."):
            return f"coordinate '{name}' of body '{branch.body}'"
    return f"coordinate '{name}'"


def _constraint(model: Model, k: int) -> str:
    """Name of a scalar constraint."""
    for c, constraint in enumerate(model.tables.constraints):
        if constraint["row"] <= k < constraint["row"] + constraint["rows"]:
            owner = model.constraint_names[c]
            row = model.coordinate_names[k].removeprefix(f"{owner}.")
            if constraint["kind"] == COUPLING:
                terms = model.tables.terms["coordinate"][constraint["start"] : constraint["end"]]
                tied = ", ".join(f"'{model.coordinate_names[term]}'" for term in terms)
                return f"row '{row}' of constraint '{owner}' (on {tied})"
            a, b = (model.body_names[model.tables.markers["body"][constraint[end]]] for end in "ab")
            return f"row '{row}' of constraint '{owner}' ({_between(a, b)})"
    return f"constraint '{model.coordinate_names[k]}'"


def _between(a: str, b: str) -> str:
    return f"between {_body(a)} and {_body(b)}"


def _body(name: str) -> str:
    return name if name == "ground" else f"body '{name}'"


MAX_NAMED = 8
UNBOUNDED = 1e3  # times the mean force since the contact has closed
ADVICE = "less friction, or a compliant contact law there (docs/contact.md), goes on"


def jammed(model: Model, rigid: RigidContacts, solver: ContactWork, where: str) -> str:
    """The failure that the last contact problem ended with, with the contact that it names, at ``where``."""
    if rigid.jammed[0] >= 0.0:
        return jammed_joint(model, int(rigid.jammed[0]), where)
    status, contact = (int(number) for number in rigid.failed)
    name, critical = model.contact_names[contact], float(solver.critical_friction)
    friction = float(model.tables.pool[int(model.tables.contacts["at"][contact]) + FRICTION])
    if status == PAINLEVE:
        least = f", which is {critical:.6g} there" if 0.0 < critical < math.inf else ""
        return (
            f"contact '{name}' jams {where}: with its coefficient of friction, {friction:.6g}, above the critical "
            f"one{least}, no force between its bodies goes with any motion (Painleve's paradox); {ADVICE}"
        )
    if status == NO_SOLUTION:
        return (
            f"contact '{name}' cannot stay closed without penetration {where}, whatever force it carries: drivers, "
            "locks or constraints push its bodies together"
        )
    return (
        f"no contact forces were found {where} for the rigid contacts that are closed, of which '{name}' is the "
        f"furthest from its conditions (error {float(solver.error):.1e}); {ADVICE}"
    )


def grows(model: Model, state: State) -> str:
    """The sliding rigid contact whose normal force has grown without bound; empty if there is none."""
    for c, name in enumerate(model.contact_names):
        episode = state.episode[c]
        if model.tables.contacts["rigid"][c] == 0 or state.active[c] != SLIDING:
            continue
        if episode["peak_force"] * (state.time - episode["start"]) > UNBOUNDED * episode["impulse"]:
            friction = float(model.tables.pool[int(model.tables.contacts["at"][c]) + FRICTION])
            return (
                f"contact '{name}', which slides with the coefficient of friction {friction:.6g}, jams: its normal force grows "
                f"without bound, to {episode['peak_force']:.3g} N so far (Painleve's paradox); {ADVICE}"
            )
    return ""


def chatters(model: Model, state: State, where: str) -> str:
    """Events of rigid contacts that follow each other without end at one instant; those that are closed."""
    flags = state.active[: len(model.contact_names)]
    closed = [f"'{name}'" for name, flag in zip(model.contact_names, flags, strict=True) if flag != 0]
    return f"rigid contacts open and close for ever {where}; closed there: {listed(closed, MAX_NAMED) or 'none'}; {ADVICE}"


def jammed_joint(model: Model, number: int, where: str) -> str:
    """Neither sliding nor sticking goes with the friction of a joint."""
    friction = model.tables.joint_frictions[number]
    name = model.switch_names[int(friction["switch"])]
    return (
        f"joint friction '{name}' jams {where}: with coefficients {friction['static']:.6g} and "
        f"{friction['dynamic']:.6g} its normal force, the reaction, grows with its friction so that neither "
        "sticking nor sliding is possible (Painleve's paradox); less friction, a longer bearing, or loads nearer to "
        "its axis go on"
    )


def no_slot(model: Model, slots: int, where: str) -> str:
    """There is no room for another closed rigid contact."""
    return (
        f"more than {slots} rigid contacts are closed at once {where}: that is the most which a run with events "
        f"follows ({len(model.contact_names)} contacts are stated)"
    )

"""Why the closed rigid contacts of a run have no forces that fit: the contact and its critical friction."""

from __future__ import annotations

import math

from flexmbs.common.names_in_messages import listed
from flexmbs.core.contact.rigid.contact_work import NO_SOLUTION, PAINLEVE, ContactWork
from flexmbs.core.laws.contact.rigid import FRICTION
from flexmbs.core.layout.rigid_contacts import RigidContacts
from flexmbs.core.layout.state import State
from flexmbs.core.layout.switch_tables import SLIDING
from flexmbs.model.compiled_model import Model

MOST_NAMED = 8
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
    return f"rigid contacts open and close for ever {where}; closed there: {listed(closed, MOST_NAMED) or 'none'}; {ADVICE}"


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

"""Rigid contacts and joints with friction together: each is decided for the modes of the other until none changes."""

from __future__ import annotations

from flexmbs.core.contact.rigid.contact_work import ContactWork
from flexmbs.core.layout.rigid_contacts import RigidContacts
from flexmbs.core.layout.state import CHUNK_FULL, Log, Scratch, Settings, State
from flexmbs.core.layout.tables import Tables, Workspace
from flexmbs.core.stepping.rigid.joint_modes import release_joints, settle_joints
from flexmbs.core.stepping.rigid.margins import CLOSES, CONE
from flexmbs.core.stepping.rigid.members import are_members, joint_of, member_of
from flexmbs.core.stepping.rigid.resolve import resolve
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

MAX_ROUNDS = 5


@entry
def settle(
    tables: Tables,
    state: State,
    settings: Settings,
    scratch: Scratch,
    work: Workspace,
    log: Log,
    rigid: RigidContacts,
    solver: ContactWork,
    switch: int,
    contact: int,
    margin: int,
) -> int:
    """Impacts, then the modes of all closed contacts and joints with friction at the present state; an outcome.

    ``switch``: the one whose ``margin`` (core.stepping.rigid.margins) has vanished, or ``contact``, whose gap has
    closed (CLOSES); -1: none. Friction of joints has its impulse in an impact (core.stepping.rigid.joint_impulses).
    """
    joint = -1
    if switch >= 0:
        contact = member_of(tables, state, switch)
        joint = joint_of(tables, contact)
    if len(tables.joint_frictions) == 0 or are_members(tables):
        return resolve(tables, state, settings, scratch, work, log, rigid, solver, contact, margin)
    outcome, leads = CHUNK_FULL, contact if margin == CONE and joint < 0 else -1
    if joint >= 0:
        state.events += 1
    else:
        if contact < 0 or margin == CLOSES:
            release_joints(tables, state, rigid)
        outcome = resolve(tables, state, settings, scratch, work, log, rigid, solver, contact, margin)
    for _ in range(MAX_ROUNDS):
        if outcome != CHUNK_FULL:
            return outcome
        occurred = log.occurrence_count
        outcome = settle_joints(tables, state, settings, scratch, work, log, rigid, joint, margin)
        if margin != CONE:
            joint = -1
        if outcome != CHUNK_FULL or log.occurrence_count == occurred or not touches(tables, state):
            return outcome
        occurred = log.occurrence_count
        outcome = resolve(tables, state, settings, scratch, work, log, rigid, solver, leads, CONE if leads >= 0 else 0)
        if log.occurrence_count == occurred:
            return outcome
    return outcome


@kernel
def touches(tables, state):
    """Whether a rigid contact is closed."""
    for c in range(len(tables.contacts)):
        if tables.contacts[c].rigid != 0 and state.active[c] != 0:
            return True
    return False

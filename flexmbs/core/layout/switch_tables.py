"""Records of constraints that are switched while a run goes on, and of events that the user states.

What is switched on stands in ``State.active`` behind the flags of the contacts, at ``len(contacts)`` + its number. The
rows of a switch that is off read lam = 0.
"""

from __future__ import annotations

from flexmbs.core.layout.records import NONE, record_type

# kinds of switches: three rows that serve a closed rigid contact; one that holds a sum of coordinates; up to three of
# a joint that sticks by friction (core.layout.friction_tables), whose number is `start`
SLOT, HOLD, FRICTION_HOLD = 0, 1, 2
# State.active of a rigid contact: apart; it carries a load and slides, or does not slide; closed without a load
OPEN, SLIDING, STICKING, RESTING = range(4)
# State.active of what holds a sum of coordinates; of joint friction: FREED (none acts), SLIDING or STICKING
FREED, HELD = 0, 1
# State.active of a slot: 1 + the contact that it serves
UNUSED = 0
# numbers of State.contact_history that belong to a rigid contact, from CONTACT.history_at on: direction of sliding,
# axis of frame b that its tangents are made with, compliance of its rows (where they share a load in no definite way),
# tangents along which it cannot move, its slot
SLIP_X, SLIP_Y, SLIP_Z, TANGENT_AXIS, COMPLIANCE, ROWS_OFF, SLOT_OF, RIGID_HISTORY = range(8)

SWITCH = record_type(
    [
        ("kind", "i8"),
        ("row", "i8"),  # first multiplier
        ("rows", "i8"),
        ("start", "i8"),  # terms of what is held; number of the joint friction
        ("end", "i8"),
        ("anchor_at", "i8"),  # State.contact_history: where it is held
    ],
    anchor_at=NONE,
)
# what an event of the user watches, and how it changes there
RISING, FALLING, BOTH = 1, -1, 0
EVENT = record_type(
    [
        ("sensor", "i8"),
        ("value", "f8"),  # that the sensor crosses
        ("direction", "i8"),
        ("action_start", "i8"),
        ("action_end", "i8"),
        ("repeats", "i8"),  # 1: it stays armed
    ],
)
# kinds of actions
LOCK, FREE, SET, RESTART, STOP, ARM, DISARM = range(7)
ACTION = record_type(
    [("kind", "i8"), ("target", "i8"), ("value", "f8")],
    target=NONE,
)
# kinds of occurrences in the log: an impact or a change of mode of a rigid contact, an event of the user, a lock or
# release
IMPACT, TRANSITION, USER_EVENT, LOCKED, RELEASED = range(5)
NEVER = 1e300  # a margin that cannot vanish at present (core.stepping.switch_events)

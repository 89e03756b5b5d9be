"""Records of constraints that are switched while a run goes on, and of events that the user states.

What is switched on stands in ``State.active`` behind the flags of the contacts, at ``len(contacts)`` + its number. The
rows of a switch that is off read lam = 0.
"""

from flexmbs.core.layout.records import NONE, record_type

# kinds of switches: three rows that serve a closed rigid contact; one that holds a sum of coordinates; the rows of a
# constraint (CONSTRAINT.switch), which the switch does not own; up to three of a joint that sticks by friction
# (core.layout.friction_tables), whose number is `start`
SLOT, HOLD, OF_CONSTRAINT, FRICTION_HOLD = range(4)
# State.active of a rigid contact: apart; it carries a load and slides, or does not slide; closed without a load
OPEN, SLIDING, STICKING, RESTING = range(4)
# State.active of what holds a sum of coordinates; of joint friction: FREED (none acts), SLIDING or STICKING
FREED, HELD = 0, 1
HELD_BY_OTHERS = 4  # its row is off, because it follows from other rows
# State.active of the rows of a constraint (zero before a run: they are in all its assembly)
ACTS, LET_GO = 0, 1
# State.active of a slot: 1 + the contact that it serves
UNUSED = 0
# numbers of State.contact_history that belong to a rigid contact, from CONTACT.history_at on: direction of sliding,
# axis of frame b that its tangents are made with, compliance of its rows (where they share a load in no definite way),
# tangents along which it cannot move, its slot, its multipliers at the end of the last step, the gap that it holds, whether it
# is in a group that rests (core.stepping.rigid.resting_groups), whether it has just begun to slide, its three multipliers at
# the end of the step before
SLIP_X, SLIP_Y, SLIP_Z, TANGENT_AXIS, COMPLIANCE, ROWS_OFF, SLOT_OF, LOAD, LOAD_U, LOAD_V = range(10)
HELD_GAP, IN_RESTING_GROUP, FRESH, LOAD_BEFORE = range(10, 14)
RIGID_HISTORY = LOAD_BEFORE + 3
# the same of a contact that steps in time go through (core.stepping.moreau): mean force of the step on body a, N, world
# axes, and the mode; no slot serves it
STEP_FORCE, STEP_MODE, TIME_STEPPED = SLIP_X, ROWS_OFF, -1

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
        ("sensor", "i8"),  # -1: a time
        ("value", "f8"),  # that the sensor crosses; time, s
        ("direction", "i8"),
        ("action_start", "i8"),
        ("action_end", "i8"),
        ("repeats", "i8"),  # 1: it stays armed
        ("armed", "i8"),  # State.armed at the start
        ("memory_at", "i8"),  # State.contact_history: EVENT_MEMORY numbers
    ],
    sensor=NONE,
)
# State.armed of an event: it cannot happen; it can once its sensor is off the value; its sensor is below or above it
DISARMED, ARMED, BELOW, ABOVE = range(4)
# numbers of State.contact_history that belong to an event: largest distance of the sensor from the value so far, when
# it happened last, and how often at that instant
REACH, LAST_TIME, TIMES_AT_ONCE, EVENT_MEMORY = range(4)
# kinds of actions on a switch, a coordinate (of a variable: its velocity), the run, an event
# or of a rigid stop: where it is hit (its event is followed by that of leaving it), and where it is left
LOCK, FREE, SET, STOP, ARM, DISARM, REBOUND, LEAVE = range(8)
ACTION = record_type(
    [("kind", "i8"), ("target", "i8"), ("value", "f8"), ("sensor", "i8")],  # the sensor, if any, says the value
    target=NONE,
    sensor=NONE,
)
# kinds of occurrences in the log: an impact or a change of mode of a rigid contact, an event of the user, a lock or
# release
IMPACT, TRANSITION, USER_EVENT, LOCKED, RELEASED = range(5)
NEVER = 1e300  # a margin that cannot vanish at present (core.stepping.switch_events)

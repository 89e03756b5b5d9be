"""Records of friction that sticks in joints: a cone of friction forces on one, two or three motions of a joint."""

from flexmbs.core.layout.frames import VECTOR
from flexmbs.core.layout.records import NONE, record_type
from flexmbs.core.layout.switch_tables import COMPLIANCE, RIGID_HISTORY, SLIP_X

# what a normal force is made of: given as a signal; the reaction of a joint along an axis, of a screw, of a ball
GIVEN, AXIAL, THREAD, POINT = range(4)
#: numbers of State.contact_history of each: those of a rigid contact, in N, as far as they have a meaning (direction of
#: sliding, compliance where a load is shared in no definite way, last forces), then where it is held (coordinates, or the
#: nine numbers of a rotation matrix, behind which a spherical joint has those of a contact again: of its third motion)
SLIDES_ALONG, SOFT, ANCHOR = SLIP_X, COMPLIANCE, RIGID_HISTORY
SECOND_PART = ANCHOR + 9
BALL_HISTORY = SECOND_PART + RIGID_HISTORY

JOINT_FRICTION = record_type(
    [
        ("switch", "i8"),
        ("element", "i8"),  # Tables.elements: what it records
        ("motions", "i8"),  # coordinates that share the cone; 0: the rotation of marker b against marker a
        ("first", "i8"),  # coordinates, and their slip per unit: radius (m) of rotations, 1 of translations
        ("second", "i8"),
        ("first_radius", "f8"),
        ("second_radius", "f8"),
        ("a", "i8"),  # markers
        ("b", "i8"),
        ("static", "f8"),
        ("dynamic", "f8"),
        ("load", "i8"),  # GIVEN, AXIAL, THREAD or POINT
        ("signal", "i8"),  # normal force
        ("reaction", "i8"),  # Workspace.reaction
        ("axis", "f8", VECTOR),  # in the axes of marker a
        ("arm", "f8"),  # 1/m: reciprocal length of the bearing; 0: moments press on nothing
        ("axial", "f8"),  # axial force: radius of its faces over that of the others
        ("thread", "f8"),  # m, radius of a thread and its advance per radian
        ("advance", "f8"),
        ("history_at", "i8"),  # State.contact_history
        ("history", "i8"),  # how many numbers
    ],
    first=NONE,
    second=NONE,
    signal=NONE,
    reaction=NONE,
)

"""Records of contact points, of the shapes of groups of contacts, and of groups."""

from flexmbs.core.layout.frames import VECTOR
from flexmbs.core.layout.records import NONE, record_type

CONTACT = record_type(
    [
        ("kind", "i8"),
        ("a", "i8"),
        ("b", "i8"),
        ("radius_a", "f8"),
        ("radius_b", "f8"),
        ("force", "i8"),  # addresses of the functions of the law (core.laws.contact.contact_law)
        ("energy", "i8"),
        ("law", "i8"),  # hash of its name: addresses differ between processes
        ("at", "i8"),  # its parameters in the pool
        ("parameters", "i8"),  # how many
        ("history", "i8"),  # how many numbers of State.contact_history are its own; 0: its law needs none
        ("history_at", "i8"),  # the first of them
        ("begin", "i8"),  # addresses of what sets them at the onset, and at the ends of steps; 0: there is none
        ("update", "i8"),
        ("separation", "i8"),  # AT_ZERO_DEPTH or AT_ZERO_FORCE
        ("jumps", "i8"),  # 1: the force need not be zero at zero depth
        ("always", "i8"),  # 1: SURFACES that act at any gap and have no events (a film of oil)
        ("normal", "f8", VECTOR),  # of the plane, in the axes of marker b
        ("geometry", "i8"),  # address of the geometry of a SHAPE_PAIR or of SURFACES (core.contact.pair_geometry)
        ("pair", "i8"),  # hash of its name
        ("numbers_at", "i8"),  # sizes and places of the shapes in the pool, in the axes of markers a and b
        ("numbers", "i8"),  # how many
        ("friction", "i8"),  # address of the friction (core.laws.friction.contact_friction); 0: there is none
        ("friction_law", "i8"),  # hash of its name
        ("friction_at", "i8"),  # its parameters in the pool
        ("friction_parameters", "i8"),  # how many
        ("bristle", "i8"),  # first coordinate of its bristle states
        ("bristles", "i8"),  # how many
        ("scratch_at", "i8"),  # of surfaces: their part of Workspace.surface (core.contact.surfaces.layout)
        ("scratch", "i8"),  # its length
        ("friction_record", "i8"),  # Workspace.record of its friction; -1: none
        ("group", "i8"),  # group whose pairs it serves in turn (core.contact.groups); -1: it is one pair for ever
        ("rigid", "i8"),  # 1: no law but unilateral constraints (core.contact.rigid); `at`: core.laws.contact.rigid
    ],
    bristle=NONE,
    friction_record=NONE,
    group=NONE,
)
# A sphere or a plane of a group: everything of which can touch everything.
FEATURE = record_type([("marker", "i8"), ("body", "i8"), ("radius", "f8"), ("is_plane", "i8"), ("normal", "f8", VECTOR)])
GROUP = record_type(
    [
        ("start", "i8"),  # its features: spheres, then planes
        ("plane_start", "i8"),
        ("end", "i8"),
        ("slot_start", "i8"),  # its contacts
        ("slot_end", "i8"),
        ("excluded_start", "i8"),  # numbers of the pairs that never touch, in ascending order
        ("excluded_end", "i8"),
    ]
)

"""What a case script says: bodies, markers, joints, forces, contacts."""

from flexmbs.core.laws.contact import Hertz, PowerLaw
from flexmbs.mechanism.composite_body import Part, weld
from flexmbs.mechanism.contacts import Contact, Plane, Point, Sphere
from flexmbs.mechanism.geometry.rotations import EulerAngles, Rotation, rotation
from flexmbs.mechanism.markers import Marker
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.mechanism.rigid_body import RigidBody

__all__ = [
    "Contact", "EulerAngles", "Hertz", "Marker", "Mechanism", "Part", "Plane", "Point", "PowerLaw", "RigidBody", "Rotation",
    "Sphere", "rotation", "weld",
]  # fmt: skip

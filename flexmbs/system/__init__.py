"""What a case script says: bodies, markers, joints, forces, contacts."""

from flexmbs.kernels.laws import Hertz, PowerLaw
from flexmbs.system.composite import Part, weld
from flexmbs.system.contacts import Contact, Plane, Point, Sphere
from flexmbs.system.markers import Marker
from flexmbs.system.rigid import RigidBody
from flexmbs.system.rotations import EulerAngles, Rotation, rotation
from flexmbs.system.system import System

__all__ = [
    "Contact", "EulerAngles", "Hertz", "Marker", "Part", "Plane", "Point", "PowerLaw", "RigidBody", "Rotation",
    "Sphere", "System", "rotation", "weld",
]  # fmt: skip

"""What a case script says: bodies, markers, joints, forces, contacts."""

from flexmbs.kernels.laws import Hertz, PowerLaw
from flexmbs.system.contacts import Contact, Plane, Point, Sphere
from flexmbs.system.markers import Marker
from flexmbs.system.rigid import RigidBody
from flexmbs.system.system import System

__all__ = ["Contact", "Hertz", "Marker", "Plane", "Point", "PowerLaw", "RigidBody", "Sphere", "System"]

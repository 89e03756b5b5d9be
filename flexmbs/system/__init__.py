"""What a case script says: bodies, markers, joints, forces, contacts."""

from flexmbs.system.contacts import Contact, Hertz, Plane, Point, PowerLaw, Sphere
from flexmbs.system.markers import Marker
from flexmbs.system.rigid import RigidBody
from flexmbs.system.system import System

__all__ = ["Contact", "Hertz", "Marker", "Plane", "Point", "PowerLaw", "RigidBody", "Sphere", "System"]

"""Joint types by name; a new joint is one new file and one line here."""

from flexmbs.system.joints.base import Axis, JointType
from flexmbs.system.joints.fixed import fixed
from flexmbs.system.joints.free import free
from flexmbs.system.joints.mass_point import mass_point
from flexmbs.system.joints.prismatic import prismatic
from flexmbs.system.joints.revolute import revolute
from flexmbs.system.joints.spherical import spherical

JOINT_TYPES = {joint.__name__: joint for joint in (fixed, free, prismatic, revolute, spherical)}

__all__ = ["JOINT_TYPES", "Axis", "JointType", "fixed", "free", "mass_point", "prismatic", "revolute", "spherical"]

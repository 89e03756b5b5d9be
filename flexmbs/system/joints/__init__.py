"""Joint types by name; a new joint is one new file and two lines here."""

from flexmbs.system.joints.base import Axis, JointType
from flexmbs.system.joints.cam_roller import cam_roller
from flexmbs.system.joints.constant_velocity import constant_velocity
from flexmbs.system.joints.curve_on_curve import curve_on_curve
from flexmbs.system.joints.cylindrical import cylindrical
from flexmbs.system.joints.fixed import fixed
from flexmbs.system.joints.follow_curve import follow_curve
from flexmbs.system.joints.free import free
from flexmbs.system.joints.inline import inline
from flexmbs.system.joints.inplane import inplane
from flexmbs.system.joints.mass_point import mass_point
from flexmbs.system.joints.orientation import orientation
from flexmbs.system.joints.parallel import parallel
from flexmbs.system.joints.perpendicular import perpendicular
from flexmbs.system.joints.planar import planar
from flexmbs.system.joints.point_on_curve import point_on_curve
from flexmbs.system.joints.point_on_surface import point_on_surface
from flexmbs.system.joints.prismatic import prismatic
from flexmbs.system.joints.revolute import revolute
from flexmbs.system.joints.screw import screw
from flexmbs.system.joints.spherical import spherical
from flexmbs.system.joints.universal import universal

JOINT_TYPES = {
    joint.__name__: joint
    for joint in (
        cam_roller, constant_velocity, curve_on_curve, cylindrical, fixed, follow_curve, free, inline,
        inplane, orientation, parallel, perpendicular, planar, point_on_curve, point_on_surface, prismatic,
        revolute, screw, spherical, universal,
    )
}  # fmt: skip

__all__ = [
    "JOINT_TYPES", "Axis", "JointType", "cam_roller", "constant_velocity", "curve_on_curve", "cylindrical",
    "fixed", "follow_curve", "free", "inline", "inplane", "mass_point", "orientation", "parallel",
    "perpendicular", "planar", "point_on_curve", "point_on_surface", "prismatic", "revolute", "screw",
    "spherical", "universal",
]  # fmt: skip

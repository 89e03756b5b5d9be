"""Joint types by name; a new joint is one new file and two lines here."""

from flexmbs.mechanism.joints.cam_roller import cam_roller
from flexmbs.mechanism.joints.constant_velocity import constant_velocity
from flexmbs.mechanism.joints.curve_on_curve import curve_on_curve
from flexmbs.mechanism.joints.cylindrical import cylindrical
from flexmbs.mechanism.joints.fixed import fixed
from flexmbs.mechanism.joints.follow_curve import follow_curve
from flexmbs.mechanism.joints.free import free
from flexmbs.mechanism.joints.inline import inline
from flexmbs.mechanism.joints.inplane import inplane
from flexmbs.mechanism.joints.joint_type import Axis, JointType
from flexmbs.mechanism.joints.mass_point import mass_point
from flexmbs.mechanism.joints.orientation import orientation
from flexmbs.mechanism.joints.parallel import parallel
from flexmbs.mechanism.joints.perpendicular import perpendicular
from flexmbs.mechanism.joints.planar import planar
from flexmbs.mechanism.joints.point_on_curve import point_on_curve
from flexmbs.mechanism.joints.point_on_surface import point_on_surface
from flexmbs.mechanism.joints.prismatic import prismatic
from flexmbs.mechanism.joints.revolute import revolute
from flexmbs.mechanism.joints.screw import screw
from flexmbs.mechanism.joints.spherical import spherical
from flexmbs.mechanism.joints.universal import universal

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

"""Joint types by name. A new joint is one new file here and one line below; all functions imported are in the table."""

# ruff: noqa: F401  (the table takes what is imported)
import inspect
from collections.abc import Callable

from flexmbs.mechanism.joint_type import JointType
from flexmbs.mechanism.joints.cam_roller import cam_roller
from flexmbs.mechanism.joints.constant_velocity import constant_velocity
from flexmbs.mechanism.joints.curve_on_curve import curve_on_curve
from flexmbs.mechanism.joints.cylindrical import cylindrical
from flexmbs.mechanism.joints.fixed import fixed
from flexmbs.mechanism.joints.follow_curve import follow_curve
from flexmbs.mechanism.joints.free import free
from flexmbs.mechanism.joints.inline import inline
from flexmbs.mechanism.joints.inplane import inplane
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
from flexmbs.mechanism.joints.telescopic_shaft import telescopic_shaft
from flexmbs.mechanism.joints.universal import universal

JOINT_TYPES: dict[str, Callable[..., JointType]] = {
    name: function for name, function in vars().copy().items() if inspect.isfunction(function)
}

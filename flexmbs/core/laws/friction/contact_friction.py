"""What every friction of a contact is to compiled code."""

from __future__ import annotations

from flexmbs.machine_code.entry import interface
from flexmbs.machine_code.signature import Floats


@interface
def contact_friction(parameters: Floats, normal_force: float, motion: Floats, bristles: Floats, out: Floats) -> None:
    """Friction on body a at a contact point with a ``normal_force`` (N).

    ``motion`` (9,): slip velocity u of a relative to b (3, m/s, tangential), angular velocity of a relative to b
    (3, rad/s), unit normal n from b to a (3). ``bristles`` (k,): states of the law. ``out`` (6 + k,): force (3, N) and
    moment about the contact point (3, N m) on a, rates of the bristles (k). World axes.
    """

"""Contact laws: one file each, with the class that users write and the compiled force and energy.

A new law is a new file, and its lines here: the import, a number, and a branch in each of the two functions.
"""

from __future__ import annotations

from flexmbs.core.abi.kernel import kernel
from flexmbs.core.laws.contact.base import ContactLaw
from flexmbs.core.laws.contact.power_law import Hertz, PowerLaw, power_energy, power_force

LAWS = (PowerLaw,)  # the number of a law is its place here
POWER = 0


@kernel
def law_force(contact, depth):
    """Force (N) of a contact record at penetration ``depth`` >= 0 (m)."""
    if contact.law == POWER:
        return power_force(contact.p0, contact.p1, depth)
    return 0.0


@kernel
def law_energy(contact, depth):
    """Elastic energy (J) of a contact record at penetration ``depth`` >= 0 (m)."""
    if contact.law == POWER:
        return power_energy(contact.p0, contact.p1, depth)
    return 0.0


def law_number(law: ContactLaw) -> int:
    """Number under which compiled code knows the law of this object."""
    return next(number for number, kind in enumerate(LAWS) if isinstance(law, kind))


__all__ = ["LAWS", "ContactLaw", "Hertz", "PowerLaw", "law_energy", "law_force", "law_number"]

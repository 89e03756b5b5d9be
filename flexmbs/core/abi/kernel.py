"""The decorators of the core (:mod:`flexmbs.machine_code`)."""

from flexmbs.machine_code.entry import Entry, Interface, entry, interface
from flexmbs.machine_code.kernel import kernel

__all__ = ["Entry", "Interface", "entry", "interface", "kernel"]

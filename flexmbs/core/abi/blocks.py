"""Groups of arrays that compiled code receives as one pointer (:mod:`flexmbs.machine_code.blocks`)."""

from flexmbs.machine_code.blocks import Block

__all__ = ["Block"]

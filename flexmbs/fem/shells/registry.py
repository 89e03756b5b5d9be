"""The shell elements that there are: one line for each.

An element is a module with

- ``KIND``, a name in ``element_kinds.KINDS``;
- ``POINTS`` (g, 2), its integration points, ``rule(group)``, their geometry and areas;
- ``TO_CORNERS`` (n, g), values at the points to the nodes;
- either ``SAMPLING`` (``assumed_strains.py``: all strains are sampled), or ``EDGES``, ``tied_strains`` and
  ``membrane_strains`` (transverse shear along edges is sampled).
"""

from __future__ import annotations

from types import ModuleType

from flexmbs.fem.shells import quad4, quad8, quad9, tri3, tri6

SHELLS: dict[str, ModuleType] = {element.KIND: element for element in (tri3, tri6, quad4, quad8, quad9)}
SHELL_KINDS = tuple(SHELLS)

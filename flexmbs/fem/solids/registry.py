"""The solid elements that there are: one line for each."""

from __future__ import annotations

from flexmbs.fem.solids.hex8 import HEX8
from flexmbs.fem.solids.hex20 import HEX20
from flexmbs.fem.solids.pyramid5 import PYRAMID5
from flexmbs.fem.solids.pyramid13 import PYRAMID13
from flexmbs.fem.solids.solid_quadrature import SolidElement
from flexmbs.fem.solids.tet4 import TET4
from flexmbs.fem.solids.tet10 import TET10
from flexmbs.fem.solids.wedge6 import WEDGE6
from flexmbs.fem.solids.wedge15 import WEDGE15

SOLIDS: dict[str, SolidElement] = {
    element.kind: element for element in (TET4, TET10, PYRAMID5, PYRAMID13, WEDGE6, WEDGE15, HEX8, HEX20)
}

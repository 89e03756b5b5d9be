"""Types of what pictures draw: results and descriptions, or whatever has their attributes.

These classes stand above view, which sees them only when types are checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flexmbs.analysis.description.description import Description as DrawableDescription
    from flexmbs.result.result import Result as DrawableResult
    from flexmbs.result.spectrum import Spectrum as DrawableSpectrum
    from flexmbs.result.structure import BodyRecord as DrawableBody
    from flexmbs.result.structure import JointRecord as DrawableJoint
    from flexmbs.result.structure import LinkRecord as DrawableLink
    from flexmbs.result.structure import MarkerRecord as DrawableMarker
    from flexmbs.result.structure import Structure as DrawableStructure
    from flexmbs.result.trajectory import ContactRecord as DrawableTouch
else:
    DrawableBody = DrawableDescription = DrawableJoint = DrawableLink = DrawableMarker = Any
    DrawableResult = DrawableSpectrum = DrawableStructure = DrawableTouch = Any

__all__ = [
    "DrawableBody",
    "DrawableDescription",
    "DrawableJoint",
    "DrawableLink",
    "DrawableMarker",
    "DrawableResult",
    "DrawableSpectrum",
    "DrawableStructure",
    "DrawableTouch",
]

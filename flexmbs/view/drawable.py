"""What pictures draw, as annotations name it: whatever has the attributes of results and descriptions.

Their classes stand above view, which therefore does not import them; each name says whose attributes are meant.
"""

from __future__ import annotations

from typing import Any

DrawableResult = Any  # flexmbs.Result
DrawableStructure = Any  # flexmbs.result.structure.Structure
DrawableBody = Any  # flexmbs.result.structure.BodyRecord
DrawableMarker = Any  # flexmbs.result.structure.MarkerRecord
DrawableJoint = Any  # flexmbs.result.structure.JointRecord
DrawableLink = Any  # flexmbs.result.structure.LinkRecord
DrawableTouch = Any  # flexmbs.result.trajectory.ContactRecord
DrawableSpectrum = Any  # flexmbs.result.spectrum.Spectrum
DrawableDescription = Any  # flexmbs.Description

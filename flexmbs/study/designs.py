"""What evaluations need to know of how the points of a study were chosen."""

from __future__ import annotations

from flexmbs.study.evaluation.sensitivity.designs import MorrisDesign, SobolDesign
from flexmbs.study.space.points import Points
from flexmbs.study.space.salib_samplers import Morris, SobolIndices
from flexmbs.study.space.samplers import Sampler


def design_of(sampler: Sampler, points: Points) -> SobolDesign | MorrisDesign | None:
    """The design of a sample that was made for sensitivity indices; None for any other sample."""
    names = points.space.names
    if isinstance(sampler, SobolIndices):
        return SobolDesign(names, len(points), sampler.second_order)
    if isinstance(sampler, Morris):
        assert points.unit is not None
        return MorrisDesign(names, points.unit, sampler.levels)
    return None

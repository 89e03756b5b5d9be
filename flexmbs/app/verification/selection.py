"""The cases that ``flexmbs verify`` runs: about a minute in all."""

from __future__ import annotations

from collections.abc import Sequence

from flexmbs.app.verification.cases import (
    closed_loops,
    flexible_pendulum,
    hertz_impact,
    integrator_orders,
    nafems,
    rigid_rotation,
    rotating_beam,
    simple_pendulum,
    small_mechanisms,
)
from flexmbs.app.verification.verification_case import VerificationCase
from flexmbs.common.errors import CaseError

VERIFICATION_CASES: tuple[VerificationCase, ...] = (
    simple_pendulum.SIMPLE_PENDULUM,
    rigid_rotation.HEAVY_TOP,
    closed_loops.FOUR_BAR,
    closed_loops.SPATIAL_SLIDER_CRANK,
    closed_loops.SQUEEZER,
    closed_loops.FLEXIBLE_SLIDER_CRANK,
    flexible_pendulum.FREE,
    flexible_pendulum.IMPACT,
    hertz_impact.HERTZ_IMPACT,
    rotating_beam.ROTATING_BEAM,
    rotating_beam.SPIN_UP_BEAM,
    nafems.FV52,
    nafems.LE10,
    integrator_orders.INTEGRATOR_ORDERS,
    small_mechanisms.SLIDING_BLOCK,
    small_mechanisms.BOUNCING_BALL,
    small_mechanisms.SPRING_DAMPER,
    small_mechanisms.STUDY,
    small_mechanisms.FILES,
)


def selected_cases(patterns: Sequence[str] = ()) -> tuple[VerificationCase, ...]:
    """The cases whose names contain one of ``patterns``; without any, all. CaseError for a pattern that fits none."""
    for pattern in patterns:
        if not any(pattern in case.name for case in VERIFICATION_CASES):
            names = ", ".join(case.name for case in VERIFICATION_CASES)
            raise CaseError(f"no verification case has {pattern!r} in its name; there are {names}")
    return tuple(case for case in VERIFICATION_CASES if not patterns or any(pattern in case.name for pattern in patterns))

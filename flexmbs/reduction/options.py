"""What the user chooses: which modes, which second-order pairs, which damping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmbs.errors import BodyError


@dataclass(frozen=True, kw_only=True)
class ModeChoice:
    """How many modes are kept. Either ``count`` and/or ``max_frequency``, or a number of each kind.

    Attributes
    ----------
    count : the lowest ``count`` modes
    max_frequency : Hz; all modes up to it (with ``count``: at most that many)
    bending : n (the lowest n bending modes, whatever their plane) or (n1, n2): numbers of modes displacing along
        the two mesh axes across the body's long axis, in the order x, y, z; for a body along x: (ny, nz)
    axial, torsion : numbers of modes of these kinds
    """

    count: int | None = None
    max_frequency: float | None = None
    bending: int | tuple[int, int] | None = None
    axial: int | None = None
    torsion: int | None = None

    @property
    def by_kind(self) -> bool:
        return not (self.bending is None and self.axial is None and self.torsion is None)

    def check(self) -> None:
        """Raise BodyError when the choice is empty, contradictory or not a number of modes."""
        by_number = self.count is not None or self.max_frequency is not None
        if by_number == self.by_kind:
            raise BodyError(
                f"{type(self).__name__}: choose modes either by count and/or max_frequency (Hz), or by bending, axial "
                f"and torsion{'; both were given' if by_number else '; nothing was given'}"
            )
        bending = (self.bending,) if np.ndim(self.bending) == 0 else tuple(self.bending)
        if np.ndim(self.bending) and len(bending) != 2:
            raise BodyError(f"{type(self).__name__}: bending is a number or a pair (ny, nz), not {self.bending!r}")
        for name, numbers in {
            "count": (self.count,), "bending": bending, "axial": (self.axial,), "torsion": (self.torsion,)
        }.items():
            for number in numbers:
                if number is not None and (isinstance(number, bool) or int(number) != number or number < 0):
                    raise BodyError(f"{type(self).__name__}: {name} is a whole number of modes >= 0, not {number!r}")
        if self.max_frequency is not None and not 0.0 < self.max_frequency < np.inf:
            raise BodyError(f"{type(self).__name__}: max_frequency is > 0, in Hz, not {self.max_frequency!r}")


@dataclass(frozen=True)
class ClampedFree(ModeChoice):
    """Modes of the body held at one interface; the body frame is fixed to that interface's marker.

    ``at`` names the interface; the other attributes are those of ``ModeChoice``.
    """

    at: str


@dataclass(frozen=True)
class FreeFree(ModeChoice):
    """Modes of the free body; the body frame follows the mean motion (Buckens frame, mean axes)."""


@dataclass(frozen=True)
class SecondOrder:
    """Which second-order displacement fields are kept.

    Attributes
    ----------
    pairs : "all", or pairs (a, b) of mode indices (from 0, a <= b)
    tolerance : largest error of an inertia integral that a second-order field takes part in, relative to the body's own
        inertia, for motions up to the energy of the first mode deflected by ``deflection``.  The default leaves every
        term that double precision can show in a motion; 1e-6 makes bodies with many modes several times cheaper.
    deflection : part of the body's size (the diagonal of its bounding box); None: the tolerance is relative to the
        norms of the two fields of each integral, however small these are
    """

    pairs: str | Sequence[tuple[int, int]] = "all"
    tolerance: float = 1e-10
    deflection: float | None = 0.3

    def resolve(self, mode_count: int) -> np.ndarray:
        """The pairs as (npairs, 2) int with a <= b, sorted and unique."""
        if isinstance(self.pairs, str):
            if self.pairs != "all":
                raise BodyError(f'SecondOrder: pairs is "all" or a list of (a, b), not {self.pairs!r}')
            return np.column_stack(np.triu_indices(mode_count)).astype(np.int64)
        pairs = np.asarray(list(self.pairs), dtype=np.int64).reshape(-1, 2)
        if pairs.size and (pairs.min() < 0 or pairs.max() >= mode_count):
            raise BodyError(f"SecondOrder: pairs name modes 0 to {mode_count - 1}; got {pairs.min()} to {pairs.max()}")
        return np.unique(np.sort(pairs, axis=1), axis=0).reshape(-1, 2)


def second_order_choice(option: str | SecondOrder) -> SecondOrder:
    """``"full"``, ``"none"`` or a SecondOrder -> SecondOrder."""
    if isinstance(option, SecondOrder):
        return option
    named = {"full": SecondOrder(), "none": SecondOrder(pairs=())}
    if option not in named:
        raise BodyError(f'second_order is "full", "none" or SecondOrder(pairs=...), not {option!r}')
    return named[option]

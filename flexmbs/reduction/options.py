"""What the user chooses: which modes, which second-order pairs, which damping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from flexmbs.common.errors import BodyError


@dataclass(frozen=True, kw_only=True)
class ModeChoice:
    """How many modes are kept. By ``count``, ``max_frequency``, ``effective_mass``, or a number of each kind.

    Attributes
    ----------
    count : the lowest ``count`` modes
    max_frequency : Hz; all modes up to it (with ``count``: at most that many)
    effective_mass : the lowest modes that together move this part (0 to 1) of the body's mass along each mesh axis
        (with ``count``: at most that many); not for free bodies, whose modes move none
    bending : n (the lowest n bending modes, whatever their plane) or (n1, n2): numbers of modes displacing along
        the two mesh axes across the body's long axis, in the order x, y, z; for a body along x: (ny, nz)
    axial, torsion : numbers of modes of these kinds
    static : StaticModes added to them, or None
    """

    count: int | None = None
    max_frequency: float | None = None
    effective_mass: float | None = None
    bending: int | tuple[int, int] | None = None
    axial: int | None = None
    torsion: int | None = None
    static: StaticModes | None = None

    @property
    def frame(self) -> str | None:
        """Name of the interface that the body frame is fixed to; None: mean axes."""
        return None

    @property
    def by_kind(self) -> bool:
        """Whether modes are chosen by kind: bending, axial, torsion."""
        return not (self.bending is None and self.axial is None and self.torsion is None)

    def check(self) -> None:
        """Raise BodyError when the choice is empty, contradictory or not a number of modes."""
        by_number = not (self.count is None and self.max_frequency is None and self.effective_mass is None)
        if by_number == self.by_kind:
            raise BodyError(
                f"{type(self).__name__}: choose modes either by count, max_frequency (Hz) or effective_mass, or by "
                f"bending, axial and torsion{'; both were given' if by_number else '; nothing was given'}"
            )
        if self.max_frequency is not None and self.effective_mass is not None:
            raise BodyError(f"{type(self).__name__}: give max_frequency or effective_mass, not both")
        if self.effective_mass is not None and not 0.0 < self.effective_mass < 1.0:
            raise BodyError(
                f"{type(self).__name__}: effective_mass is a part of the mass above 0 and below 1, not "
                f"{self.effective_mass!r}"
            )
        if self.static is not None and not isinstance(self.static, StaticModes):
            raise BodyError(f"{type(self).__name__}: static is StaticModes(...), not {self.static!r}")
        bending = (self.bending,) if np.ndim(self.bending) == 0 else tuple(self.bending)
        if np.ndim(self.bending) and len(bending) != 2:
            raise BodyError(f"{type(self).__name__}: bending is a number or a pair (ny, nz), not {self.bending!r}")
        for name, numbers in {
            "count": (self.count,),
            "bending": bending,
            "axial": (self.axial,),
            "torsion": (self.torsion,),
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

    @property
    def frame(self) -> str:
        return self.at


@dataclass(frozen=True)
class FreeFree(ModeChoice):
    """Modes of the free body; the body frame follows the mean motion (Buckens frame, mean axes).

    ``attachment=True`` adds the static response to a unit force and moment at every interface, less what the modes
    show of it (residual attachment modes; loads that are not in balance are carried by the body's inertia).
    """

    attachment: bool = False


@dataclass(frozen=True)
class CraigBampton(ModeChoice):
    """Static constraint modes of the kept interfaces and modes of the body held at all of them.

    The body frame is fixed to the marker of ``at``. Each kept interface contributes the response to a unit
    displacement and rotation of its marker along every axis, all other markers held; ``count``, ``max_frequency``...
    choose among the modes with all markers held (R. R. Craig and M. C. C. Bampton, AIAA Journal 6, 1968).

    Attributes
    ----------
    at : name of the interface that holds the frame
    keep : names of the other interfaces that are kept; None: all
    frequency_tolerance : static responses to the inertia forces of frame and interfaces are added, at most six for
        each, where the modes held at all markers miss so much of them that free frequencies up to half the highest held
        one would be off by more than about this part; None: none are added
    """

    at: str
    keep: Sequence[str] | None = None
    frequency_tolerance: float | None = 1e-4

    @property
    def frame(self) -> str:
        return self.at

    def check(self) -> None:
        super().check()
        if self.frequency_tolerance is not None and not 0.0 < self.frequency_tolerance < 1.0:
            raise BodyError(
                "CraigBampton: frequency_tolerance is a part above 0 and below 1, or None, not "
                f"{self.frequency_tolerance!r}"
            )


@dataclass(frozen=True)
class Patch:
    """A part of the surface on which contact or pressure may act anywhere.

    Its static modes are the responses to pressure that is uniform or varies linearly (three modes on a flat patch; six
    with tractions along it), and to the ``count`` finer patterns that the body yields most to, besides what its other
    modes show. A load on a small part of the patch wants many: its deflection converges with the finest pattern.

    Attributes
    ----------
    set : node set of the mesh: the outer faces all of whose nodes are in it
    point, radius : instead of a set, (x, y, z) and a distance, m: the outer faces whose middles lie within
    count : number of finer patterns
    tangential : True: tractions along the surface (friction) as well as pressure
    """

    set: str | None = None
    point: tuple[float, float, float] | None = None
    radius: float | None = None
    count: int = 6
    tangential: bool = False

    def check(self, where: str) -> None:
        """Raise BodyError unless it is one place and a number of patterns."""
        if (self.set is None) == (self.point is None) or (self.point is None) != (self.radius is None):
            raise BodyError(f"{where}: give either set, or point and radius")
        if self.point is not None and (np.shape(self.point) != (3,) or not np.all(np.isfinite(self.point))):
            raise BodyError(f"{where}: point is three finite coordinates in m, not {self.point!r}")
        if self.radius is not None and not 0.0 < self.radius < np.inf:
            raise BodyError(f"{where}: radius is > 0, in m, not {self.radius!r}")
        if isinstance(self.count, bool) or int(self.count) != self.count or self.count < 0:
            raise BodyError(f"{where}: count is a whole number of patterns >= 0, not {self.count!r}")


@dataclass(frozen=True)
class StaticModes:
    """Static responses that are added to the modes of a body, held as for its modes.

    Attributes
    ----------
    interfaces : names of interfaces: the responses to unit forces and moments at their markers along every axis
    acceleration : True adds the responses to the inertia forces of the accelerating frame (and of the constraint modes
        of CraigBampton): what modes above the highest kept one would add. Of no use to free bodies.
    loads : name of a load case -> {node number of the mesh file: (fx, fy, fz)}, N; only directions and ratios count
    patches : name -> Patch, a part of the surface on which contact or pressure may act anywhere
    """

    interfaces: Sequence[str] = ()
    acceleration: bool = False
    loads: Mapping[str, Mapping[int, tuple[float, float, float]]] = field(default_factory=dict, repr=False)
    patches: Mapping[str, Patch] = field(default_factory=dict)


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
    field_tolerance : None keeps a field for every pair. A number (1e-8 to 0.1) replaces them by fewer fields, with
        quadratic forms of the modal coordinates as their coordinates, where half as many are enough: no second-order
        displacement is off by more than this part of the body's radius of gyration (root mean square over the mass,
        and at every marker, rotations times the body's size) for any motion up to the energy that ``deflection``
        states; ``body.inertia.field_error`` says by how much at most. Bodies with many modes then take less time and
        memory; ``deflection`` should be what the body really does: most fields vanish below the tolerance.
    """

    pairs: str | Sequence[tuple[int, int]] = "all"
    tolerance: float = 1e-10
    deflection: float | None = 0.3
    field_tolerance: float | None = None

    def check(self) -> None:
        """Raise BodyError when a number is out of its range."""
        if self.field_tolerance is not None and not 1e-8 <= self.field_tolerance <= 0.1:
            raise BodyError(
                f"SecondOrder: field_tolerance is None or a number from 1e-8 to 0.1, not {self.field_tolerance!r}"
            )
        if self.field_tolerance is not None and self.deflection is None:
            raise BodyError("SecondOrder: field_tolerance holds up to a deflection; give deflection as well")

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
        option.check()
        return option
    named = {"full": SecondOrder(), "none": SecondOrder(pairs=())}
    if option not in named:
        raise BodyError(f'second_order is "full", "none" or SecondOrder(pairs=...), not {option!r}')
    return named[option]

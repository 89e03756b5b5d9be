"""Options of a reduction: which modes, which contact patches, which second-order pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np

from flexmbs.common.errors import BodyError

MOTIONS = ("x", "y", "z", "rot x", "rot y", "rot z")
PATCH_KINDS = ("plain", "attachment", "massless")
#: Largest deflection that bounds of errors assume, relative to the size of the body.
DEFLECTION = 0.3


def unit_vector(given: object) -> np.ndarray | None:
    """(3,) along ``given``; None unless it is (x, y, z) other than zero."""
    vector = np.asarray(given, dtype=float)
    length = np.linalg.norm(vector) if vector.shape == (3,) else np.nan
    return vector / length if np.isfinite(length) and length > 0.0 else None


@dataclass(frozen=True, kw_only=True)
class ModeChoice:
    """Which modes are kept: by ``count``, ``max_frequency``, ``effective_mass``, or a number of each kind.

    Attributes
    ----------
    count : the lowest ``count`` modes
    max_frequency : Hz; all modes up to it (with ``count``: at most that many)
    effective_mass : the lowest modes that together have this share (0 to 1) of the body's mass along each mesh axis
        (with ``count``: at most that many); not for free bodies, whose modes have no effective mass
    bending : n (the lowest n bending modes in any plane) or (n1, n2): numbers of modes with displacements along
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
        """Name of the interface that the body frame is fixed to, ``at`` of choices that have it; None: mean axes."""
        return getattr(self, "at", None)

    @property
    def by_kind(self) -> bool:
        """Whether modes are chosen by kind: bending, axial, torsion."""
        return not (self.bending is None and self.axial is None and self.torsion is None)

    def check(self) -> None:
        """Raise BodyError if the choice is empty, contradictory or not a valid number of modes."""
        by_number = not (self.count is None and self.max_frequency is None and self.effective_mass is None)
        if by_number == self.by_kind:
            self.refuse(
                "choose modes either by count, max_frequency (Hz) or effective_mass, or by bending, axial and torsion"
                + ("; both were given" if by_number else "; nothing was given")
            )
        if self.max_frequency is not None and self.effective_mass is not None:
            self.refuse("give max_frequency or effective_mass, not both")
        if self.effective_mass is not None and not 0.0 < self.effective_mass < 1.0:
            self.refuse(f"effective_mass must be a share of the mass above 0 and below 1, not {self.effective_mass!r}")
        if self.static is not None and not isinstance(self.static, StaticModes):
            self.refuse(f"static must be StaticModes(...), not {self.static!r}")
        bending = (self.bending,) if np.ndim(self.bending) == 0 else tuple(self.bending)
        if np.ndim(self.bending) and len(bending) != 2:
            self.refuse(f"bending must be a number or a pair (ny, nz), not {self.bending!r}")
        numbers = [("count", self.count), *(("bending", n) for n in bending), ("axial", self.axial), ("torsion", self.torsion)]
        for name, number in numbers:
            if number is not None and (isinstance(number, bool) or int(number) != number or number < 0):
                self.refuse(f"{name} must be a whole number of modes >= 0, not {number!r}")
        if self.max_frequency is not None and not 0.0 < self.max_frequency < np.inf:
            self.refuse(f"max_frequency must be > 0, in Hz, not {self.max_frequency!r}")

    def refuse(self, why: str) -> NoReturn:
        """Raise BodyError that names the choice."""
        raise BodyError(f"{type(self).__name__}: {why}")


@dataclass(frozen=True)
class ClampedFree(ModeChoice):
    """Modes of the body held at one interface; the body frame is fixed to that interface's marker.

    ``at`` names the interface; the other attributes are those of ``ModeChoice``.
    """

    at: str


@dataclass(frozen=True)
class FreeFree(ModeChoice):
    """Modes of the free body; the body frame follows the mean motion (Buckens frame, mean axes).

    ``attachment=True`` adds the static response to a unit force and moment at every interface, minus the part that the
    modes already represent (residual attachment modes; the inertia of the body carries unbalanced loads).
    """

    attachment: bool = False


@dataclass(frozen=True)
class CraigBampton(ModeChoice):
    """Static constraint modes of the kept interfaces, and modes of the body clamped at all of them.

    The body frame is fixed to the marker of ``at``. Each kept interface contributes the responses to unit
    displacements and rotations of its marker along every axis, with all other markers clamped; ``count``,
    ``max_frequency``... select among the modes with all markers clamped (R. R. Craig and M. C. C. Bampton, AIAA
    Journal 6, 1968).

    Attributes
    ----------
    at : name of the interface that holds the frame
    keep : names of the other interfaces that are kept; None: all
    frequency_tolerance : static responses to the inertia forces of frame and interfaces are added, at most six for
        each, if the fixed-interface modes miss so much of them that free frequencies up to half the highest
        fixed-interface frequency would have a relative error above this (approximately); None: none are added
    """

    at: str
    keep: Sequence[str] | None = None
    frequency_tolerance: float | None = 1e-4

    def check(self) -> None:
        super().check()
        if self.frequency_tolerance is not None and not 0.0 < self.frequency_tolerance < 1.0:
            self.refuse(
                f"frequency_tolerance must be a relative error above 0 and below 1, or None, not {self.frequency_tolerance!r}"
            )


@dataclass(frozen=True)
class Patch:
    """A part of the surface on which contact or pressure may act anywhere.

    Its static modes are the responses to uniform and linearly varying pressure (three modes on a flat patch; six
    with tangential tractions), and to the ``count`` finer patterns under which the body deforms most beyond what its
    other modes represent. A load on a small part of the patch needs many: its deflection converges with the finest
    pattern.

    Attributes
    ----------
    set : node set of the mesh: the outer faces with all nodes in it
    point, radius : instead of a set, (x, y, z) and a distance, m: the outer faces with centres within this distance
    count : number of finer patterns
    tangential : True: tractions along the surface (friction) in addition to pressure
    """

    set: str | None = None
    point: tuple[float, float, float] | None = None
    radius: float | None = None
    count: int = 6
    tangential: bool = False

    def check(self, where: str) -> None:
        """Raise BodyError unless the location and the number of patterns are valid."""
        if (self.set is None) == (self.point is None) or (self.point is None) != (self.radius is None):
            raise BodyError(f"{where}: give either set, or point and radius")
        if self.point is not None and (np.shape(self.point) != (3,) or not np.all(np.isfinite(self.point))):
            raise BodyError(f"{where}: point must be three finite coordinates in m, not {self.point!r}")
        if self.radius is not None and not 0.0 < self.radius < np.inf:
            raise BodyError(f"{where}: radius must be > 0, in m, not {self.radius!r}")
        if isinstance(self.count, bool) or int(self.count) != self.count or self.count < 0:
            raise BodyError(f"{where}: count must be a whole number of patterns >= 0, not {self.count!r}")


@dataclass(frozen=True)
class StaticModes:
    """Static responses that are added to the modes of a body, with the same supports.

    Attributes
    ----------
    interfaces : names of interfaces: the responses to unit forces and moments at their markers along every axis
    acceleration : True adds the responses to the inertia forces of the accelerating frame (and of the constraint modes
        of CraigBampton): what modes above the highest kept one would add. Has no effect on free bodies.
    loads : name of a load case -> {node number of the mesh file: (fx, fy, fz)}, N; only directions and ratios matter
    patches : name -> Patch, a part of the surface on which contact or pressure may act anywhere
    """

    interfaces: Sequence[str] = ()
    acceleration: bool = False
    loads: Mapping[str, Mapping[int, tuple[float, float, float]]] = field(default_factory=dict, repr=False)
    patches: Mapping[str, Patch] = field(default_factory=dict)


@dataclass(frozen=True)
class ContactPatch:
    """How an interface yields under contact forces (``reduce(contact_patches={"tip": ContactPatch("massless")})``).

    Attributes
    ----------
    kind : "massless": the residual flexibility of the patch without inertia, solved with the contact at every instant;
        "attachment": the static response with its inertia, one more mode; "plain": the modes alone
    directions : "x", "y", "z", "rot x", "rot y", "rot z" (mesh axes), or (x, y, z) of a force: loads on the marker
    """

    kind: str = "massless"
    directions: Sequence[str | tuple[float, float, float]] = ("x", "y", "z")

    def check(self, where: str) -> None:
        """Raise BodyError unless kind and directions are valid."""
        if self.kind not in PATCH_KINDS:
            raise BodyError(f"{where}: kind must be {', '.join(map(repr, PATCH_KINDS))}, not {self.kind!r}")
        if not len(self.directions) or isinstance(self.directions, str):
            raise BodyError(f'{where}: directions must be a list such as ("x", "y", "z"), not {self.directions!r}')
        self.loads(where)

    def loads(self, where: str) -> np.ndarray:
        """(6, k) forces and moments on the marker, mesh axes, of unit size."""
        return np.column_stack([_load(given, where) for given in self.directions])

    @property
    def names(self) -> tuple[str, ...]:
        """A name of each direction."""
        return tuple(given if isinstance(given, str) else str(tuple(given)) for given in self.directions)


def _load(given: str | tuple[float, float, float], where: str) -> np.ndarray:
    if isinstance(given, str):
        if given not in MOTIONS:
            raise BodyError(f"{where}: direction {given!r} is none of {', '.join(MOTIONS)}; or give (x, y, z)")
        return np.eye(6)[MOTIONS.index(given)]
    force = unit_vector(given)
    if force is None:
        raise BodyError(f"{where}: a direction must be a name or (x, y, z) other than zero, not {given!r}")
    return np.concatenate([force, np.zeros(3)])


@dataclass(frozen=True)
class SecondOrder:
    """Which second-order displacement fields are kept.

    Attributes
    ----------
    pairs : "all", or pairs (a, b) of mode indices (from 0, a <= b)
    tolerance : largest error of an inertia integral that involves a second-order field, relative to the inertia of the
        body, for motions up to the energy of the first mode deflected by ``deflection``.  The default keeps every
        term that double precision can show in a motion; 1e-6 makes bodies with many modes several times cheaper.
    deflection : relative to the body's size (the diagonal of its bounding box); None: the tolerance is relative to the
        norms of the two fields of each integral, however small these are
    field_tolerance : None keeps a field for every pair. A number (1e-8 to 0.1) replaces them by fewer fields, whose
        coordinates are quadratic forms of the modal coordinates, if half as many are enough. No second-order
        displacement then has an error above this fraction of the body's radius of gyration (root mean square over the
        mass, and at every marker, rotations times the body's size) for any motion up to the energy given by
        ``deflection``; ``body.inertia.field_error`` is a bound. Bodies with many modes then need less time and
        memory. Set ``deflection`` to a realistic value: most fields are then below the tolerance.
    """

    pairs: str | Sequence[tuple[int, int]] = "all"
    tolerance: float = 1e-10
    deflection: float | None = DEFLECTION
    field_tolerance: float | None = None

    def check(self) -> None:
        """Raise BodyError if a number is out of range."""
        if self.field_tolerance is not None and not 1e-8 <= self.field_tolerance <= 0.1:
            raise BodyError(f"SecondOrder: field_tolerance must be None or a number from 1e-8 to 0.1, not {self.field_tolerance!r}")
        if self.field_tolerance is not None and self.deflection is None:
            raise BodyError("SecondOrder: field_tolerance also needs deflection, up to which it applies")

    def resolve(self, mode_count: int) -> np.ndarray:
        """The pairs as (npairs, 2) int with a <= b, sorted and unique."""
        if isinstance(self.pairs, str):
            if self.pairs != "all":
                raise BodyError(f'SecondOrder: pairs must be "all" or a list of (a, b), not {self.pairs!r}')
            return np.column_stack(np.triu_indices(mode_count)).astype(np.int64)
        pairs = np.asarray(list(self.pairs), dtype=np.int64).reshape(-1, 2)
        if pairs.size and (pairs.min() < 0 or pairs.max() >= mode_count):
            raise BodyError(f"SecondOrder: pairs must be of modes 0 to {mode_count - 1}; got {pairs.min()} to {pairs.max()}")
        return np.unique(np.sort(pairs, axis=1), axis=0).reshape(-1, 2)


def second_order_choice(option: str | SecondOrder) -> SecondOrder:
    """``"full"``, ``"none"`` or a SecondOrder -> SecondOrder."""
    if isinstance(option, SecondOrder):
        option.check()
        return option
    named = {"full": SecondOrder(), "none": SecondOrder(pairs=())}
    if option not in named:
        raise BodyError(f'second_order must be "full", "none" or SecondOrder(pairs=...), not {option!r}')
    return named[option]

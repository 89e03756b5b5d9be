"""Report on loop closure: misaligned joints, bodies bent to close the loops, and axes that lock them."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np


@dataclass(frozen=True)
class MisalignedJoint:
    """A joint that closes a loop, and by how much it stays open with rigid bodies.

    Attributes
    ----------
    joint, kind : name of the joint and of its type
    a, b : labels of its markers
    gap : (3,) m, from the position of marker b required by the joint to its actual position, in the axes of marker a
    turn : (3,) rad, rotation vector from the required to the actual orientation of marker b, in the axes of marker b
    """

    joint: str
    kind: str
    a: str
    b: str
    gap: tuple[float, float, float]
    turn: tuple[float, float, float]

    @property
    def sentence(self) -> str:
        parts = []
        gap, turn = float(np.linalg.norm(self.gap)), float(np.linalg.norm(self.turn))
        if gap > 1e-9:
            parts.append(f"off by {length_text(gap)} along {direction_text(self.gap)} of marker '{self.a}'")
        if turn > 1e-9:
            relative = "" if parts else f" relative to marker '{self.a}'"
            angle = f"{np.degrees(turn):.4g} degrees"
            parts.append(f"turned by {angle}{relative} about its own {direction_text(self.turn)}")
        least = f"off by {gap:.2g} m and turned by {turn:.2g} rad"
        return f"{self.kind} '{self.joint}': marker '{self.b}' is {' and '.join(parts) or least}"

    def as_dict(self) -> dict[str, object]:
        """Plain values for JSON, including the sizes of gap (m) and angle (degrees) and the sentence."""
        sizes = {"gap_m": float(np.linalg.norm(self.gap)), "angle_degrees": float(np.degrees(np.linalg.norm(self.turn)))}
        return {**asdict(self), "gap": list(self.gap), "turn": list(self.turn), **sizes, "sentence": self.sentence}


@dataclass(frozen=True)
class BentBody:
    """A flexible body deformed to close a loop, beyond its stated modal coordinates.

    energy (J) of that deformation, largest ``strain`` along the edges of the surface (None: no surface) and largest von
    Mises ``stress`` on the surface (Pa; None: unknown).
    """

    body: str
    energy: float
    strain: float | None
    stress: float | None

    @property
    def sentence(self) -> str:
        parts = [f"'{self.body}' with {self.energy:.4g} J of elastic energy"]
        if self.strain is not None:
            parts.append(f"strains up to {100.0 * self.strain:.3g} %")
        if self.stress is not None:
            parts.append(f"stresses up to {self.stress / 1e6:.4g} MPa")
        return ", ".join(parts)


@dataclass(frozen=True)
class NearlyParallelAxis:
    """A joint whose axis is nearly, but not exactly, parallel to those of the ``others``; ``angle`` in rad."""

    joint: str
    angle: float
    others: tuple[str, ...]
    locked: bool = False

    @property
    def sentence(self) -> str:
        parallel = f"{_quoted(self.others)}{', which are parallel' if len(self.others) > 1 else ''}"
        lock = "; with rigid bodies this locks the loop" if self.locked else ""
        angle = f"{np.degrees(self.angle):.4g} degrees"
        return f"the axis of '{self.joint}' is {angle} from {_of(self.others)}{parallel}{lock}"


@dataclass(frozen=True)
class LoopClosure:
    """Report on loop closure; all tuples are empty if rigid motion closed the loops.

    ``drivers``: names of the drivers that require the deformation (without them, rigid motion closes the loops).
    """

    joints: tuple[MisalignedJoint, ...] = ()
    bodies: tuple[BentBody, ...] = ()
    axes: tuple[NearlyParallelAxis, ...] = ()
    drivers: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """Plain values, as JSON can hold them."""
        return {
            "misaligned_joints": [joint.as_dict() for joint in self.joints],
            "bent_bodies": [asdict(body) for body in self.bodies],
            "axes": [{**asdict(axis), "sentence": axis.sentence} for axis in self.axes],
            "drivers": list(self.drivers),
        }

    @property
    def sentence(self) -> str:
        """Misaligned joints, bent bodies and nearly parallel axes, as text."""
        bent = "; ".join(body.sentence for body in self.bodies)
        if self.drivers:
            parts = [f"with the drivers of {_quoted(self.drivers)} the loops close only by bending"] if bent else []
        else:
            parts = ["; ".join(joint.sentence for joint in self.joints)] if self.joints else []
        parts += [f"bent to close the loop: {bent}"] if bent else []
        return ". ".join([*parts, self.locks]) if self.axes else ". ".join(parts)

    @property
    def locks(self) -> str:
        """Nearly parallel axes, as text."""
        return "; ".join(axis.sentence for axis in self.axes)


def length_text(size: float) -> str:
    """A length (m) in mm."""
    return f"{1e3 * size:.4g} mm"


def direction_text(vector) -> str:
    """ "x", "-z" or "(0.6, 0, 0.8)"."""
    unit = np.asarray(vector) / max(float(np.linalg.norm(vector)), 1e-300)
    k = int(np.argmax(np.abs(unit)))
    if abs(unit[k]) > 0.9999:
        return ("" if unit[k] > 0.0 else "-") + "xyz"[k]
    return "(" + ", ".join(f"{x:.3g}" if abs(x) > 5e-4 else "0" for x in unit) + ")"


def _of(names) -> str:
    return "that of " if len(names) == 1 else "those of "


def _quoted(names) -> str:
    quoted = [f"'{name}'" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"

"""What closing the loops took besides rigid motion: joints out of line, bodies that are bent for it, axes that lock."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np


@dataclass(frozen=True)
class MisalignedJoint:
    """A joint that closes a loop, and by how much it stays open when all bodies keep their shape.

    Attributes
    ----------
    joint, kind : name of the joint and of its type
    a, b : labels of its markers
    gap : (3,) m, from where the joint wants marker b to where it is, in the axes of marker a
    turn : (3,) rad, rotation vector of marker b against where the joint wants it, in the axes of marker b
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
            parts.append(f"off by {length_in_words(gap)} along {direction_in_words(self.gap)} of marker '{self.a}'")
        if turn > 1e-9:
            against = "" if parts else f" against marker '{self.a}'"
            angle = f"{np.degrees(turn):.4g} degrees"
            parts.append(f"turned by {angle}{against} about its own {direction_in_words(self.turn)}")
        least = f"off by {gap:.2g} m and turned by {turn:.2g} rad"
        return f"{self.kind} '{self.joint}': marker '{self.b}' is {' and '.join(parts) or least}"

    def as_dict(self) -> dict[str, object]:
        """Plain values, as JSON can hold them, with the sizes of gap (m) and turn (degrees) and the sentence."""
        return {
            "joint": self.joint, "kind": self.kind, "a": self.a, "b": self.b, "gap": list(self.gap),
            "turn": list(self.turn), "gap_m": float(np.linalg.norm(self.gap)),
            "angle_degrees": float(np.degrees(np.linalg.norm(self.turn))), "sentence": self.sentence,
        }  # fmt: skip


@dataclass(frozen=True)
class BentBody:
    """A flexible body that was deformed to close a loop, beyond the modal coordinates that were stated.

    energy (J) of that deformation, its largest ``strain`` along the edges of the surface (None: no surface is known)
    and its largest von Mises ``stress`` there (Pa; None: not known).
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
    """A joint of a loop whose axis is nearly, but not, parallel to those of the ``others``; ``angle`` in rad."""

    joint: str
    angle: float
    others: tuple[str, ...]
    locked: bool = False

    @property
    def sentence(self) -> str:
        parallel = f"{_quoted(self.others)}{', which are parallel' if len(self.others) > 1 else ''}"
        lock = "; with rigid bodies it locks their loop" if self.locked else ""
        angle = f"{np.degrees(self.angle):.4g} degrees"
        return f"the axis of '{self.joint}' is {angle} from {_of(self.others)}{parallel}{lock}"


@dataclass(frozen=True)
class LoopClosure:
    """See the module; empty tuples when rigid motion closed the loops.

    ``drivers``: names of the drivers that demand the deformation (the loops close without them).
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
        """What is misaligned, what was bent for it, and which axes are odd."""
        bent = "; ".join(body.sentence for body in self.bodies)
        if self.drivers:
            parts = [f"the loops close only by bending what {_quoted(self.drivers)} deform"] if bent else []
        else:
            parts = ["; ".join(joint.sentence for joint in self.joints)] if self.joints else []
        parts += [f"bent to close it: {bent}"] if bent else []
        return ". ".join([*parts, self.locks]) if self.axes else ". ".join(parts)

    @property
    def locks(self) -> str:
        """Which axes lock loops, or are the odd ones of a loop that does not close."""
        return "; ".join(axis.sentence for axis in self.axes)


def length_in_words(size: float) -> str:
    """A length in mm."""
    return f"{1e3 * size:.4g} mm"


def direction_in_words(vector) -> str:
    """ "x", "-z" or "(0.6, 0, 0.8)"."""
    unit = np.asarray(vector) / max(float(np.linalg.norm(vector)), 1e-300)
    k = int(np.argmax(np.abs(unit)))
    if abs(unit[k]) > 0.9999:
        return ("" if unit[k] > 0.0 else "-") + "xyz"[k]
    return "(" + ", ".join(f"{x:.3g}" if abs(x) > 5e-4 else "0" for x in unit) + ")"


def _of(names) -> str:
    return "that of " if len(names) == 1 else "those of "


def _quoted(names) -> str:
    words = [f"'{name}'" for name in names]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"

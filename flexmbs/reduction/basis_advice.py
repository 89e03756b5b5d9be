"""Advice on whether the modes of a body suffice: effective mass, static error at its markers, highest frequency."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmbs.mesh.marker_places import Place

MOTIONS = ("x", "y", "z", "rot x", "rot y", "rot z")
ACCELERATION = "(acceleration)"  # stands for a marker in ``static_error``
ENOUGH = 0.01  # share of the strain energy under a unit load that may be missing without a remark
RIGID = 0.999  # missing share above which the modes do not represent any deformation under that load


@dataclass(frozen=True)
class Advice:
    """Quality measures of a modal basis; ``print(advice)`` shows them as a table with remarks.

    Attributes
    ----------
    labels : (n,) names; frequencies : (n,) Hz
    effective_mass : (n, 6) kg and kg m2
        (phi^T M r)^2 / (phi^T M phi) of each mode, for r the translations along and rotations about the mesh axes
        through the centre of mass. For a body held at its frame, all modes together have (nearly) ``total_mass``;
        modes of a body with mean axes have none.
    total_mass : (6,) mass (kg) three times, moments of inertia about the centre (kg m2)
    static_error : marker -> (6,)
        Share of the strain energy under a unit force (moment) at the marker that the modes do not represent; nan where
        the unreduced body has none (moments at a marker without rotation). "(acceleration)": under the inertia forces
        of an acceleration of the frame.
    highest_frequency : Hz, of the normal modes (static modes may be above it)
        The response to loads that vary faster than about half of it is poor.
    frame : marker that the frame is fixed to, or None
    places : interface -> Place: shape that its nodes lie on (with the error of the fit), and their weights
    """

    labels: tuple[str, ...]
    frequencies: np.ndarray
    effective_mass: np.ndarray
    total_mass: np.ndarray
    static_error: Mapping[str, np.ndarray]
    highest_frequency: float
    frame: str | None
    places: Mapping[str, Place] = field(default_factory=dict)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Deficiencies of the basis, with remedies; empty if there are none."""
        remarks = []
        for name, error in self.static_error.items():
            poor = self._poor(error)
            if poor:
                remarks.append(f"{self._remark(name)} Energy missing: {', '.join(poor)}.")
        return tuple(remarks)

    @property
    def missing(self) -> str:
        """The remarks in one sentence, without remedies; empty if there are none."""
        return self.missing_strain()

    def missing_strain(self, *, rigid_on_purpose: bool = False) -> str:
        """As ``missing``; ``rigid_on_purpose`` leaves out directions without any deformation.

        Example: the directions across the plane of a planar mechanism, for a body with bending modes in that plane.
        """
        most = RIGID if rigid_on_purpose else np.inf
        poor = {name: ", ".join(self._poor(error, most)) for name, error in self.static_error.items()}
        found = "; ".join(
            ("an acceleration" if name == ACCELERATION else f"a load at '{name}'") + f" ({motions})"
            for name, motions in poor.items()
            if motions
        )
        return found and (
            f"the modes miss part of the strain energy under {found}. If joints, forces or contacts act there, "
            "print(body.advice()) lists remedies."
        )

    @staticmethod
    def _poor(error: np.ndarray, most: float = np.inf) -> list[str]:
        return [f"{motion} {e:.1%}" for motion, e in zip(MOTIONS, error, strict=True) if ENOUGH < e <= most]

    def _remark(self, name: str) -> str:
        if name == ACCELERATION:
            return (
                "The modes represent only part of the strain under acceleration of the frame. Remedy: more modes, or "
                "static=StaticModes(acceleration=True)."
            )
        remedy = "FreeFree(attachment=True)" if self.frame is None else f"CraigBampton(at={self.frame!r})"
        return (
            f"The modes represent only part of the strain under a load at '{name}'. If a joint, force or contact acts "
            f"there, use {remedy} or static=StaticModes([{name!r}])."
        )

    def __str__(self) -> str:
        lines = []
        if self.frame is None:
            lines.append("mean axes: the modes have no effective mass")
            lines += [f"{label:>14} {hz:12.5g} Hz" for label, hz in zip(self.labels, self.frequencies, strict=True)]
        else:
            lines += self._mass_table()
        if self.static_error:
            lines.append("static error (share of the strain energy under a unit load that the modes miss)")
            lines.append(" " * 14 + "".join(f"{motion:>10}" for motion in MOTIONS))
            for name, error in self.static_error.items():
                cells = "".join(f"{'-' if np.isnan(e) else format(e, '.1e'):>10}" for e in error)
                lines.append(f"{name:>14}{cells}")
        lines.append(f"highest frequency of the normal modes {self.highest_frequency:.5g} Hz")
        above = np.count_nonzero(self.frequencies > (1.0 + 1e-9) * self.highest_frequency)
        if above:
            lines[-1] += f"; {above} more coordinates above it are static modes"
        lines += [f"nodes of marker {name}: {place}" for name, place in self.places.items()]
        return "\n".join([*lines, *self.remarks])

    def _mass_table(self) -> list[str]:
        lines = ["effective mass, % of the body's (rotations: % of its moments of inertia about the centre)"]
        lines.append(" " * 29 + "".join(f"{motion:>8}" for motion in MOTIONS))
        parts = 100.0 * self.effective_mass / np.where(self.total_mass > 0.0, self.total_mass, np.inf)
        for label, hz, row in zip(self.labels, self.frequencies, parts, strict=True):
            lines.append(f"{label:>14} {hz:11.5g} Hz" + "".join(f"{cell:8.2f}" for cell in row))
        lines.append(f"{'sum':>14}" + " " * 15 + "".join(f"{cell:8.2f}" for cell in parts.sum(axis=0)))
        return lines


def advice(body: Any) -> Advice:
    """Advice on the modes of a FlexibleBody, from the data of the body alone."""
    X, P = body.inertia.X, body.inertia.P
    root = np.sqrt(body.mass)
    centred = X.copy()
    centred[:, 0] = 0.0  # w_0 is constant: column 0 carries the centre of mass
    momentum = np.hstack([root * P[:, :, 0], np.cross(centred[None], P, axis=1).sum(axis=2)])
    # The modes of one body are orthogonal in mass, but for what the inertia fields leave out.
    modal = np.diag(body.Me)[:, None]
    effective = np.divide(momentum**2, modal, out=np.zeros_like(momentum), where=modal > 0.0)
    second = centred @ centred.T
    inertia = np.trace(second) - np.diag(second)
    static = {}
    if body.flexibility is not None:
        motions = {name: np.hstack([marker.Phi, marker.Psi]) for name, marker in body.markers.items()}
        motions[ACCELERATION] = momentum
        static = {
            name: _static_error(body.Ke, motion, F)
            for (name, motion), F in zip(motions.items(), body.flexibility, strict=True)
            if np.any(F)
        }
    return Advice(
        labels=body.mode_labels,
        frequencies=body.frequencies,
        effective_mass=effective,
        total_mass=np.concatenate([np.full(3, body.mass), inertia]),
        static_error=static,
        highest_frequency=float(body.options.get("normal_modes_to_hz", np.max(body.frequencies, initial=0.0))),
        frame=body.attached_at,
        places=body.places,
    )


def _static_error(Ke: np.ndarray, motion: np.ndarray, flexibility: np.ndarray) -> np.ndarray:
    """(6,) from the generalised forces ``motion`` (n, 6) of unit loads."""
    full = np.diag(flexibility)
    shown = np.einsum("ai,ai->i", motion, np.linalg.solve(Ke, motion)) if len(Ke) else np.zeros(6)
    loaded = full > 1e-12 * np.repeat([full[:3].max(), full[3:].max()], 3)
    missing = np.maximum(1.0 - shown / np.where(loaded, full, 1.0), 0.0)  # below zero it is rounding
    return np.where(loaded, missing, np.nan)

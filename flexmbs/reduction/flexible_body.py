"""The flexible body: result of the reduction of a mesh."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import BodyError
from flexmbs.common.lazy_import import load
from flexmbs.fem.section_forces import SectionForceModes, SectionForces
from flexmbs.fem.stress_field import StressField, StressModes, SurfaceFields, stress_points
from flexmbs.mesh.marker_places import Place
from flexmbs.reduction.advice import Advice, HitAdvice, Law, advice, hit_advice
from flexmbs.reduction.options import DEFLECTION


@dataclass(frozen=True)
class PointFields:
    """A marker on a flexible body: how a point (or the mean of a set) moves and rotates with the modes.

    u(q) = sum_a q_a Phi_a + sum_p q_{a(p)} q_{b(p)} Zu_p          (displacement, body frame, m)
    theta(q) = sum_a q_a Psi_a + sum_p q_{a(p)} q_{b(p)} Zr_p      (rotation vector, body frame, rad)
    The pairs p are those of ``FlexibleBody.pairs``, or the forms of ``FlexibleBody.forms``.

    Attributes
    ----------
    position : (3,) m, in the undeformed body frame
    Phi, Psi : (n, 3)
    Zu, Zr : (K, 3), K pairs or forms
    has_rotation : False for a single node of a solid: it can carry forces and spherical joints only
    """

    position: np.ndarray
    Phi: np.ndarray
    Psi: np.ndarray
    Zu: np.ndarray
    Zr: np.ndarray
    has_rotation: bool = True


@dataclass(frozen=True)
class InertiaFields:
    """All inertia integrals over the extended basis, as coefficients in a mass-orthonormal basis.

    The scalar functions w_s(x) obey  int w_s w_t dm = delta_st  and  w_0 = 1/sqrt(mass).  The position of every
    body point in the body frame is  r_k(x, q) = sum_s c_ks(q) w_s(x)  with
        c(q) = X + sum_a q_a P_a + sum_p q_{a(p)} q_{b(p)} Z_p .
    Every inertia integral is then a dot product of coefficients (int r r^T dm = c c^T, int r dm = sqrt(m) c_{.0}),
    so the mass matrix is a Gram matrix and stays positive for any q.

    Attributes
    ----------
    X : (3, R), sqrt(kg) m; P : (n, 3, R); Z : (K, 3, R), K pairs or forms
    compression_error : largest relative error of an inertia integral caused by the choice of R
    field_error : error of ``SecondOrder(field_tolerance=...)``: largest root mean square of the missing second-order
        displacement, relative to the body's radius of gyration, at the energy given by ``SecondOrder.deflection``
    """

    X: np.ndarray
    P: np.ndarray
    Z: np.ndarray
    compression_error: float = 0.0
    field_error: float = 0.0


@dataclass(frozen=True)
class FlexibleBody:
    """A body in the floating frame of reference with a second-order displacement field.

    p_WX = p_WB + R_WB (x + sum_a q_a Phi_a(x) + sum_p q_{a(p)} q_{b(p)} Z_p(x)),
    Z_p = -1/2 H_aa for a pair (a, a), -H_ab for a < b (docs/notation.md).  The body frame has the axes and the origin
    of the mesh.  Mode shapes are scaled to a largest displacement of 1 (m): q is in metres (torsion of a
    beam's axis, which displaces nothing: largest rotation 1 rad).

    Attributes
    ----------
    mass : kg
    frequencies : (n,) Hz
    mode_labels : n names such as "bending y 1", "axial 1", "torsion 1", "mode 7"
    Me, Ke, De : (n, n) modal mass at q = 0, stiffness, damping
    pairs : (npairs, 2) int with a <= b; empty without second-order field
    forms : (K, npairs) coefficients of the quadratic forms s_r(q) = sum_p forms_rp q_a q_b. Each second-order array
        (``quadratic``, ``quadratic_rotations``, ``inertia.Z``, Zu and Zr of markers, ``surface.quadratic``) then holds one
        field for each of them: sum_p q_a q_b Z_p is replaced by sum_r s_r Z_r (``SecondOrder(field_tolerance=...)``).
        None: one field for each pair
    cubic : (K, n) J/m3, or None: strain energy sum_ra cubic_ra s_r(q) q_a in addition to 1/2 q Ke q, with the forms s_r,
        or with the products q_a q_b of the pairs if there are no forms. Only for bodies from arrays: the second-order
        field of reduced bodies includes this energy
    points : (nn, 3) m; node_ids : (nn,)
    modes : (n, nn, 3); rotations : (n, nn, 3) or None (solids); quadratic, quadratic_rotations alike with npairs
    markers : interface name -> PointFields
    flexibility : (markers + 1, 6, 6) or None: static compliance of the unreduced body at each marker, in the order of
        ``markers``: displacement (m) and rotation (rad) per force (N) and moment (N m) there, the body held as its frame
        says (mean axes: unbalanced loads carried by inertia). Last, the same for the inertia forces of a unit acceleration
        (m/s2) and angular acceleration (rad/s2) about the centre of mass. ``advice`` measures the modes by it
    attached_at : name of the interface that the frame is fixed to, or None for mean axes
    places : interface name -> Place: weights, means and the fitted shape that determine its position; only for bodies
        reduced from a mesh
    stress_modes : StressModes at all nodes, by material, of bodies reduced with ``stress="nodes"``, or None; ``surface``
        has the stress at the surface of every body
    section_force_modes : SectionForceModes of beams and bars, or None
    """

    name: str
    mass: float
    frequencies: np.ndarray
    mode_labels: tuple[str, ...]
    Me: np.ndarray
    Ke: np.ndarray
    De: np.ndarray
    pairs: np.ndarray
    inertia: InertiaFields
    points: np.ndarray
    node_ids: np.ndarray
    modes: np.ndarray
    rotations: np.ndarray | None
    quadratic: np.ndarray
    quadratic_rotations: np.ndarray | None
    markers: Mapping[str, PointFields]
    surface: SurfaceFields
    attached_at: str | None = None
    source: str = ""
    options: Mapping[str, object] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    flexibility: np.ndarray | None = None
    stress_modes: StressModes | None = None
    section_force_modes: SectionForceModes | None = None
    forms: np.ndarray | None = None
    cubic: np.ndarray | None = None
    places: Mapping[str, Place] = field(default_factory=dict)

    def __repr__(self) -> str:
        modes = ", ".join(f"{label} {hz:.5g} Hz" for label, hz in zip(self.mode_labels, self.frequencies, strict=True))
        markers = ", ".join(self.markers)
        return f"FlexibleBody({self.name}: {self.mass:.6g} kg; {modes or 'no modes'}; markers: {markers})"

    def _repr_html_(self) -> str:
        """For notebooks: mass, size, modes, advice, warnings."""
        return str(load("flexmbs.view.part_tables:body_card")(self))

    @property
    def mode_count(self) -> int:
        """Number of modes."""
        return len(self.frequencies)

    @property
    def massless(self) -> np.ndarray:
        """(n,) bool: modes without any inertia, those of massless contact patches (``ContactPatch``)."""
        return np.diag(self.Me) == 0.0

    def yields_at(self, fields: PointFields | None) -> bool:
        """Whether a marker with these fields is on a massless contact patch."""
        return fields is not None and bool(np.any(fields.Phi[self.massless]) or np.any(fields.Psi[self.massless]))

    @property
    def center(self) -> np.ndarray:
        """(3,) m, centre of mass of the undeformed body in the body frame."""
        return self.inertia.X[:, 0] / np.sqrt(self.mass)

    @property
    def central_inertia(self) -> np.ndarray:
        """(3, 3) kg m2, moments of inertia of the undeformed body about its centre of mass, axes of the body frame."""
        centred = self.inertia.X[:, 1:]  # w_0 is constant: column 0 carries the centre of mass
        second = centred @ centred.T
        return np.trace(second) * np.eye(3) - second

    def linear_displacement(self, q: np.ndarray) -> np.ndarray:
        """(ndof,) first-order displacement (m) and rotation (rad) of the nodes, as ``FEModel.stress`` takes it.

        The second-order part is left out: its strain balances the quadratic part of the first's.
        """
        parts = [self.modes] if self.rotations is None else [self.modes, self.rotations]
        return np.concatenate([np.tensordot(q, part, axes=(0, 0)) for part in parts], axis=1).ravel()

    @property
    def has_stress(self) -> bool:
        """False for bodies from plain arrays or from other tools' reduced bodies, which have no elements."""
        return len(self.surface.faces) > 0

    @property
    def surface_stress_modes(self) -> np.ndarray:
        """(n, np, 6) Pa per unit q at the points of ``surface``; BodyError for a body without elements."""
        if not self.has_stress:
            raise BodyError(
                f"body '{self.name}' has no elements (it comes from arrays or another tool), so its stress is unknown; "
                "reduce its mesh instead: fm.reduce(mesh, ...) keeps the stress at the surface, with stress='nodes' at "
                "all nodes"
            )
        return self.surface.stress_modes

    def stress(self, q: np.ndarray, at: str = "surface") -> StressField:
        """Stress at modal coordinates q (n,), in the axes of the body; linear in q.

        Parameters
        ----------
        at : "surface" (the points of ``surface``) or "nodes" (all nodes, by material; shells through their layers;
            beams at the corners of their sections)

        Raises
        ------
        BodyError
            ``at="nodes"`` of a body that was not reduced with ``stress="nodes"``; a body without elements.
        """
        if at == "surface":
            stress = np.tensordot(q, self.surface_stress_modes, axes=(0, 0))
            return StressField(stress_points(self.surface.points), stress)
        if at != "nodes":
            raise ValueError(f"at must be 'surface' or 'nodes', not {at!r}")
        if self.stress_modes is None:
            raise BodyError(
                f"body '{self.name}' has stress at its surface only; reduce it with stress='nodes', or use "
                "assemble(mesh).stress(body.linear_displacement(q))"
            )
        return self.stress_modes.at(q)

    def section_forces(self, q: np.ndarray) -> SectionForces:
        """Forces and moments at both ends of every beam and bar at modal coordinates q (n,); BodyError without any."""
        if self.section_force_modes is None:
            raise BodyError(f"body '{self.name}' has no beams or bars, so it has no section forces")
        return self.section_force_modes.at(q)

    def quadratic_coordinates(self, q: np.ndarray, rate: np.ndarray | None = None) -> np.ndarray:
        """(..., K) coordinates of the second-order fields at q (..., n); with ``rate`` (..., n), their rates."""
        a, b = self.pairs.T
        qa, qb = np.take(q, a, axis=-1), np.take(q, b, axis=-1)  # five times as fast as q[..., a]
        products = qa * qb if rate is None else qa * np.take(rate, b, axis=-1) + np.take(rate, a, axis=-1) * qb
        return products if self.forms is None else products @ self.forms.T

    def to_html(self, path: str | Path, **options: Any) -> Path:
        """Write a page that shows the modes in any browser, without network; returns its path.

        Options as in :func:`flexmbs.view.page.pages.body_page`. FlexmbsError for an impossible option, a file that
        exists without ``force``, or that cannot be written.
        """
        return load("flexmbs.view.page.pages:body_page")(self, path, **options)

    @overload
    def advice(self) -> Advice: ...
    @overload
    def advice(
        self, *, contact: str, speed: float, law: Law, mass: float | None = ..., direction: ArrayLike | None = ...
    ) -> HitAdvice: ...
    def advice(
        self,
        *,
        contact: str | None = None,
        speed: float | None = None,
        law: Law | None = None,
        mass: float | None = None,
        direction: ArrayLike | None = None,
    ) -> Advice | HitAdvice:
        """Advice on whether the modes suffice: effective mass, static error at the markers, highest frequency.

        With ``contact``, whether they suffice for a hit there (docs/impact_modes.md).

        Parameters
        ----------
        contact : marker that is hit; speed : m/s, at which the gap closes; law : contact law, such as Hertz(...)
        mass : kg, of what hits the body; None: the body hits something immovable, with its own rigid mass there
        direction : (3,) of the blow, in the axes of the body; None: in which the modes move the marker most

        Raises
        ------
        BodyError : an unknown marker, no speed or law, a number that is not positive.
        """
        if contact is None:
            return advice(self)
        return hit_advice(self, contact, speed=speed, law=law, mass=mass, direction=direction)


def assumed_amplitudes(body: FlexibleBody) -> np.ndarray:
    """(n,) modal coordinates A_a, m; bounds hold while sum (q_a / A_a)^2 <= 1.

    For normal modes that is the strain energy of the first mode deflected by ``DEFLECTION`` of the body's size (the
    diagonal of its bounding box).  No mode is assumed to be deflected further.
    """
    reach = DEFLECTION * float(np.linalg.norm(np.ptp(body.points, axis=0)))
    root = np.sqrt(np.maximum(np.diag(body.Ke), 0.0))
    if len(root) == 0 or not root[0] > 0.0:
        return np.full(len(root), reach)
    return reach * root[0] / np.maximum(root, root[0])

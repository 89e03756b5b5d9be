"""What every finite element model offers, whatever its elements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from flexmbs.fem.mpc.dependent_components import Dependence
from flexmbs.fem.section_forces import SectionForceModes, SectionForces, ShellForces, SpringForces
from flexmbs.fem.stress_field import StressField, StressModes, checked_place
from flexmbs.fem.surface_fields import SurfaceFields
from flexmbs.mesh.mesh import Mesh


@dataclass(frozen=True, eq=False)
class FEModel(ABC):
    """Matrices of a meshed body, and the integrals that need its elements.

    The degree of freedom ``dofs_per_node * node + k`` is the displacement of ``mesh.points[node]`` along mesh
    axis k (k < 3, m) or, for beams and shells, its rotation about axis k - 3 (rad).

    Attributes
    ----------
    mesh : Mesh
        The mesh assembled, without nodes that no element uses: take node numbers and sets from here.
    dofs_per_node : int
        6 for beams and shells, 3 for solids.
    M, K : (ndof, ndof) csr, consistent mass (kg, kg m, kg m2) and stiffness (N/m, N, N m)
    scalar_mass : (nn, nn) csr or None
        ``int N_i N_j dm`` (kg), with M = scalar_mass kron I3; None for beams and shells.
    mass : float, kg
    center : (3,), m; the origin of what has no mass
    inertia : (3, 3) about the center, kg m2
    beam_theory : "timoshenko" or "euler-bernoulli"; without meaning for solids
    rotary_inertia : bool; without meaning for solids
    dependence : which components follow from others, and how; None where all move by themselves
    """

    mesh: Mesh
    dofs_per_node: int
    M: sparse.csr_matrix
    K: sparse.csr_matrix
    mass: float = field(init=False)
    center: np.ndarray = field(init=False)
    inertia: np.ndarray = field(init=False)
    scalar_mass: sparse.csr_matrix | None = field(default=None, kw_only=True)
    beam_theory: str = field(default="", kw_only=True)
    rotary_inertia: bool = field(default=True, kw_only=True)
    dependence: Dependence | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        nothing = np.zeros((self.ndof, 0))
        x, _, _, W = self.inertia_samples(nothing, np.zeros((0, 2), int), nothing)
        row_sums = np.asarray(W.sum(axis=1)).ravel()
        mass = float(row_sums.sum())
        center = row_sums @ x / mass if mass > 0.0 else np.zeros(3)  # parts may be without mass
        second_moments = (x - center).T @ (W @ (x - center))
        inertia = np.trace(second_moments) * np.eye(3) - second_moments
        for name, value in (("mass", mass), ("center", center), ("inertia", inertia)):
            object.__setattr__(self, name, value)

    @property
    def ndof(self) -> int:
        """Number of degrees of freedom of all nodes."""
        return self.K.shape[0]

    @property
    def turning_nodes(self) -> np.ndarray:
        """(nn,) bool, nodes that have rotations."""
        return np.full(len(self.mesh.points), self.dofs_per_node == 6)

    @property
    def massive_nodes(self) -> np.ndarray:
        """(nn,) bool, nodes that carry mass, not reference nodes alone."""
        return np.ones(len(self.mesh.points), bool)

    @property
    def damping(self) -> sparse.csr_matrix | None:
        """(ndof, ndof) constants of dashpots, N s/m, N s, N m s; None without dashpots."""
        return None

    @abstractmethod
    def second_order_loads(self, fields: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        """Loads f_ab with K H_ab = f_ab: the virtual work of the second-order strain q(a, b).

        With the strain  eps(u) + 1/2 q(u, u)  and q bilinear and symmetric,  f_ab = int B^T D q(a, b) dV, so that the
        displacement  u - 1/2 H_uu  is in second-order equilibrium without membrane stress of its own (static modal
        derivatives: Wu and Tiso, Multibody System Dynamics 36, 2016).  w^T f_ab is a^T K_geo(w) b, the geometric
        stiffness under the stress of the linear displacement w.

        Parameters
        ----------
        fields : (ndof, n)
        pairs : (npairs, 2) int, columns of ``fields``

        Returns
        -------
        (ndof, npairs)
        """

    @abstractmethod
    def geometric_stiffness(self, displacement: np.ndarray) -> sparse.csr_matrix:
        """(ndof, ndof) stiffness that the stress of the linear displacement (ndof,) adds: a^T K_geo(w) b = w^T f_ab."""

    @abstractmethod
    def inertia_samples(
        self, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, sparse.csr_matrix]:
        """Values of position and displacement fields at sample points, and the weights that integrate products.

        Parameters
        ----------
        modes : (ndof, n)
        pairs : (npairs, 2) int
        quadratic : (ndof, npairs)
            Z of ``FlexibleBody``: -1/2 H_aa or -H_ab.

        Returns
        -------
        x : (m, 3), m
        modes : (n, m, 3)
        quadratic : (npairs, m, 3)
        W : (m, m) symmetric csr, kg
            int f g dm = f^T W g for any two of the fields.
        """

    def surface(self, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> SurfaceFields:
        """What is drawn, with displacement and stress; arguments as in ``inertia_samples``. Nothing unless stated."""
        n, none = modes.shape[1], np.zeros((len(as_pairs(pairs)), 0, 3))
        return SurfaceFields(np.zeros((0, 3)), np.zeros(0, int), np.zeros((n, 0, 3)), none, np.zeros((n, 0, 6)))

    def stress(self, displacement: np.ndarray, at: str = "nodes") -> StressField:
        """Stress and strain of a linear displacement.

        Parameters
        ----------
        displacement : (ndof,) m and rad; a reduced body gives it as ``body.linear_displacement(q)``
        at : "nodes" (mean of the elements of one material at each node; beams are not averaged, since their forces
            jump where loads act), "element nodes" (extrapolated to the nodes of each element) or "integration points"
            Shells have the bottom, middle and top of each layer there; beams the corners of their section at both ends.

        Raises
        ------
        ValueError
            Another length of ``displacement``, another ``at``.
        """
        return self.stress_modes(self._column(displacement), checked_place(at), with_strain=True).at(np.ones(1))

    def stress_modes(self, fields: np.ndarray, at: str = "nodes", with_strain: bool = False) -> StressModes:
        """Stress of each of the fields (ndof, n), as ``stress``; without strain unless it is asked for."""
        return StressModes.joined([], fields.shape[1])

    def section_forces(self, displacement: np.ndarray) -> SectionForces:
        """Forces and moments at both ends of every beam and bar, of a linear displacement (ndof,)."""
        return self.section_force_modes(self._column(displacement)).at(np.ones(1))

    def section_force_modes(self, fields: np.ndarray) -> SectionForceModes:
        """Section forces of each of the fields (ndof, n)."""
        return SectionForceModes.joined([], fields.shape[1])

    def shell_forces(self, displacement: np.ndarray, at: str = "integration points") -> ShellForces:
        """Membrane forces, moments and shear forces of shells at "integration points" or "element nodes"."""
        return ShellForces.joined([])

    def spring_forces(self, displacement: np.ndarray) -> SpringForces:
        """Forces and moments of springs under a linear displacement (ndof,)."""
        return SpringForces.joined([])

    def _column(self, displacement: np.ndarray) -> np.ndarray:
        column = np.asarray(displacement, float).reshape(-1, 1)
        if len(column) != self.ndof:
            raise ValueError(
                f"the displacement has {len(column)} numbers; the model has {self.ndof}: {self.dofs_per_node} for each"
                f" of the {len(self.mesh.points)} nodes of model.mesh"
            )
        return column

    @abstractmethod
    def point_operator(self, point: np.ndarray) -> sparse.csr_matrix:
        """(6, ndof) matrix: nodal values to displacement and rotation of the material point at ``point`` (3,), m.

        Raises
        ------
        BodyError
            The point lies outside the body by more than 1e-6 of the body's size.
        """

    def point_second_order(self, point: np.ndarray, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> np.ndarray:
        """(6, npairs) second-order displacement (m) and rotation vector (rad) at ``point``.

        ``point_operator(point) @ quadratic``, and besides: of beams what their second-order strain does inside an
        element, of shells the turning of the wall at points off the surface of the nodes, of solids the rotation of a
        point that is strained as well. Other arguments as ``inertia_samples``.
        """
        return self.point_operator(point) @ quadratic


def pair_factors(pairs: np.ndarray) -> np.ndarray:
    """(npairs,) factor that turns a bilinear q(a, b) into the coefficient of q_a q_b in 1/2 q(u, u)."""
    return np.where(pairs[:, 0] == pairs[:, 1], 0.5, 1.0)


def as_pairs(pairs: np.ndarray) -> np.ndarray:
    """(npairs, 2) int array, also when there are none."""
    return np.asarray(pairs, dtype=int).reshape(-1, 2)

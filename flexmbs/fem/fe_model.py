"""The finite element model of a meshed body: matrices, and the integrals that need its elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError
from flexmbs.fem.family import Family, Samples, columns_with_rotations, displacements, six_a_node, summed, with_rotations
from flexmbs.fem.mpc.dependence import Dependence
from flexmbs.fem.mpc.multipoint_constraints import dependence_of
from flexmbs.fem.section_forces import SectionForceModes, SectionForces, ShellForces, SpringForces
from flexmbs.fem.stress_field import StressField, StressModes, StressPoints, SurfaceFields, checked_place, joined_surfaces
from flexmbs.mesh.mesh import Mesh


@dataclass(frozen=True, eq=False)
class FEModel:
    """Matrices of a meshed body, and the integrals that need its elements.

    The degree of freedom ``dofs_per_node * node + k`` is the displacement of ``mesh.points[node]`` along mesh
    axis k (k < 3, m) or its rotation about axis k - 3 (rad). Where nodes have six components, those that no element
    has (rotations at nodes of solids) have empty rows and columns in M and K.

    Attributes
    ----------
    mesh : Mesh
        The mesh assembled, without nodes that no element uses: take node numbers and sets from here.
    families : the elements, one entry for each family that the mesh has
    dofs_per_node : int
        3 where there are solids alone, that nothing else joins, otherwise 6.
    M, K : (ndof, ndof) csr, consistent mass (kg, kg m, kg m2) and stiffness (N/m, N, N m)
    dependence : which components follow from others by couplings, equations and ties, and how; None where all move by
        themselves
    mass : float, kg
    center : (3,), m; the origin of what has no mass
    inertia : (3, 3) about the center, kg m2
    """

    mesh: Mesh
    families: tuple[Family, ...]
    dofs_per_node: int
    M: sparse.csr_matrix
    K: sparse.csr_matrix
    dependence: Dependence | None = None
    mass: float = field(init=False)
    center: np.ndarray = field(init=False)
    inertia: np.ndarray = field(init=False)

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
        return int(self.K.shape[0])

    @property
    def turning_nodes(self) -> np.ndarray:
        """(nn,) bool, nodes that have rotations."""
        if self.dependence is None:
            return np.full(len(self.mesh.points), self.dofs_per_node == 6)
        return np.diff(self.dependence.D.indptr).reshape(-1, 6)[:, 3:].all(axis=1)

    @property
    def massive_nodes(self) -> np.ndarray:
        """(nn,) bool, nodes that carry mass, not reference nodes alone."""
        return (self.M.diagonal().reshape(-1, self.dofs_per_node)[:, :3] > 0.0).any(axis=1)

    @property
    def stiff(self) -> np.ndarray:
        """(ndof,) bool, components that elements or masses have."""
        return (self.M.diagonal() > 0.0) | (self.K.diagonal() > 0.0)

    @property
    def scalar_mass(self) -> sparse.csr_matrix | None:
        """(nn, nn) csr ``int N_i N_j dm`` (kg), with M = scalar_mass kron I3, of solids alone; None for all others."""
        return self.M[::3, ::3] if self.dofs_per_node == 3 else None

    @property
    def beam_theory(self) -> str:
        """The theory of its beams, "timoshenko" or "euler-bernoulli"; empty without beams."""
        return next((family.beam_theory for family in self.families if family.beam_theory), "")

    @property
    def rotary_inertia(self) -> bool:
        """Whether its beams have rotary inertia; without meaning where there are none."""
        return all(family.rotary_inertia for family in self.families)

    @property
    def damping(self) -> sparse.csr_matrix | None:
        """(ndof, ndof) constants of dashpots, N s/m, N s, N m s; None without dashpots."""
        found = [family.damping for family in self.families if family.damping is not None]
        return summed(found) if found else None

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
        fields, pairs = np.asarray(fields), as_pairs(pairs)
        total = np.zeros((0, 0))
        for family in self.families:
            found = family.second_order_loads(self._own(family, fields), pairs)
            found = with_rotations(found) if self._is_wider(family) else found
            total = np.add(total, found, out=total) if total.size else found
        return total

    def geometric_stiffness(self, displacement: np.ndarray) -> sparse.csr_matrix:
        """(ndof, ndof) stiffness that the stress of the linear displacement (ndof,) adds: a^T K_geo(w) b = w^T f_ab."""
        column = np.asarray(displacement, dtype=float).reshape(-1, 1)
        return summed([self.widened(f, f.geometric_stiffness(self._own(f, column).ravel())) for f in self.families])

    def centrifugal(self, across: np.ndarray) -> tuple[np.ndarray, sparse.csr_matrix]:
        """Load (ndof,) and softening (ndof, ndof) of steady spin, both per square of the speed.

        With the rotary inertia of point masses, beam sections and shell walls, whose turning counts to second order.

        Parameters
        ----------
        across : (3, 3) projection P on the plane across the axis, which runs through the origin
        """
        found = [(family, *family.centrifugal(across)) for family in self.families]
        loads = [with_rotations(load[:, None])[:, 0] if self._is_wider(family) else load for family, load, _ in found]
        return summed(loads), summed([self.widened(family, soft) for family, _, soft in found]).tocsr()

    def inertia_samples(self, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> Samples:
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
        pairs = as_pairs(pairs)
        samples = [f.inertia_samples(self._own(f, modes), pairs, self._own(f, quadratic)) for f in self.families]
        if self.dependence is None:
            return samples[0]
        x, first, second, W = zip(*map(_massive, samples), strict=True)
        joined = (np.concatenate(x), np.concatenate(first, axis=1), np.concatenate(second, axis=1))
        return *joined, sparse.block_diag(W, format="csr")

    def surface(self, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> SurfaceFields:
        """What is drawn, with displacement and stress; arguments as in ``inertia_samples``."""
        pairs = as_pairs(pairs)
        found = (f.surface(self._own(f, modes), pairs, self._own(f, quadratic)) for f in self.families)
        return joined_surfaces([part for part in found if part is not None], modes.shape[1], len(pairs))

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
        return self.stress_modes(self._column(displacement), at, with_strain=True).at(np.ones(1))

    def stress_modes(self, fields: np.ndarray, at: str = "nodes", with_strain: bool = False) -> StressModes:
        """Stress of each of the fields (ndof, n), as ``stress``; without strain unless it is asked for."""
        fields, found = np.asarray(fields, float), []
        for family in self.families:
            own = family.stress_modes(self._own(family, fields), checked_place(at), with_strain)
            if own is not None:
                found.append(replace(own, points=self._with_regions(family, own.points)))
        return StressModes.joined(found, fields.shape[1])

    def _with_regions(self, family: Family, points: StressPoints) -> StressPoints:
        """Regions as blocks of this mesh: a family has only some of them."""
        number = {id(block): index for index, block in enumerate(self.mesh.blocks)}
        blocks = np.array([number[id(block)] for block in family.mesh.blocks])
        return replace(points, region=blocks[points.region])

    def section_forces(self, displacement: np.ndarray) -> SectionForces:
        """Forces and moments at both ends of every beam and bar, of a linear displacement (ndof,)."""
        return self.section_force_modes(self._column(displacement)).at(np.ones(1))

    def section_force_modes(self, fields: np.ndarray) -> SectionForceModes:
        """Section forces of each of the fields (ndof, n)."""
        found = (family.section_force_modes(self._own(family, fields)) for family in self.families)
        return SectionForceModes.joined([part for part in found if part is not None], fields.shape[1])

    def shell_forces(self, displacement: np.ndarray, at: str = "integration points") -> ShellForces:
        """Membrane forces, moments and shear forces of shells at "integration points" or "element nodes"; ValueError for others."""
        if checked_place(at) == "nodes":
            raise ValueError(
                "section forces of shells are not averaged at nodes; use at='element nodes' or at='integration points'"
            )
        column = self._column(displacement)
        found = (family.shell_forces(column, at) for family in self.families)
        return ShellForces.joined([part for part in found if part is not None])

    def spring_forces(self, displacement: np.ndarray) -> SpringForces:
        """Forces and moments of springs under a linear displacement (ndof,)."""
        column = self._column(displacement)
        found = (family.spring_forces(column) for family in self.families)
        return next((part for part in found if part is not None), SpringForces(np.zeros(0, int), (), np.zeros((0, 6))))

    def point_operator(self, point: np.ndarray) -> sparse.csr_matrix:
        """(6, ndof) matrix: nodal values to displacement and rotation of the material point at ``point`` (3,), m.

        Raises
        ------
        BodyError
            The point lies outside the body by more than 1e-6 of the body's size.
        """
        family, operator = self._family_at(point)
        return columns_with_rotations(operator) if self._is_wider(family) else operator

    def point_second_order(self, point: np.ndarray, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> np.ndarray:
        """(6, npairs) second-order displacement (m) and rotation vector (rad) at ``point``.

        ``point_operator(point) @ quadratic``, and besides: of beams what their second-order strain does inside an
        element, of shells the turning of the wall at points off the surface of the nodes, of solids the rotation of a
        point that is strained as well. Other arguments as ``inertia_samples``.
        """
        family, _ = self._family_at(point)
        return family.point_second_order(point, self._own(family, modes), as_pairs(pairs), self._own(family, quadratic))

    def _family_at(self, point: np.ndarray) -> tuple[Family, sparse.csr_matrix]:
        """The first family that has the point, and its operator."""
        errors = []
        for family in self.families:
            try:
                return family, family.point_operator(point)
            except BodyError as error:
                errors.append(str(error))
        raise BodyError("; ".join(dict.fromkeys(errors)))

    def widened(self, family: Family, matrix: sparse.csr_matrix) -> sparse.csr_matrix:
        """A matrix of one family in the components of the model."""
        return six_a_node(matrix.tocsr()) if self._is_wider(family) else matrix

    def _is_wider(self, family: Family) -> bool:
        return family.components < self.dofs_per_node

    def _own(self, family: Family, fields: np.ndarray) -> np.ndarray:
        """Nodal values (ndof, n) in the components of one family."""
        return displacements(fields) if self._is_wider(family) else fields

    def _column(self, displacement: np.ndarray) -> np.ndarray:
        column = np.asarray(displacement, float).reshape(-1, 1)
        if len(column) != self.ndof:
            raise ValueError(
                f"the displacement has {len(column)} numbers; the model has {self.ndof}: {self.dofs_per_node} for each"
                f" of the {len(self.mesh.points)} nodes of model.mesh"
            )
        return column


def single_model(family: Family) -> FEModel:
    """The model of one family alone, whose nodes all move by themselves."""
    return FEModel(family.mesh, (family,), family.components, family.M, family.K)


def joined_model(mesh: Mesh, families: Sequence[Family]) -> FEModel:
    """The families over the points of ``mesh``, joined by its couplings, equations and ties; six components a node."""
    M, K = (
        summed([six_a_node(A) if family.components == 3 else A for family, A in zip(families, matrices, strict=True)]).tocsr()
        for matrices in ([family.M for family in families], [family.K for family in families])
    )
    dependence, warnings = dependence_of(mesh, (M.diagonal() > 0.0) | (K.diagonal() > 0.0))
    return FEModel(replace(mesh, warnings=(*mesh.warnings, *warnings)), tuple(families), 6, M, K, dependence)


def as_pairs(pairs: np.ndarray) -> np.ndarray:
    """(npairs, 2) int array, also when there are none."""
    return np.asarray(pairs, dtype=int).reshape(-1, 2)


def _massive(samples: Samples) -> Samples:
    """Samples without the points that carry no mass (nodes of other families)."""
    x, modes, quadratic, W = samples
    kept = np.flatnonzero(np.diff(W.tocsr().indptr))
    if len(kept) == len(x):
        return samples
    return x[kept], modes[:, kept], quadratic[:, kept], W.tocsr()[kept][:, kept]

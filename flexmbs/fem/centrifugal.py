"""Load and softening of steady spin: derivatives of 1/2 int |P (x + u)|^2 dm, with P the projection across the axis."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmbs.fem.embedding import six_a_node, with_rotations
from flexmbs.fem.fe_model import FEModel
from flexmbs.fem.lines.beam_inertia import beam_centrifugal
from flexmbs.fem.lines.beam_model import BeamModel
from flexmbs.fem.lines.point_mass_model import PointMassModel
from flexmbs.fem.mixed_model import MixedModel
from flexmbs.fem.rigid_motion import skew
from flexmbs.fem.shells.shell_inertia import shell_centrifugal
from flexmbs.fem.shells.shell_model import ShellModel
from flexmbs.fem.spin_softening import turning_load, turning_softening


def centrifugal(model: FEModel, across: np.ndarray) -> tuple[np.ndarray, sparse.csr_matrix]:
    """Load (ndof,) and softening (ndof, ndof), both per square of the speed.

    With the rotary inertia of point masses, beam sections and shell walls, whose turning counts to second order.

    Parameters
    ----------
    across : (3, 3) projection P
    """
    if isinstance(model, PointMassModel):
        return _of_masses(model, across)
    if isinstance(model, BeamModel):
        return beam_centrifugal(model.elements, len(model.mesh.points), across)
    if isinstance(model, ShellModel):
        return shell_centrifugal(model.groups, len(model.mesh.points), across)
    if not isinstance(model, MixedModel):
        return _of_elements(model, across)
    load, softening = np.zeros(model.ndof), sparse.csr_matrix((model.ndof, model.ndof))
    for part in model.parts:
        own, soft = centrifugal(part, across)
        if part.dofs_per_node == 3:
            own, soft = with_rotations(own[:, None])[:, 0], six_a_node(soft)
        load, softening = load + own, softening + soft
    return load, softening.tocsr()


def _of_elements(model: FEModel, across: np.ndarray) -> tuple[np.ndarray, sparse.csr_matrix]:
    """Of elements whose mass moves with displacements alone (solids, trusses, springs)."""
    in_plane = np.zeros((model.dofs_per_node, model.dofs_per_node))
    in_plane[:3, :3] = across
    projection = sparse.kron(sparse.eye(len(model.mesh.points)), in_plane, format="csr")
    position = np.zeros((len(model.mesh.points), model.dofs_per_node))
    position[:, :3] = model.mesh.points
    load = projection @ (model.M @ (projection @ position.ravel()))
    return load, (projection @ model.M @ projection).tocsr()


def _of_masses(model: PointMassModel, across: np.ndarray) -> tuple[np.ndarray, sparse.csr_matrix]:
    """A rigid body at a node x, r from there: int y dm and int r x y dm with y = P (x + r), and second derivatives.

    uu: m P; u theta: int P (theta x r) dm; theta theta: int (theta x r) . P (theta x r) + y . theta x (theta x r) dm.
    """
    masses = model.mesh.point_masses
    node = np.array([point.node for point in masses])
    mass = np.array([point.mass for point in masses])[:, None, None]
    s = np.array([point.offset for point in masses], dtype=float)
    x = model.mesh.points[node]
    S = model.spread + mass * s[:, :, None] * s[:, None, :]  # int r r^T dm
    B = across @ (mass * x[:, :, None] * s[:, None, :] + S)  # int y r^T dm
    load = np.zeros((len(masses), 6))
    load[:, :3] = mass[:, 0] * (x + s) @ across
    load[:, 3:] = turning_load(B)
    soft = np.zeros((len(masses), 6, 6))
    soft[:, :3, :3] = mass * across
    soft[:, :3, 3:] = -mass * across @ skew(s)
    soft[:, 3:, :3] = soft[:, :3, 3:].transpose(0, 2, 1)
    soft[:, 3:, 3:] = turning_softening(across, S, B)
    total = np.zeros((len(model.mesh.points), 6))
    np.add.at(total, node, load)
    index = np.broadcast_to((6 * node[:, None] + np.arange(6))[:, None], soft.shape)
    entries = (soft.ravel(), (index.transpose(0, 2, 1).ravel(), index.ravel()))
    return total.ravel(), sparse.coo_matrix(entries, shape=(model.ndof, model.ndof)).tocsr()

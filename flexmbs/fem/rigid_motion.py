"""Rigid-body motions of nodes, what rotations do to second order, and the rigid motion that fits displacements best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.fem.stress_field import some_rows


def rigid_motions(points: np.ndarray, dofs_per_node: int, center: np.ndarray) -> np.ndarray:
    """(ndof, 6) displacements of unit translations (m) and small unit rotations (rad) about ``center``."""
    nn = len(points)
    R = np.zeros((nn, dofs_per_node, 6))
    R[:, :3, :3] = np.eye(3)
    R[:, :3, 3:] = -skew(points - center)
    if dofs_per_node == 6:
        R[:, 3:, 3:] = np.eye(3)
    return R.reshape(nn * dofs_per_node, 6)


def skew(r: np.ndarray) -> np.ndarray:
    """Matrices S (k, 3, 3) with S u = r x u, for r (k, 3)."""
    S = np.zeros((len(r), 3, 3))
    S[:, 0, 1], S[:, 0, 2], S[:, 1, 2] = -r[:, 2], r[:, 1], -r[:, 0]
    return S - S.transpose(0, 2, 1)


def rotated_offset(turn_a: np.ndarray, turn_b: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """1/2 (a x (b x rho) + b x (a x rho)) along axis -2 of (..., 3, n) arrays; rho (..., 3)."""
    rho = offset[..., None]
    along_a, along_b = (np.sum(rho * turn, axis=-2, keepdims=True) for turn in (turn_a, turn_b))
    both = np.sum(turn_a * turn_b, axis=-2, keepdims=True)
    return 0.5 * (along_a * turn_b + along_b * turn_a) - both * rho


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a x b along axis -2 (several times as fast as ``np.cross``, which moves the axis)."""
    result = np.empty(np.broadcast_shapes(a.shape, b.shape))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        np.multiply(a[..., j, :], b[..., k, :], out=result[..., i, :])
        result[..., i, :] -= a[..., k, :] * b[..., j, :]
    return result


def turned_arm(a: np.ndarray, b: np.ndarray, arm: np.ndarray, same: np.ndarray) -> np.ndarray:
    """Second-order displacement per q_a q_b of ``arm`` that turns by q_a a + q_b b (``same``: a and b are one mode).

    (exp(theta) - 1) s is theta x s + 1/2 theta x (theta x s) to second order; this is the second term.
    """
    return np.where(same, 0.5, 1.0) * 0.5 * (np.cross(a, np.cross(b, arm)) + np.cross(b, np.cross(a, arm)))


def arm_stiffness(force: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """(m, 3, 3) S of forces (m, 3) on turning arms (m, 3): 1/2 theta^T S theta = force . 1/2 theta x (theta x arm)."""
    outer = force[:, :, None] * arm[:, None, :]
    along = np.einsum("mi,mi->m", force, arm)
    return 0.5 * (outer + outer.transpose(0, 2, 1)) - along[:, None, None] * np.eye(3)


def turning_load(B: np.ndarray) -> np.ndarray:
    """(k, 3) int r x y dm of B = int y r^T dm (k, 3, 3): the moment of forces y dm on arms r.

    As in ``turning_softening``, of rigid bodies or sections that turn about a point of theirs.
    """
    return np.stack([B[:, 2, 1] - B[:, 1, 2], B[:, 0, 2] - B[:, 2, 0], B[:, 1, 0] - B[:, 0, 1]], axis=1)


def turning_softening(across: np.ndarray, S: np.ndarray, B: np.ndarray) -> np.ndarray:
    """(k, 3, 3) of rotation vectors: int (theta x r) . P (theta x r) + y . theta x (theta x r) dm.

    ``across`` (k, 3, 3) or (3, 3) P; ``S`` (k, 3, 3) int r r^T dm; ``B`` (k, 3, 3) int y r^T dm, y the position across the
    axis.
    """
    axes = skew(np.eye(3))  # e_i x r = axes_i r
    P = np.broadcast_to(across, S.shape)
    soft = np.einsum("iab,mbc,jdc,mad->mij", axes, S, axes, P)
    return soft + sum(arm_stiffness(B[:, :, k], np.tile(np.eye(3)[k], (len(B), 1))) for k in range(3))


# A moment of second order below this part of the largest is none: all the nodes lie on that axis.
_ON_AXIS = 1e-12
_AT_ONCE = 400_000  # values (groups times nodes times pairs) of one chunk of second-order terms


@dataclass(frozen=True, eq=False)
class NodeFit:
    """m groups of k nodes, each with a point that moves by  sum s_i u_i + theta x arm  and turns by theta.

    theta = J^-1 sum w_i r_i x u_i  with  J = sum w_i (r_i.r_i I - r_i r_i^T), the rotation that fits best. About an
    axis on which all nodes of a group lie, theta is the weighted mean of the nodes' own rotations, where they have any.
    """

    nodes: np.ndarray  # (m, k) int
    shares: np.ndarray  # (m, k) with sum 1 in each group: of the displacement
    weights: np.ndarray  # (m, k) with sum 1: of the fit
    own: np.ndarray  # (m, k) with sum 1 or 0: of the nodes' own rotations
    r: np.ndarray  # (m, k, 3) m, from the weighted mean of the nodes
    arm: np.ndarray  # (m, 3) m, from sum s_i x_i to the point
    inverse: np.ndarray  # (m, 3, 3) J^-1; zero about axes on which all the nodes lie
    rank: np.ndarray  # (m,) number of rotations that the displacements determine, 0 to 3

    @property
    def has_rotation(self) -> np.ndarray:
        """(m,) bool: the nodes determine the whole rotation."""
        return (self.rank == 3) | (self.own.sum(axis=1) > 0.5)

    def operator(self, dofs_per_node: int) -> np.ndarray:
        """(m, 6, k, dofs_per_node): nodal values to displacement (m) and rotation (rad) of the points."""
        m, k = self.nodes.shape
        found = np.zeros((m, 6, k, dofs_per_node))
        turn = np.einsum("mij,mkjl->mikl", self.inverse, self.weights[..., None, None] * _skew(self.r))
        found[:, 3:, :, :3] = turn
        if dofs_per_node == 6:
            found[:, 3:, :, 3:] = self._unfelt()[:, :, None] * self.own[:, None, :, None]
        found[:, :3] = np.einsum("mij,mjkl->mikl", -_skew(self.arm), found[:, 3:])
        found[:, :3, :, :3] += np.eye(3)[:, None] * self.shares[:, None, :, None]
        return found

    def turned(self, fields: np.ndarray) -> np.ndarray:
        """(m, 3, n) first-order rotation of the points, of fields (nn, dofs_per_node, n)."""
        moments = np.einsum("mk,mkij,mkjn->min", self.weights, _skew(self.r), fields[self.nodes, :3], optimize=True)
        psi = np.einsum("mij,mjn->min", self.inverse, moments)
        if fields.shape[1] == 6 and np.any(self.own):
            psi += self._unfelt() @ np.einsum("mk,mkin->min", self.own, fields[self.nodes, 3:])
        return psi

    def second_order(self, fields: np.ndarray, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(m, 3, npairs) each: displacement and rotation, per q_a q_b, to add to those of the linear operator.

        The rotation exp(theta) that fits best, sum w |u - d - (exp(theta) - 1) r|^2 -> min, to second order in
        q, theta = q psi + q^2 theta2, with d the mean of u and e = u - d - psi x r the first-order misfit:
          J theta2 = sum w r x (u2 - 1/2 psi x (psi x r)) + 1/2 sum w [(psi x r) x e + r x (e x psi)].
        The linear operator alone gives  J^-1 sum w r x u2. The arm turns by 1/2 psi x (psi x arm) more.

        ``fields`` (nn, dofs_per_node, n); ``pairs`` (npairs, 2) int.
        """
        m, k = self.nodes.shape
        moved, turned = np.zeros((m, 3, len(pairs))), np.zeros((m, 3, len(pairs)))
        step = max(1, _AT_ONCE // max(1, k * len(pairs)))
        for first in range(0, m, step):
            rows = slice(first, first + step)
            for at in np.array_split(np.arange(len(pairs)), max(1, -(-k * len(pairs) // _AT_ONCE))):
                if len(at):
                    moved[rows, :, at], turned[rows, :, at] = some_rows(self, rows)._second_order(fields, pairs[at])
        return moved, turned

    def stiffness(self, force: np.ndarray, moment: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Components (m, 6 k) and blocks (m, 6 k, 6 k) S: 1/2 u^T S u = force . moved + moment . turned.

        ``force`` (m, 3) in N and ``moment`` (m, 3) in N m act on the points; moved and turned are those of
        ``second_order`` for the one field u.
        """
        m, k = self.nodes.shape
        P = self.operator(6)[:, 3:].reshape(m, 3, 6 * k)
        t = np.einsum("mij,mj->mi", self.inverse, moment + np.cross(self.arm, force))
        across = np.cross(t[:, None], self.r)
        both = np.einsum("mk,mki,mkj->mij", self.weights, across, self.r)
        of_turning = arm_stiffness(force, self.arm) - 0.5 * (both + both.transpose(0, 2, 1))
        along = np.einsum("mi,mki->mk", t, self.r)[..., None, None] * np.eye(3)
        B = along + self.r[..., :, None] * t[:, None, None, :] - 2.0 * t[:, None, :, None] * self.r[..., None, :]
        B *= 0.5 * self.weights[..., None, None]
        total = B.sum(axis=1)
        of_misfit = np.zeros((m, 3, k, 6))
        of_misfit[..., :3] = B.transpose(0, 2, 1, 3) - total[:, :, None] * self.weights[:, None, :, None]
        of_misfit = of_misfit.reshape(m, 3, 6 * k) + np.einsum("mkij,mkjl->mil", B, _skew(self.r)) @ P
        mixed = P.transpose(0, 2, 1) @ of_misfit
        S = P.transpose(0, 2, 1) @ of_turning @ P + mixed + mixed.transpose(0, 2, 1)
        return (6 * self.nodes[..., None] + np.arange(6)).reshape(m, 6 * k), S

    def _second_order(self, fields: np.ndarray, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        psi = self.turned(fields).transpose(2, 0, 1)
        u = fields[self.nodes, :3].transpose(3, 0, 1, 2)
        mean = np.einsum("mk,nmki->nmi", self.weights, u)
        misfit = u - mean[:, :, None] - np.cross(psi[:, :, None], self.r)
        a, b = pairs.T

        def term(a: np.ndarray, b: np.ndarray) -> np.ndarray:
            pa, pb, e = psi[a][:, :, None], psi[b][:, :, None], misfit[b]
            turning = -0.5 * np.cross(self.r, np.cross(pa, np.cross(pb, self.r)))
            straining = 0.5 * (np.cross(np.cross(pa, self.r), e) + np.cross(self.r, np.cross(e, pa)))
            return np.einsum("mij,mk,pmkj->pmi", self.inverse, self.weights, turning + straining, optimize=True)

        same = (a == b)[:, None, None]
        turned = np.where(same, term(a, b), term(a, b) + term(b, a))
        moved = np.cross(turned, self.arm) + turned_arm(psi[a], psi[b], self.arm, same)
        return moved.transpose(1, 2, 0), turned.transpose(1, 2, 0)

    def _unfelt(self) -> np.ndarray:
        """(m, 3, 3) projection on the axes about which the displacements determine no rotation."""
        return np.eye(3) - self.inverse @ _moments(self.weights, self.r)


def node_fit(
    points: np.ndarray,
    nodes: np.ndarray,
    weights: np.ndarray,
    positions: np.ndarray,
    turning: np.ndarray,
    shares: np.ndarray | None = None,
) -> NodeFit:
    """Fits of groups of nodes.

    ``points`` (nn, 3) m; ``nodes`` (m, k) int; ``weights`` (m, k), any positive sum; ``positions`` (m, 3) m, of the carried
    points; ``turning`` (nn,) bool, nodes that have rotations of their own; ``shares`` (m, k) of the displacement; default:
    the weights.
    """
    weights = weights / weights.sum(axis=1, keepdims=True)
    shares = weights if shares is None else shares
    r = points[nodes] - np.einsum("mk,mki->mi", weights, points[nodes])[:, None]
    moments, axes = np.linalg.eigh(_moments(weights, r))
    felt = moments > _ON_AXIS * np.maximum(moments[:, 2:], np.finfo(float).tiny)
    scaled = axes * np.where(felt, 1.0 / np.where(felt, moments, 1.0), 0.0)[:, None]
    own = weights * turning[nodes]
    total = own.sum(axis=1, keepdims=True)
    return NodeFit(
        nodes=np.asarray(nodes),
        shares=shares,
        weights=weights,
        own=np.where(total > 0.0, own / np.where(total > 0.0, total, 1.0), 0.0) * ~felt.all(axis=1)[:, None],
        r=r,
        arm=positions - np.einsum("mk,mki->mi", shares, points[nodes]),
        inverse=scaled @ axes.transpose(0, 2, 1),
        rank=felt.sum(axis=1),
    )


def _moments(weights: np.ndarray, r: np.ndarray) -> np.ndarray:
    squares = np.einsum("mk,mki,mki->m", weights, r, r)
    return squares[:, None, None] * np.eye(3) - np.einsum("mk,mki,mkj->mij", weights, r, r)


def _skew(r: np.ndarray) -> np.ndarray:
    return skew(r.reshape(-1, 3)).reshape(*r.shape, 3)

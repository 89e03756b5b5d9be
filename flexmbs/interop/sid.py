"""SID_FEM files <-> FlexibleBody."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from flexmbs.common.errors import BodyError
from flexmbs.common.names_in_messages import refuse_unwritable
from flexmbs.interop import moments as integrals
from flexmbs.interop.arrays import body_from_arrays
from flexmbs.interop.moments import InertiaMoments
from flexmbs.interop.sid_file import NODE_PARTS, SidData, Taylor, matrix_of, read_sid_data, six_of, write_sid_data
from flexmbs.interop.text_blocks import Notes
from flexmbs.reduction.body_layout import with_field_for_each_pair
from flexmbs.reduction.flexible_body import FlexibleBody, PointFields


def read_sid(path: str | Path) -> FlexibleBody:
    """A flexible body from a SID_FEM file (numbers in SI).

    Every node becomes a marker, named by its number. The first-order parts of phi, psi, Ct, Cr and Oe contain the
    geometric stiffness under unit loads; they are converted to second-order fields of all pairs of modes. The terms
    missing in the format (products of second-order fields) are of second order in the modal coordinates.
    """
    data = read_sid_data(path)
    n, notes = len(data.labels), data.notes
    if not data.mass > 1e-60:
        raise BodyError(f"{path}: the mass is {data.mass:g} kg; it must be positive")
    if not data.nodes:
        raise BodyError(f"{path}: the frame has no nodes; expected at least one 'new node'")
    nodes = {name: [parts[name] for parts in data.nodes.values()] for name in NODE_PARTS}
    geometric = data.parts["Ct"].M1.any() or any(part.M1.any() for part in (*nodes["phi"], *nodes["psi"]))
    pairs = integrals.all_pairs(n if geometric else 0)  # all or none: Cr and Oe always have first orders
    K = _stiffness(data.parts["Ke"].M0, data.parts["ksigma"], notes)
    moments = _moments(data, pairs, notes)
    for number, AP in zip(data.nodes, nodes["AP"], strict=True):
        if np.abs(AP.M0 - np.eye(3)).max() > 1e-9:
            notes.add(f"the axes of node {number} (AP) are rotated; its marker has the axes of the body")
            break
    phi, psi = (np.array([part.M0 for part in nodes[name]]) for name in ("phi", "psi"))  # (k, 3, n)
    # M1(k, b, a): derivative in q_b of the shape of mode a
    phi1, psi1 = (np.array([part.M1 for part in nodes[name]]).transpose(3, 2, 0, 1) for name in ("phi", "psi"))
    has_rotations = n == 0 or bool(psi.any())
    if not has_rotations:
        notes.add("psi is zero at every node: markers support only forces and spherical joints")
    if not len(pairs):
        notes.add(
            "contains no geometric stiffness (first-order parts of Ct, Oe, phi): this body does not stiffen "
            "under load or in rotation"
        )
    still = ~(phi.any(axis=(1, 2)) | psi.any(axis=(1, 2)))
    held = [str(number) for number, rests in zip(data.nodes, still, strict=True) if rests and n and has_rotations]
    return body_from_arrays(
        points=np.array([part.M0[:, 0] for part in nodes["origin"]]),
        modes=phi.transpose(2, 0, 1),
        rotations=psi.transpose(2, 0, 1) if has_rotations else None,
        K=K,
        D=data.parts["De"].M0,
        moments=moments,
        pairs=pairs,
        quadratic=integrals.pair_values(phi1, pairs),
        quadratic_rotations=integrals.pair_values(psi1, pairs) if has_rotations else None,
        node_ids=list(data.nodes),
        labels=data.labels,
        attached_at=held[0] if held else None,
        name=data.name or Path(path).stem,
        source=str(path),
        warnings=notes,
    )


def _stiffness(K: np.ndarray, stress: Taylor, notes: Notes) -> np.ndarray:
    """Ke, plus the stiffness of a prestress if ksigma contains one."""
    extra = stress.M0 if stress.M0.shape == K.shape != (1, 1) else np.zeros_like(K)
    if stress.M0.shape[1] == 1:
        if stress.M0.any() and K.shape != (1, 1):
            notes.add("ksigma: the modal forces of a prestress (m0) are ignored")
        extra = stress.M1[:, :, 0]
    if extra.any():
        notes.add("ksigma: the stiffness of a prestress is added to Ke")
        K = K + extra
    return K


def _moments(data: SidData, pairs: np.ndarray, notes: Notes) -> InertiaMoments:
    parts = data.parts
    position = _mode_position(parts)
    second = integrals.second_moment(matrix_of(parts["J"].M0[:, 0]))
    mode_mode = _mode_mode(data, position, second, bool(len(pairs)), notes)
    error = integrals.relative_difference(np.einsum("abkk->ab", mode_mode), parts["Me"].M0)
    if error > 1e-6:
        notes.add(f"Me and the products of the modes in Gr, Ge, Oe contradict each other by {error:.1e}")
    moments = InertiaMoments(data.mass, parts["mdCM"].M0[:, 0], second, parts["Ct"].M0, position, mode_mode)
    if not len(pairs):
        return moments
    Cr1, Oe1 = parts["Cr"].M1, parts["Oe"].M1
    product = integrals.from_centrifugal(Oe1 - integrals.centrifugal(mode_mode) if Oe1.any() else Oe1)
    if Cr1.any():
        product = product + integrals.from_axial(-Cr1 - integrals.axial(mode_mode))  # less int Phi_b x Phi_a
    # Ct1[a, b], product[a, b] belong to d(displacement)/dq_a dq_b = 2 Z_aa or Z_ab
    first, rest = integrals.pair_values(parts["Ct"].M1, pairs), integrals.pair_values(product, pairs)
    return replace(moments, pair_first=first, pair_position=rest)


def _mode_position(parts: dict[str, Taylor]) -> np.ndarray:
    """int Phi_a x^T dm (n, 3, 3): from Gr, or its antisymmetric part from Cr and its symmetric one from Oe or J."""
    Gr, Oe = parts["Gr"].M0, parts["Oe"].M0
    if Gr.any():
        blocks = Gr.reshape(3, -1, 3).transpose(1, 0, 2)  # -2 int x~ Phi_a~ dm
        return integrals.from_crossed(-0.5 * blocks).swapaxes(-1, -2)
    antisymmetric = -integrals.from_axial(parts["Cr"].M0)
    if Oe.any():
        return antisymmetric + integrals.from_centrifugal(Oe)
    return antisymmetric + 0.5 * integrals.second_moment(matrix_of(parts["J"].M1[:, :, 0].T))


def _mode_mode(data: SidData, position: np.ndarray, second: np.ndarray, geometric: bool, notes: Notes) -> np.ndarray:
    """int Phi_a Phi_b^T dm (n, n, 3, 3): from Gr M1, or antisymmetric part from Ge and symmetric one from Oe M1."""
    n, Gr1, Oe1 = len(position), data.parts["Gr"].M1, data.parts["Oe"].M1
    if Gr1.any():
        blocks = Gr1.reshape(3, n, n, 3).transpose(2, 1, 0, 3)  # [a, b]: -2 int Phi_b~ Phi_a~ dm
        return integrals.from_crossed(-0.5 * blocks).swapaxes(-1, -2)
    Ge = data.parts["Ge"].M0.reshape(n, n, 3)
    antisymmetric = integrals.from_axial(-0.5 * (Ge - Ge.swapaxes(0, 1)) / 2.0)
    if not geometric and Oe1.any():
        T = integrals.from_centrifugal(Oe1)
        return antisymmetric + 0.5 * (T + T.swapaxes(0, 1))
    notes.add(
        "the file does not say how the modal mass is distributed over the directions x, y, z (Gr has no "
        "first-order part): it is estimated from the mode shapes at the nodes"
    )
    return antisymmetric + _divided(data, position, second)


def _divided(data: SidData, position: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Symmetric int Phi_a Phi_b^T dm with trace Me: what Ct and ``position`` imply, the rest in directions of nodal motion."""
    first, Ct, Me, mass = data.parts["mdCM"].M0[:, 0], data.parts["Ct"].M0, data.parts["Me"].M0, data.mass
    central = second - np.outer(first, first) / mass
    coupled = position - Ct[:, :, None] * first / mass
    known = np.einsum("akm,mn,bln->abkl", coupled, np.linalg.pinv(central, rcond=1e-10, hermitian=True), coupled)
    known += np.einsum("ak,bl->abkl", Ct, Ct) / mass
    shares = _share_roots(np.array([parts["phi"].M0 for parts in data.nodes.values()]))
    T = known + np.einsum("ab,akm,bml->abkl", Me - np.einsum("abkk->ab", known), shares, shares)
    T = 0.5 * (T + T.swapaxes(-1, -2))
    return T + ((Me - np.einsum("abkk->ab", T)) / 3.0)[:, :, None, None] * np.eye(3)


def _share_roots(phi: np.ndarray) -> np.ndarray:
    """(n, 3, 3) symmetric roots of the distribution of nodal motion (k, 3, n) over directions in each mode (trace 1)."""
    directions = np.einsum("ika,ila->akl", phi, phi)
    total = np.trace(directions, axis1=1, axis2=2)[:, None, None]
    known = total > 0.0
    shares = np.where(known, directions / np.where(known, total, 1.0), np.eye(3) / 3.0)
    values, vectors = np.linalg.eigh(shares)
    return np.einsum("akm,am,alm->akl", vectors, np.sqrt(np.maximum(values, 0.0)), vectors)


def write_sid(body: FlexibleBody, path: str | Path) -> tuple[str, ...]:
    """Write ``body`` as a SID_FEM file, markers as nodes 1, 2, ...; returns messages about data the format lacks."""
    refuse_unwritable((body.name, *body.mode_labels), path, BodyError)
    body = with_field_for_each_pair(body)
    n, m = body.mode_count, integrals.moments_of_fields(body.inertia, body.mass)
    if not body.markers:
        raise BodyError(f"body '{body.name}' has no markers; a SID_FEM file needs at least one node")
    warnings = [
        f"marker '{name}' is node {number}: the format numbers its nodes"
        for number, name in enumerate(body.markers, start=1)
        if name != str(number)
    ]
    if len(body.pairs):
        warnings.append(
            "second-order fields are kept to first order in the modal coordinates (Ct, Cr, Oe, phi, psi); the format "
            "cannot store their products with each other and with the modes"
        )
    if body.cubic is not None:
        warnings.append("the format cannot store the cubic strain energy")
    Ct1 = integrals.pair_table(m.pair_first, body.pairs, n)
    H = integrals.pair_table(m.pair_position, body.pairs, n)
    J = integrals.inertia_tensor(m.second)
    J1 = integrals.inertia_tensor(m.mode_position + m.mode_position.swapaxes(-1, -2))
    parts = {
        "mdCM": Taylor(m.first[:, None], m.mode_first.T[:, :, None]),
        "J": Taylor(six_of(J)[:, None], six_of(J1).T[:, :, None]),
        "Ct": Taylor(m.mode_first, Ct1 if len(body.pairs) else None),
        "Cr": Taylor(-integrals.axial(m.mode_position), -integrals.axial(m.mode_mode) - integrals.axial(H)),
        "Me": Taylor(body.Me),
        "Gr": Taylor(
            -2.0 * integrals.crossed(m.mode_position.swapaxes(-1, -2)).transpose(1, 0, 2).reshape(3, 3 * n),
            -2.0 * integrals.crossed(m.mode_mode.swapaxes(-1, -2)).transpose(2, 1, 0, 3).reshape(3, n, 3 * n),
        ),
        "Ge": Taylor(-2.0 * integrals.axial(m.mode_mode).reshape(n, 3 * n)),
        "Oe": Taylor(integrals.centrifugal(m.mode_position), integrals.centrifugal(m.mode_mode) + integrals.centrifugal(H)),
        "ksigma": Taylor(np.zeros((n, 1))),
        "Ke": Taylor(body.Ke),
        "De": Taylor(body.De),
    }
    nodes = {number: _node(marker, body.pairs) for number, marker in enumerate(body.markers.values(), start=1)}
    name, *labels = (" ".join(text.split()) for text in (body.name, *body.mode_labels))  # one line each
    write_sid_data(SidData(body.mass, tuple(labels), nodes, parts, name), path)
    return tuple(warnings)


def _node(marker: PointFields, pairs: np.ndarray) -> dict[str, Taylor]:
    n = len(marker.Phi)
    skew = np.cross(np.eye(3)[None], marker.Psi[:, None, :], axis=-1)  # e_i x psi: row i of psi~
    phi1, psi1 = (integrals.pair_table(Z, pairs, n).transpose(2, 1, 0) if len(pairs) else None for Z in (marker.Zu, marker.Zr))
    return {
        "origin": Taylor(marker.position[:, None], marker.Phi.T[:, :, None]),
        "phi": Taylor(marker.Phi.T, phi1),
        "psi": Taylor(marker.Psi.T, psi1),
        "AP": Taylor(np.eye(3), skew.transpose(1, 0, 2)),
    }

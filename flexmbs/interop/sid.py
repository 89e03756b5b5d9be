"""SID_FEM files <-> FlexibleBody."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from flexmbs.common.errors import BodyError
from flexmbs.common.names_in_messages import refuse_unwritable
from flexmbs.interop import moments as integrals
from flexmbs.interop.arrays import body_from_arrays
from flexmbs.interop.moments import InertiaMoments
from flexmbs.interop.sid_file import J_ORDER, SidData, SidNode, Taylor, read_sid_data, six_of, write_sid_data
from flexmbs.reduction.compression import with_field_for_each_pair
from flexmbs.reduction.flexible_body import FlexibleBody


def read_sid(path: str | Path) -> FlexibleBody:
    """A flexible body from a SID_FEM file (numbers in SI).

    Every node becomes a marker, named by its number. The first-order parts of phi, psi, Ct, Cr and Oe contain the
    geometric stiffness under unit loads; they are converted to second-order fields of all pairs of modes. The terms
    missing in the format (products of second-order fields) are of second order in the modal coordinates.
    """
    data = read_sid_data(path)
    n, where = len(data.labels), str(path)
    for name in ("mdCM", "J", "Ct", "Cr", "Me", "Ke"):
        if name not in data.parts:
            raise BodyError(f"{where}: {name} is missing")
    if not data.mass > 1e-60:
        raise BodyError(f"{where}: the mass is {data.mass:g} kg; it must be positive")
    if not data.nodes:
        raise BodyError(f"{where}: the frame has no nodes; expected at least one 'new node'")
    warnings = list(data.notes)
    has_rotations = n == 0 or any(node.parts["psi"].M0.any() for node in data.nodes if "psi" in node.parts)
    K, pairs = _stiffness(data, where, warnings), _pairs(data)
    moments = _moments(data, pairs, where, warnings)
    fields = _nodal(data, n, where, warnings)
    if not has_rotations:
        warnings.append(f"{where}: psi is zero at every node: markers support only forces and spherical joints")
    if not len(pairs):
        warnings.append(
            f"{where}: contains no geometric stiffness (first-order parts of Ct, Oe, phi): this body does not stiffen "
            "under load or in rotation"
        )
    still = ~(fields["phi"].any(axis=(1, 2)) | fields["psi"].any(axis=(1, 2)))
    held = [node.number for node, rests in zip(data.nodes, still, strict=True) if rests and n and has_rotations]
    return body_from_arrays(
        points=fields["origin"],
        modes=fields["phi"].transpose(2, 0, 1),
        rotations=fields["psi"].transpose(2, 0, 1) if has_rotations else None,
        K=K,
        D=data.parts["De"].M0 if "De" in data.parts else None,
        moments=moments,
        pairs=pairs,
        quadratic=integrals.pair_values(fields["phi1"], pairs),
        quadratic_rotations=integrals.pair_values(fields["psi1"], pairs) if has_rotations else None,
        node_ids=[node.number for node in data.nodes],
        labels=data.labels,
        attached_at=str(held[0]) if held else None,
        name=data.name or Path(path).stem,
        source=where,
        warnings=warnings,
    )


def _stiffness(data: SidData, where: str, warnings: list[str]) -> np.ndarray:
    """Ke, plus the stiffness of a prestress if ksigma contains one."""
    K = data.parts["Ke"].M0
    stress = data.parts.get("ksigma")
    if stress is None:
        return K
    if stress.M0.shape[1] == 1 and stress.M0.any() and K.shape != (1, 1):
        warnings.append(f"{where}: ksigma: the modal forces of a prestress (m0) are ignored")
    extra = stress.M0 if stress.M0.shape == K.shape and K.shape != (1, 1) else None
    if stress.first_order is not None and stress.M0.shape[1] == 1:
        extra = stress.first_order[:, :, 0]
    if extra is not None and extra.any():
        warnings.append(f"{where}: ksigma: the stiffness of a prestress is added to Ke")
        K = K + extra
    return K


def _pairs(data: SidData) -> np.ndarray:
    """All pairs of modes if the file has geometric stiffness, otherwise none (Cr and Oe always have first orders)."""
    n = len(data.labels)
    geometric = data.parts["Ct"].first_order is not None or any(
        node.parts[name].first_order is not None for node in data.nodes for name in ("phi", "psi") if name in node.parts
    )
    return integrals.all_pairs(n if geometric else 0)


def _moments(data: SidData, pairs: np.ndarray, where: str, warnings: list[str]) -> InertiaMoments:
    n, parts = len(data.labels), data.parts
    first = parts["mdCM"].M0[:, 0]
    J = np.zeros((3, 3))
    for row, (i, j) in enumerate(J_ORDER):
        J[i, j] = J[j, i] = parts["J"].M0[row, 0]
    position = _mode_position(parts, n)
    second = integrals.second_moment(J)
    mode_mode = _mode_mode(data, position, second, bool(len(pairs)), where, warnings)
    trace = np.einsum("abkk->ab", mode_mode)
    error = np.abs(trace - parts["Me"].M0).max(initial=0.0) / max(np.abs(parts["Me"].M0).max(initial=0.0), 1e-300)
    if error > 1e-6:
        warnings.append(f"{where}: Me and the products of the modes in Gr, Ge, Oe contradict each other by {error:.1e}")
    if not len(pairs):
        return InertiaMoments(data.mass, first, second, parts["Ct"].M0, position, mode_mode)
    Ct1 = _first(parts, "Ct", (n, n, 3))
    Cr1 = _first(parts, "Cr", (n, n, 3)) + integrals.axial(mode_mode)  # less int Phi_b x Phi_a
    Oe1 = _first(parts, "Oe", (n, n, 6))
    if Oe1.any():
        Oe1 = Oe1 - integrals.centrifugal(mode_mode)
    listed = "Cr" in parts and parts["Cr"].M1 is not None
    product = integrals.from_centrifugal(Oe1) + integrals.from_axial(-Cr1 if listed else 0.0 * Cr1)
    # Ct1[a, b], product[a, b] belong to d(displacement)/dq_a dq_b = 2 Z_aa or Z_ab
    return InertiaMoments(
        data.mass,
        first,
        second,
        parts["Ct"].M0,
        position,
        mode_mode,
        pair_first=integrals.pair_values(Ct1, pairs),
        pair_position=integrals.pair_values(product, pairs),
    )


def _first(parts: dict[str, Taylor], name: str, shape: tuple[int, ...]) -> np.ndarray:
    return parts[name].M1 if name in parts and parts[name].M1 is not None else np.zeros(shape)


def _mode_position(parts: dict[str, Taylor], n: int) -> np.ndarray:
    """int Phi_a x^T dm (n, 3, 3): from Gr, or its antisymmetric part from Cr and its symmetric one from Oe or J."""
    if "Gr" in parts and parts["Gr"].M0.any():
        blocks = parts["Gr"].M0.reshape(3, n, 3).transpose(1, 0, 2)  # -2 int x~ Phi_a~ dm
        return integrals.from_crossed(-0.5 * blocks).swapaxes(-1, -2)
    antisymmetric = -integrals.from_axial(parts["Cr"].M0)
    if "Oe" in parts and parts["Oe"].M0.any():
        return antisymmetric + integrals.from_centrifugal(parts["Oe"].M0)
    J1 = np.zeros((n, 3, 3))
    for row, (i, j) in enumerate(J_ORDER):
        J1[:, i, j] = J1[:, j, i] = _first(parts, "J", (6, n, 1))[row, :, 0]
    return antisymmetric + 0.5 * (0.5 * np.trace(J1, axis1=1, axis2=2)[:, None, None] * np.eye(3) - J1)


def _mode_mode(
    data: SidData, position: np.ndarray, second: np.ndarray, geometric: bool, where: str, warnings: list[str]
) -> np.ndarray:
    """int Phi_a Phi_b^T dm (n, n, 3, 3): from Gr M1, or antisymmetric part from Ge and symmetric one from Oe M1."""
    n, parts = len(position), data.parts
    if "Gr" in parts and parts["Gr"].first_order is not None:
        blocks = parts["Gr"].first_order.reshape(3, n, n, 3).transpose(2, 1, 0, 3)  # [a, b]: -2 int Phi_b~ Phi_a~ dm
        return integrals.from_crossed(-0.5 * blocks).swapaxes(-1, -2)
    Ge = parts["Ge"].M0.reshape(n, n, 3) if "Ge" in parts else np.zeros((n, n, 3))
    antisymmetric = integrals.from_axial(-0.5 * (Ge - Ge.swapaxes(0, 1)) / 2.0)
    if not geometric and "Oe" in parts and parts["Oe"].first_order is not None:
        T = integrals.from_centrifugal(parts["Oe"].first_order)
        return antisymmetric + 0.5 * (T + T.swapaxes(0, 1))
    warnings.append(
        f"{where}: the file does not say how the modal mass is distributed over the directions x, y, z (Gr has no "
        "first-order part): it is estimated from the mode shapes at the nodes"
    )
    return antisymmetric + _divided(data, position, second)


def _divided(data: SidData, position: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Symmetric int Phi_a Phi_b^T dm with trace Me: what Ct and ``position`` imply, the rest in directions of nodal motion."""
    n, first, mass = len(position), data.parts["mdCM"].M0[:, 0], data.mass
    Ct = data.parts["Ct"].M0
    central = second - np.outer(first, first) / mass
    coupled = position - Ct[:, :, None] * first / mass
    known = np.einsum("akm,mn,bln->abkl", coupled, np.linalg.pinv(central, rcond=1e-10, hermitian=True), coupled)
    known += np.einsum("ak,bl->abkl", Ct, Ct) / mass
    rest = data.parts["Me"].M0 - np.einsum("abkk->ab", known)
    shares = _share_roots(data, n)
    T = known + np.einsum("ab,akm,bml->abkl", rest, shares, shares)
    T = 0.5 * (T + T.swapaxes(-1, -2))
    return T + ((data.parts["Me"].M0 - np.einsum("abkk->ab", T)) / 3.0)[:, :, None, None] * np.eye(3)


def _share_roots(data: SidData, n: int) -> np.ndarray:
    """(n, 3, 3) symmetric roots of the distribution of nodal motion over directions in each mode (trace 1)."""
    phi = np.array([node.parts["phi"].M0 if "phi" in node.parts else np.zeros((3, n)) for node in data.nodes])
    directions = np.einsum("ika,ila->akl", phi, phi)
    total = np.trace(directions, axis1=1, axis2=2)[:, None, None]
    known = total > 0.0
    shares = np.where(known, directions / np.where(known, total, 1.0), np.eye(3) / 3.0)
    values, vectors = np.linalg.eigh(shares)
    return np.einsum("akm,am,alm->akl", vectors, np.sqrt(np.maximum(values, 0.0)), vectors)


def _nodal(data: SidData, n: int, where: str, warnings: list[str]) -> dict[str, np.ndarray]:
    """origin (k, 3); phi, psi (k, 3, n); phi1, psi1 (n, n, k, 3): first-order parts by [a, b]."""
    none = Taylor(np.zeros((3, n)))

    def part(node: SidNode, name: str) -> Taylor:
        return node.parts.get(name, none)

    others = [node.number for node in data.nodes if " ".join(node.frame.lower().split()) not in ("body ref", "")]
    if others:
        raise BodyError(f"{where}: node {others[0]} is given in a frame other than 'body ref'")
    axes = {node.number: node.parts["AP"].M0 for node in data.nodes if "AP" in node.parts}
    turned = [number for number, AP in axes.items() if np.abs(AP - np.eye(3)).max() > 1e-9]
    if turned:
        warnings.append(f"{where}: the axes of node {turned[0]} (AP) are rotated; its marker has the axes of the body")
    found = {"origin": np.array([node.parts["origin"].M0[:, 0] for node in data.nodes])}
    for name in ("phi", "psi"):
        found[name] = np.array([part(node, name).M0 for node in data.nodes])
        first = [part(node, name).M1 for node in data.nodes]
        # M1(k, b, a): derivative in q_b of the shape of mode a
        found[name + "1"] = np.array([np.zeros((3, n, n)) if M1 is None else M1 for M1 in first]).transpose(3, 2, 0, 1)
    return found


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
    nodes = tuple(_sid_node(number, marker, body.pairs) for number, marker in enumerate(body.markers.values(), start=1))
    name, *labels = (" ".join(text.split()) for text in (body.name, *body.mode_labels))  # one line each
    write_sid_data(SidData(body.mass, tuple(labels), nodes, parts, "written by flexmbs", name), path)
    return tuple(warnings)


def _sid_node(number: int, marker, pairs: np.ndarray) -> SidNode:
    n = len(marker.Phi)
    skew = np.cross(np.eye(3)[None], marker.Psi[:, None, :], axis=-1)  # e_i x psi: row i of psi~
    phi1, psi1 = (integrals.pair_table(Z, pairs, n).transpose(2, 1, 0) if len(pairs) else None for Z in (marker.Zu, marker.Zr))
    parts = {
        "origin": Taylor(marker.position[:, None], marker.Phi.T[:, :, None]),
        "phi": Taylor(marker.Phi.T, phi1),
        "psi": Taylor(marker.Psi.T, psi1),
        "AP": Taylor(np.eye(3), skew.transpose(1, 0, 2)),
    }
    return SidNode(number, "body ref", parts)

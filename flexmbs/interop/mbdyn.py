"""MBDyn's FEM file <-> FlexibleBody."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from flexmbs.common.errors import BodyError, BodyWarning
from flexmbs.common.user_warnings import warn
from flexmbs.interop import moments as integrals
from flexmbs.interop.arrays import body_from_arrays, moments_of_nodes
from flexmbs.interop.mbdyn_file import MbdynData, read_mbdyn_data, write_mbdyn_data
from flexmbs.interop.moments import InertiaMoments
from flexmbs.reduction.compression import with_field_for_each_pair
from flexmbs.reduction.flexible_body import FlexibleBody


def read_mbdyn_fem(path: str | Path) -> FlexibleBody:
    """A flexible body from the FEM file of an MBDyn modal joint (numbers in SI).

    Inertia is taken from groups 12 and 14 to 18 if all exist, otherwise from the lumped mass of group 11. Every
    node becomes a marker, named by its label. Group 19 (stiffness under unit inertia loads, numbers 1 to 12) is
    converted to second-order fields; without it the body has no geometric stiffness.
    """
    data = read_mbdyn_data(path)
    n, nn = data.shapes.shape[:2]
    warnings: list[str] = []
    moments, pairs = _with_stiffening(_moments(data, str(path), warnings), data, str(path), warnings)
    rotations = data.shapes[..., 3:]
    has_rotations = n == 0 or bool(rotations.any())
    if not has_rotations:
        warnings.append(f"{path}: record group 8 has no rotations: markers support only forces and spherical joints")
    numbered = all(label.isdecimal() and len(label) < 18 for label in data.node_ids)
    ids = [int(label) for label in data.node_ids] if numbered else list(range(1, nn + 1))
    body = body_from_arrays(
        points=data.points,
        modes=data.shapes[..., :3],
        rotations=rotations if has_rotations else None,
        K=data.stiffness,
        D=data.damping,
        moments=moments,
        pairs=pairs,
        node_ids=ids,
        markers=dict(zip(data.node_ids, ids, strict=True)),
        name=Path(path).stem,
        source=str(path),
        warnings=warnings,
    )
    return _with_notes(body, data, str(path))


def _with_stiffening(
    moments: InertiaMoments, data: MbdynData, where: str, warnings: list[str]
) -> tuple[InertiaMoments, np.ndarray]:
    """Integrals of second-order fields from group 19, and the pairs of modes."""
    # stiffnesses per unit of 1 to 6: w1^2, w2^2, w3^2, w1 w2, w2 w3, w3 w1; 7 to 9: angular acceleration; 10 to 12:
    # acceleration less gravity; 13 and above: loads at nodes
    n = len(data.mass)
    if not any(1 <= number <= 12 for number in data.stiffening):
        warnings.append(f"{where}: no stress stiffening (record group 19): this body does not stiffen under load or in rotation")
        return moments, integrals.all_pairs(0)
    absent = [str(number) for number in range(1, 13) if number not in data.stiffening]
    if absent:
        warnings.append(f"{where}: record group 19 lacks the unit loads {', '.join(absent)}: these do not stiffen the body")
    warnings.append(
        f"{where}: the body stiffens under inertia loads, but not under forces at its markers: the format has no "
        "second-order displacements of the nodes"
    )
    none = np.zeros((n, n))
    table = np.stack([data.stiffening.get(number, none) for number in range(1, 13)], axis=-1)
    product = integrals.from_centrifugal(table[..., :6]) - integrals.from_axial(table[..., 6:9])
    pairs = integrals.all_pairs(n)
    first, position = integrals.pair_values(table[..., 9:], pairs), integrals.pair_values(product, pairs)
    return replace(moments, pair_first=first, pair_position=position), pairs


def _moments(data: MbdynData, where: str, warnings: list[str]) -> InertiaMoments:
    invariants = {14: data.inv3, 15: data.inv4, 16: data.inv8, 17: data.inv5, 18: data.inv9}
    absent = [str(number) for number, values in invariants.items() if values is None]
    if data.rigid_mass is not None and not absent:
        return _moments_of_invariants(data, where, warnings)
    if data.lumped is None:
        groups = ", ".join([*(["12"] if data.rigid_mass is None else []), *absent])
        raise BodyError(
            f"{where}: the inertia is incomplete: record group 11 (lumped mass) or groups 12 and 14 to 18 are needed "
            f"(record group {groups} is missing)"
        )
    if data.rigid_mass is not None or len(absent) < len(invariants):
        warnings.append(f"{where}: inertia is taken from the lumped mass of group 11; groups 12 and 14 to 18 are ignored")
    return _moments_of_lumped(data, where, warnings)


def _moments_of_lumped(data: MbdynData, where: str, warnings: list[str]) -> InertiaMoments:
    masses = data.lumped[:, :3]
    if np.any(np.ptp(masses, axis=1) > 1e-9 * np.abs(masses).max(initial=0.0)):
        raise BodyError(f"{where}: record group 11: the three masses of a node differ; expected one mass per node")
    if data.lumped[:, 3:].any():
        warnings.append(f"{where}: record group 11: moments of inertia of the nodes are ignored")
    moments = moments_of_nodes(data.points, data.shapes[..., :3], np.zeros((0, len(data.points), 3)), masses[:, 0], where)
    found = np.einsum("abkk->ab", moments.mode_mode)
    error = np.abs(found - data.mass).max(initial=0.0) / max(np.abs(data.mass).max(initial=0.0), 1e-300)
    if error > 1e-6:
        warnings.append(f"{where}: the modal mass of group 9 and that of the lumped masses differ by {error:.1e}")
    return moments


def _moments_of_invariants(data: MbdynData, where: str, warnings: list[str]) -> InertiaMoments:
    mass, center = data.rigid_mass, data.center
    position = integrals.from_crossed(-data.inv8.transpose(2, 0, 1)).transpose(0, 2, 1)
    mode_mode = integrals.from_crossed(data.inv9.transpose(3, 2, 0, 1))
    size = np.abs(data.mass).max(initial=1e-300)
    for text, error in (
        ("group 9 and group 18 (trace)", np.abs(np.einsum("abkk->ab", mode_mode) - data.mass).max(initial=0.0) / size),
        ("group 17 and group 18", np.abs(integrals.axial(mode_mode) - data.inv5.transpose(2, 1, 0)).max(initial=0.0) / size),
        (
            "group 15 and group 16",
            np.abs(-integrals.axial(position) - data.inv4.T).max(initial=0.0)
            / max(np.abs(data.inv4).max(initial=0.0), np.abs(data.inv8).max(initial=0.0), 1e-300),
        ),
    ):
        if error > 1e-6:
            warnings.append(f"{where}: {text} contradict each other by {error:.1e}; the latter is used")
    return InertiaMoments(
        mass=mass,
        first=mass * center,
        second=integrals.second_moment(0.5 * (data.inertia + data.inertia.T)) + mass * np.outer(center, center),
        mode_first=data.inv3.T,
        mode_position=position,
        mode_mode=mode_mode,
    )


def _with_notes(body: FlexibleBody, data: MbdynData, where: str) -> FlexibleBody:
    notes = []
    if data.unknown_groups:
        notes.append(f"{where}: record groups {', '.join(map(str, data.unknown_groups))} are not read")
    started = [values for values in (data.initial_displacement, data.initial_velocity) if values is not None]
    if any(values.any() for values in started):
        notes.append(
            f"{where}: initial modal displacements and velocities (groups 3, 4) are not part of a body; pass them to "
            "System.add(modal_coordinates=..., modal_velocities=...)"
        )
    warn(notes, BodyWarning, where=f"body '{body.name}'")
    return replace(body, warnings=(*body.warnings, *notes))


def write_mbdyn_fem(
    body: FlexibleBody, path: str | Path, *, all_nodes: bool = False, stress_stiffening: bool = True
) -> tuple[str, ...]:
    """Write ``body`` as the FEM file of an MBDyn modal joint; returns messages about data the format cannot hold.

    Parameters
    ----------
    all_nodes : False: only the markers, numbered from 1 in order; True: the nodes of the mesh with their own numbers,
        followed by the markers
    stress_stiffening : whether to write group 19, which only newer versions of MBDyn read

    The modal node of MBDyn is at the origin of the body frame.
    """
    body = with_field_for_each_pair(body)
    moments = integrals.moments_of_fields(body.inertia, body.mass)
    labels, points, shapes, warnings = _exposed(body, all_nodes)
    if body.cubic is not None:
        warnings.append("the format cannot store the cubic strain energy")
    n = body.mode_count
    center = moments.first / moments.mass
    central = moments.second - moments.mass * np.outer(center, center)
    mode_mode, position = moments.mode_mode, moments.mode_position
    data = MbdynData(
        node_ids=labels,
        points=points,
        shapes=shapes,
        mass=body.Me,
        stiffness=body.Ke,
        initial_displacement=np.zeros(n),
        initial_velocity=np.zeros(n),
        rigid_mass=body.mass,
        center=center,
        inertia=integrals.inertia_tensor(central),
        damping=body.De,
        inv3=moments.mode_first.T,
        inv4=-integrals.axial(position).T,
        inv8=-integrals.crossed(position.transpose(0, 2, 1)).transpose(1, 2, 0),
        inv5=integrals.axial(mode_mode).transpose(2, 1, 0),
        inv9=integrals.crossed(mode_mode).transpose(2, 3, 1, 0),
        stiffening=_stiffening(moments, body) if stress_stiffening and len(body.pairs) else {},
    )
    write_mbdyn_data(data, path)
    if len(body.pairs):
        kept = "only the stiffness under inertia loads (group 19) is kept" if stress_stiffening else "none is kept"
        warnings.append(f"second-order fields of {len(body.pairs)} pairs of modes (geometric stiffness): {kept}")
    return tuple(warnings)


def _stiffening(moments: InertiaMoments, body: FlexibleBody) -> dict[int, np.ndarray]:
    """Group 19, numbers 1 to 12: see ``_with_stiffening``."""
    H = integrals.pair_table(moments.pair_position, body.pairs, body.mode_count)
    first = integrals.pair_table(moments.pair_first, body.pairs, body.mode_count)
    table = np.concatenate([integrals.centrifugal(H), -integrals.axial(H), first], axis=-1)
    return {number: table[..., number - 1] for number in range(1, 13)}


def _exposed(body: FlexibleBody, all_nodes: bool):
    """Labels, points (k, 3), shapes (n, k, 6) of the nodes written, and warnings."""
    labels, points, shapes = [], [], []
    warnings = []
    if all_nodes:
        rotations = np.zeros_like(body.modes) if body.rotations is None else body.rotations
        labels += [str(number) for number in body.node_ids]
        points.append(body.points)
        shapes.append(np.concatenate([body.modes, rotations], axis=2))
        if body.rotations is None:
            warnings.append("nodes of solids have no rotations: zeros are written for them")
    first = (int(body.node_ids.max(initial=0)) if all_nodes else 0) + 1
    for number, (name, marker) in enumerate(body.markers.items(), start=first):
        labels.append(str(number))
        points.append(marker.position[None])
        shapes.append(np.concatenate([marker.Phi, marker.Psi], axis=1)[:, None])
        if name != str(number):
            warnings.append(f"marker '{name}' is node {number}: the format numbers its nodes")
    if not labels:
        raise BodyError(f"body '{body.name}' has no markers; write all nodes instead (all_nodes=True)")
    return tuple(labels), np.concatenate(points), np.concatenate(shapes, axis=1), warnings

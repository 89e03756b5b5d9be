"""The swept section of beams: what is drawn, and the stress on it."""

from __future__ import annotations

import numpy as np

from flexmbs.fem.beams.elements import ENDS, BeamElements, beam_shapes
from flexmbs.fem.beams.second_order import evaluate, second_order_section_motion, section_motion
from flexmbs.fem.stress_field import SurfaceFields, as_six, as_tensors
from flexmbs.mesh.mesh import ElementBlock, Mesh

# cosine above which two beams meeting at a node are drawn as one bent beam rather than as a corner
SMOOTH_COSINE = 0.7


def beam_surface(mesh: Mesh, elements: BeamElements, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> SurfaceFields:
    """Section outlines swept along the beams, with closed ends, displacement fields and stress modes.

    Stress is that of ``outline_stress``, the mean of the two elements that meet.
    """
    first = evaluate(elements, beam_shapes(elements, ENDS), modes)
    shapes_strain = beam_shapes(elements, ENDS).force_strain @ elements.local(modes)[:, None]
    moved = section_motion(elements, first.u, first.turn).transpose(1, 2, 0, 3, 4)
    moved_twice = second_order_section_motion(elements, ENDS, modes, pairs, quadratic).transpose(1, 2, 0, 3, 4)
    points, linear, second, stress = [], [], [], []
    rings, ring_numbers = _ring_numbers(elements)
    at_ends, row = {}, np.zeros(len(elements.nodes), dtype=int)  # row: of an element among those of its block
    for index in np.unique(elements.block):
        rows = np.flatnonzero(elements.block == index)
        row[rows] = np.arange(len(rows))
        fields = moved[rows], moved_twice[rows], shapes_strain[rows, :, 0], first.dturn[rows]
        at_ends[index] = _at_ends(elements, rows, mesh.blocks[index], *fields)
    for ends in rings:
        of_block = at_ends[elements.block[ends[0][0]]]
        for target, values in zip((points, linear, second, stress), of_block, strict=True):
            target.append(sum(values[row[e], end] for e, end in ends) / len(ends))
    faces, owners = _faces(mesh, elements, rings, ring_numbers)
    return SurfaceFields(
        points=np.concatenate(points),
        faces=faces,
        modes=np.ascontiguousarray(np.concatenate(linear).transpose(2, 0, 1)),
        quadratic=np.ascontiguousarray(np.concatenate(second).transpose(2, 0, 1)),
        stress_modes=np.ascontiguousarray(np.concatenate(stress).transpose(2, 0, 1)),
        elements=elements.ids[owners],
    )


def _at_ends(
    elements: BeamElements,
    rows: np.ndarray,
    block: ElementBlock,
    moved: np.ndarray,
    moved_twice: np.ndarray,
    strain: np.ndarray,
    dturn: np.ndarray,
) -> tuple[np.ndarray, ...]:
    """Points, fields and stress (rows, 2, corners, ...) on the outline at both ends of the elements of a block."""
    outline = np.asarray(block.section.outline, dtype=float)
    rho = np.column_stack([np.zeros(len(outline)), outline])
    share = np.column_stack([np.ones(len(outline)), outline])
    frame = elements.frame[rows, None]
    points = elements.start[rows, None] + (ENDS * elements.length[rows, None])[..., None] * frame[:, :, 0]
    own = outline_stress(block.material, strain, dturn, outline)
    in_mesh = frame.swapaxes(-1, -2)[:, :, None, None] @ as_tensors(np.moveaxis(own, 3, 4)) @ frame[:, :, None, None]
    return (
        points[:, :, None] + rho @ frame,
        *(_shared(share, field) for field in (moved, moved_twice)),
        np.moveaxis(as_six(in_mesh), 4, 3),
    )


def _shared(share: np.ndarray, field: np.ndarray) -> np.ndarray:
    """(ne, 2, corners, 3, n) of a field (ne, 2, 3, 3, n) of section motions."""
    found = share @ field.reshape(*field.shape[:3], -1)
    return found.reshape(*found.shape[:3], *field.shape[3:])


def _ring_numbers(elements: BeamElements) -> tuple[list[list[tuple[int, int]]], np.ndarray]:
    """The rings, and for each element the ring at its two ends (ne, 2)."""
    starts: dict[int, list[int]] = {}
    ends: dict[int, list[int]] = {}
    for e, (i, j) in enumerate(elements.nodes):
        starts.setdefault(int(i), []).append(e)
        ends.setdefault(int(j), []).append(e)
    rings: list[list[tuple[int, int]]] = []
    number = np.zeros((len(elements.nodes), 2), dtype=int)
    for e in range(len(elements.nodes)):
        for end in (0, 1):
            other = _continuation(elements, e, end, starts, ends)
            if other is not None and end == 0:
                continue  # its ring is made where the element before it ends
            number[e, end] = len(rings)
            rings.append([(e, end)])
            if other is not None:
                number[other, 0] = number[e, 1]
                rings[-1].append((other, 0))
    return rings, number


def _continuation(elements: BeamElements, e: int, end: int, starts: dict, ends: dict) -> int | None:
    """The element that continues smoothly at this end of element e, if exactly two meet head to tail there."""
    node = int(elements.nodes[e, end])
    before, after = ends.get(node, []), starts.get(node, [])
    if len(before) != 1 or len(after) != 1:
        return None
    i, j = before[0], after[0]
    aligned = np.einsum("ij,ij->i", elements.frame[i, :2], elements.frame[j, :2]).min() > SMOOTH_COSINE
    if not aligned or elements.block[i] != elements.block[j]:
        return None
    return j if end == 1 else i


def _faces(mesh: Mesh, elements: BeamElements, rings: list, number: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """VTK face list and the element (row) of each face: quadrilaterals between its rings, polygons at free ends."""
    sizes = [len(mesh.blocks[elements.block[ring[0][0]]].section.outline) for ring in rings]
    first = np.concatenate([[0], np.cumsum(sizes)])
    faces: list[int] = []
    owners: list[int] = []
    for e, (a, b) in enumerate(number):
        i = np.arange(sizes[a])
        j = np.roll(i, -1)
        quads = np.column_stack([np.full(len(i), 4), first[a] + i, first[a] + j, first[b] + j, first[b] + i])
        faces.extend(quads.ravel().tolist())
        owners.extend([e] * len(quads))
    for k, ring in enumerate(rings):
        if len(ring) == 1:
            corners = range(first[k], first[k + 1]) if ring[0][1] == 1 else range(first[k + 1] - 1, first[k] - 1, -1)
            faces.extend([sizes[k], *corners])
            owners.append(ring[0][0])
    return np.array(faces, dtype=int), np.array(owners, dtype=int)


def outline_stress(material, axial: np.ndarray, curvature: np.ndarray, outline: np.ndarray) -> np.ndarray:
    """(..., corners, 6, n) Pa in section axes from axial strain (..., n), twist and curvatures (..., 3, n)."""
    y, z = outline[:, :1], outline[:, 1:]
    stress = np.zeros((*axial.shape[:-1], len(outline), 6, axial.shape[-1]))
    bent = axial[..., None, :] - y * curvature[..., None, 2, :] + z * curvature[..., None, 1, :]
    stress[..., 0, :] = material.youngs_modulus * bent
    stress[..., 4, :] = material.shear_modulus * y * curvature[..., None, 0, :]
    stress[..., 5, :] = -material.shear_modulus * z * curvature[..., None, 0, :]
    return stress

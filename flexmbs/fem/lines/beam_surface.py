"""The swept section of beams: what is drawn, and the stress on it."""

from __future__ import annotations

import numpy as np

from flexmbs.fem.lines.beam_elements import BeamElements, beam_shapes
from flexmbs.fem.lines.beam_second_order import evaluate, second_order_section_motion, section_motion
from flexmbs.fem.lines.beam_stress import ENDS, outline_stress
from flexmbs.fem.stress_field import as_six, as_tensors
from flexmbs.fem.surface_fields import SurfaceFields
from flexmbs.mesh.mesh import Mesh

# cosine above which two beams meeting at a node are drawn as one bent beam rather than as a corner
SMOOTH_COSINE = 0.7


def beam_surface(
    mesh: Mesh, elements: BeamElements, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray
) -> SurfaceFields:
    """Section outlines swept along the beams, with closed ends, displacement fields and stress modes.

    Stress is that of ``outline_stress``, the mean of the two elements that meet.
    """
    first = evaluate(elements, beam_shapes(elements, ENDS), modes)
    shapes_strain = beam_shapes(elements, ENDS).force_strain @ elements.local(modes)[:, None]
    moved = section_motion(elements, first.u, first.turn).transpose(1, 2, 0, 3, 4)
    moved_twice = second_order_section_motion(elements, ENDS, modes, pairs, quadratic).transpose(1, 2, 0, 3, 4)
    n, npairs = modes.shape[1], len(pairs)
    points, linear, second, stress = [], [], [], []
    rings, ring_numbers = _ring_numbers(elements)
    for ends in rings:
        block = mesh.blocks[elements.block[ends[0][0]]]
        outline = np.asarray(block.section.outline, dtype=float)
        rho = np.column_stack([np.zeros(len(outline)), outline])
        share = np.column_stack([np.ones(len(outline)), outline])
        values = [
            np.zeros((len(rho), 3)),
            np.zeros((len(rho), 3, n)),
            np.zeros((len(rho), 3, npairs)),
            np.zeros((len(rho), 6, n)),
        ]
        for e, end in ends:
            frame = elements.frame[e]
            values[0] += elements.start[e] + end * elements.length[e] * frame[0] + rho @ frame
            values[1] += np.tensordot(share, moved[e, end], 1)
            values[2] += np.tensordot(share, moved_twice[e, end], 1)
            own = outline_stress(block.material, shapes_strain[e, end, 0], first.dturn[e, end], outline)
            values[3] += np.moveaxis(as_six(frame.T @ as_tensors(np.moveaxis(own, 1, 2)) @ frame), 2, 1)
        for target, value in zip((points, linear, second, stress), values, strict=True):
            target.append(value / len(ends))
    return SurfaceFields(
        points=np.concatenate(points),
        faces=_faces(mesh, elements, rings, ring_numbers),
        modes=np.ascontiguousarray(np.concatenate(linear).transpose(2, 0, 1)),
        quadratic=np.ascontiguousarray(np.concatenate(second).transpose(2, 0, 1)),
        stress_modes=np.ascontiguousarray(np.concatenate(stress).transpose(2, 0, 1)),
    )


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


def _faces(mesh: Mesh, elements: BeamElements, rings: list, number: np.ndarray) -> np.ndarray:
    """VTK face list: quadrilaterals between the rings of each element, polygons at free ends."""
    sizes = [len(mesh.blocks[elements.block[ring[0][0]]].section.outline) for ring in rings]
    first = np.concatenate([[0], np.cumsum(sizes)])
    faces: list[int] = []
    for a, b in number:
        i = np.arange(sizes[a])
        j = np.roll(i, -1)
        quads = np.column_stack([np.full(len(i), 4), first[a] + i, first[a] + j, first[b] + j, first[b] + i])
        faces.extend(quads.ravel().tolist())
    for k, ring in enumerate(rings):
        if len(ring) == 1:
            corners = range(first[k], first[k + 1]) if ring[0][1] == 1 else range(first[k + 1] - 1, first[k] - 1, -1)
            faces.extend([sizes[k], *corners])
    return np.array(faces, dtype=int)

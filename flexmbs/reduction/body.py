"""The last stage of a reduction: the flexible body, with everything that it keeps of its mesh."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from flexmbs.common.errors import BodyError
from flexmbs.reduction.body_layout import BodyCheck
from flexmbs.reduction.checked import Reduction
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.reduction.interface import Attachment


def body(known: Reduction) -> Reduction:
    """The body with all that was found, the places of its interfaces, options and warnings."""
    fem, basis = known.fem, known.basis
    sections = fem.section_force_modes(basis.fields)
    remarks = (f"interface '{key}': {remark}" for key, found in known.attached.items() for remark in found.place.remarks)
    warnings = (*fem.mesh.warnings, *_without_rotation(known.attached), *remarks, *known.remarks)
    modes, rotations = _nodal(fem, basis.fields)
    quadratic, quadratic_rotations = _nodal(fem, known.Z)
    made = FlexibleBody(
        name=known.name or fem.mesh.source or "body",
        mass=float(fem.mass),
        frequencies=basis.omega / (2.0 * np.pi),
        mode_labels=basis.labels,
        Me=known.Me,
        Ke=known.Ke,
        De=known.De,
        pairs=known.pairs,
        forms=known.forms,
        inertia=known.inertia,
        points=np.array(fem.mesh.points, dtype=float),
        node_ids=np.array(fem.mesh.node_ids),
        modes=modes,
        rotations=rotations,
        quadratic=quadratic,
        quadratic_rotations=quadratic_rotations,
        markers=known.markers,
        surface=known.surface,
        attached_at=known.at,
        source=fem.mesh.source,
        options=_options(known),
        warnings=tuple(dict.fromkeys(warnings)),
        places={name: found.place for name, found in known.attached.items()},
        flexibility=known.flexibility,
        stress_modes=fem.stress_modes(basis.fields, "nodes") if known.stress == "nodes" else None,
        section_force_modes=sections if len(sections) else None,
    )
    try:
        BodyCheck.of(made, f"body '{made.name}'").part(made)
    except BodyError as error:
        remedy = "; check coordinates, materials and sections of the mesh" if "finite" in str(error) else ""
        raise BodyError(f"{error}{remedy}") from None
    return replace(known, body=made)


def _without_rotation(attached: Mapping[str, Attachment]) -> tuple[str, ...]:
    """A warning for each interface whose nodes do not determine a rotation."""
    return tuple(
        f"interface '{name}': its {'node' if len(found.nodes) == 1 else 'nodes in one line'} of a solid"
        f" determine{'s' * (len(found.nodes) == 1)} no rotation, so it supports only forces and spherical joints; for"
        " other joints use a set of nodes that spans an area."
        for name, found in attached.items()
        if not found.has_rotation
    )


def _nodal(fem, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Displacements and rotations at the nodes, (n, nn, 3) each, of fields (ndof, n); rotations None for solids."""
    nodal = columns.T.reshape(columns.shape[1], len(fem.mesh.points), fem.dofs_per_node)
    return nodal[..., :3].copy(), nodal[..., 3:].copy() if fem.dofs_per_node == 6 else None


def _options(known: Reduction) -> dict[str, object]:
    fem, basis = known.fem, known.basis
    options = {"modes": repr(known.modes), "second_order": repr(known.second_order)}
    if len(basis.omega):
        options["normal_modes_to_hz"] = basis.normal_limit / (2.0 * np.pi)
    if fem.dofs_per_node == 6:
        options |= {"beam_theory": fem.beam_theory, "rotary_inertia": bool(fem.rotary_inertia)}
    return options

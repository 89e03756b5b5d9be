"""From a mesh to a flexible body: assembly, supports, modes, second-order fields, inertia."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.common.blas_threads import one_blas_thread
from flexmbs.common.errors import BasisWarning, BodyError, BodyWarning
from flexmbs.common.names_in_messages import names_arguments, refuse_unwritable
from flexmbs.common.progress import on_progress, stage
from flexmbs.common.user_warnings import warn
from flexmbs.fem.assemble import BEAM_THEORIES, assemble
from flexmbs.fem.mpc.multipoint_constraints import without_idle_links
from flexmbs.fem.rigid_motion import rigid_motions
from flexmbs.fem.solids.solid_elements import SolidOptions
from flexmbs.fem.solvers.memory import memory_errors_named
from flexmbs.mesh.check_mesh import check_mesh
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.omissions import omissions
from flexmbs.reduction.body_cache import BodyCache
from flexmbs.reduction.body_fields import HeldBody, body_fields
from flexmbs.reduction.constrained_body import symmetric
from flexmbs.reduction.contact_patches import (
    ContactPatch,
    MasslessModes,
    at_their_patches,
    attachment_loads,
    checked_patches,
    residual_flexibility,
    with_patches,
    without_inertia,
)
from flexmbs.reduction.damping import DampingChoice, damping_matrix
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.reduction.inertia_basis import inertia_fields, modal_mass
from flexmbs.reduction.interface import Attachment, Interface, attach_all
from flexmbs.reduction.mode_selection import Modes
from flexmbs.reduction.options import ModeChoice, SecondOrder, second_order_choice
from flexmbs.reduction.reference_conditions import hold
from flexmbs.reduction.shared_nodes import refuse_overlap
from flexmbs.reduction.static_modes import basis


@names_arguments(BodyError)
@on_progress()
@one_blas_thread()
def reduce(
    mesh: Mesh,
    *,
    interfaces: Mapping[str, str | Interface],
    modes: ModeChoice,
    contact_patches: Mapping[str, ContactPatch] | None = None,
    name: str | None = None,
    beam_theory: str = "timoshenko",
    rotary_inertia: bool = True,
    hex8: str = "incompatible",
    hex20: str = "file",
    second_order: str | SecondOrder = "full",
    damping: DampingChoice = None,
    stress: str = "surface",
    trust_units: bool = False,
    cache: bool | None = None,
) -> FlexibleBody:
    """Reduce a mesh to a flexible body with modes, second-order fields and all inertia integrals.

    Parameters
    ----------
    interfaces : marker name -> name of a node set (averaged), or an Interface
    modes : ClampedFree(at=interface name, ...), CraigBampton(at=interface name, ...) or FreeFree(...)
    contact_patches : marker name -> ContactPatch: how these interfaces yield where they are touched, beyond the modes
        (docs/impact_modes.md)
    name : of the body; default: the file of the mesh
    beam_theory : "timoshenko" or "euler-bernoulli" (meshes of beams)
    rotary_inertia : False: beams have line mass only
    hex8 : "incompatible" or "plain"; hex20 : "file", "full" or "reduced" (see ``assemble``)
    second_order : "full" (geometric stiffness, all pairs of modes), "none", or SecondOrder(pairs=..., tolerance=...,
        field_tolerance=...)
    damping : None, a damping ratio, one ratio per mode, Rayleigh(alpha, beta), DampingByFrequency(...), "adams" (1 % of
        critical up to 100 Hz, 10 % up to 1 kHz, critical above), or "material": the damping of the materials in the
        file. Dashpots of the mesh are always included.
    stress : "surface", or "nodes": also at all nodes and by material, which stores six more numbers per node and mode
    trust_units : True: units that do not look like SI give a warning instead of an error
    cache : None: a body that took more than a second is kept on disk and reused, bit for bit, if mesh, options
        and flexmbs are the same (docs/reduced_bodies.md); True: any body; False: always compute, keep nothing

    Raises
    ------
    MeshError : the mesh cannot be assembled.
    BodyError : an interface is not found, more modes are requested than exist, or an option is invalid.

    Warns
    -----
    BodyWarning : remarks of ``check_mesh``, and everything else in ``FlexibleBody.warnings``.
    BasisWarning : the modes miss part of the strain under a load at an interface (``FlexibleBody.advice()``). A choice
        by kind (``bending=(3, 0)``) leaves the body rigid in some directions on purpose; these are not reported.
    """
    contents = dict(locals())  # first: all arguments, and nothing else
    del contents["cache"]
    if not isinstance(mesh, Mesh):
        raise BodyError(f"reduce: expected a Mesh, as fm.read_mesh(path) gives it, not {mesh!r}")
    if not isinstance(interfaces, Mapping):
        raise BodyError(f"reduce: interfaces must be a dict from marker to node set, as {{'hinge': 'ROOT'}}, not {interfaces!r}")
    refuse_unwritable((name or "", *interfaces), "reduce", BodyError)
    if beam_theory not in BEAM_THEORIES:
        raise BodyError(f"beam_theory must be {' or '.join(map(repr, BEAM_THEORIES))}, not {beam_theory!r}")
    try:
        SolidOptions(hex8, hex20)
    except ValueError as error:
        raise BodyError(str(error)) from None
    told = (*mesh.warnings, *omissions(mesh))  # when the file was read
    with BodyCache(contents, cache) as kept:
        body = kept.find()
        if body is None:
            body, issued = _computed(**contents)
            told = (*told, *issued)
            kept.keep(body)
    return _with_warnings(body, told, modes)


def _computed(
    mesh: Mesh, *, beam_theory: str, rotary_inertia: bool, hex8: str, hex20: str, trust_units: bool, **choices: Any
) -> tuple[FlexibleBody, Sequence[str]]:
    """The body of a mesh, and those of its warnings that ``assemble`` has issued; ``choices`` of :func:`reduce_model`."""
    warnings = check_mesh(mesh, trust_units=trust_units, hex8=hex8, hex20=hex20)
    refuse_overlap(mesh, choices["interfaces"])
    joined = without_idle_links(mesh)
    joined = replace(joined, warnings=tuple(dict.fromkeys((*joined.warnings, *warnings))))
    fem = assemble(joined, beam_theory=beam_theory, rotary_inertia=rotary_inertia, hex8=hex8, hex20=hex20)
    body = reduce_model(fem, **choices)
    body = replace(body, warnings=tuple(dict.fromkeys(body.warnings + warnings)))
    return body, [message for message in fem.mesh.warnings if message not in warnings]


def _with_warnings(body: FlexibleBody, told: Sequence[str], modes: ModeChoice) -> FlexibleBody:
    """The body, after issuing the warnings that have not been issued yet, with its name and file unless they say these."""
    for message in body.warnings:
        file = f" ({body.source})" if body.source not in message and body.source != body.name else ""
        named = body.name == body.source and body.source in message
        warn(message, BodyWarning, where="" if named else f"body '{body.name}'{file}", known=told)
    missing = body.advice().missing_strain(rigid_on_purpose=modes.by_kind)
    if missing:
        name = Path(body.name).name if body.name == body.source else body.name  # by default the path of the mesh
        warn(missing, BasisWarning, where=f"body '{name}'")
    return body


@on_progress()
@one_blas_thread()
@memory_errors_named("reducing the body")
def reduce_model(
    fem,
    *,
    interfaces: Mapping[str, str | Interface],
    modes: ModeChoice,
    contact_patches: Mapping[str, ContactPatch] | None = None,
    name: str | None = None,
    second_order: str | SecondOrder = "full",
    damping: DampingChoice = None,
    stress: str = "surface",
) -> FlexibleBody:
    """Like ``reduce``, but from an assembled finite element model."""
    if stress not in ("surface", "nodes"):
        raise BodyError(f"stress must be 'surface' or 'nodes', not {stress!r}")
    at = _held_interface(modes, interfaces)
    patches = checked_patches(contact_patches, interfaces, modes)
    choice = second_order_choice(second_order)
    attached = attach_all(fem, interfaces)
    T, problem = hold(fem, attached, at)
    vibrating = basis(fem, T, problem, attached, with_patches(modes, patches, interfaces), attachment_loads(fem, attached, patches))
    massless = residual_flexibility(fem, T, problem, attached, patches, vibrating.fields)
    found, choice = _with_massless(vibrating, massless, choice)
    amplitudes = _amplitudes(fem, found, choice)
    second = body_fields(HeldBody(fem, T, problem, attached, at, found.fields), choice, amplitudes)
    stage("inertia", long=fem.ndof > 20_000)
    inertia = inertia_fields(second.samples, choice.tolerance, amplitudes, second.weights)
    inertia = without_inertia(inertia, len(massless.names))
    Me = modal_mass(inertia)
    Ke = symmetric(found.fields.T @ (fem.K @ found.fields))
    remarks = (f"interface '{key}': {remark}" for key, found_at in attached.items() for remark in found_at.place.remarks)
    body = FlexibleBody(
        name=name or fem.mesh.source or "body",
        mass=float(fem.mass),
        frequencies=found.omega / (2.0 * np.pi),
        mode_labels=found.labels,
        Me=Me,
        Ke=Ke,
        De=_damping(damping, fem, vibrating, Me, Ke),
        pairs=second.pairs,
        forms=second.forms,
        inertia=replace(inertia, field_error=second.error),
        points=np.array(fem.mesh.points, dtype=float),
        node_ids=np.array(fem.mesh.node_ids),
        markers=at_their_patches(second.markers, massless),
        surface=second.surface,
        attached_at=at,
        source=fem.mesh.source,
        options=_options(fem, modes, second_order, found),
        warnings=(*fem.mesh.warnings, *_without_rotation(attached), *remarks),
        places={name: found.place for name, found in attached.items()},
        flexibility=_flexibility(fem, T, problem, attached, at),
        **_nodal(fem, found.fields, second.Z),
        **_recovery(fem, found.fields, stress),
    )
    _check_finite(body)
    return body


def _with_massless(found: Modes, massless: MasslessModes, choice: SecondOrder) -> tuple[Modes, SecondOrder]:
    """The modes with massless ones behind them, which have no second-order displacements.

    Their frequencies are those that they would have with their inertia.
    """
    count = len(found.omega)
    if not massless.names:
        return found, choice
    pairs = choice.resolve(count)
    fields = np.hstack([found.fields, massless.fields])
    omega = np.concatenate([found.omega, massless.omega])
    modes = replace(found, omega=omega, fields=fields, labels=(*found.labels, *massless.names))
    return modes, replace(choice, pairs=tuple(map(tuple, pairs.tolist())))


def _damping(choice: DampingChoice, fem, vibrating: Modes, Me: np.ndarray, Ke: np.ndarray) -> np.ndarray:
    """(n, n) damping of the modes with inertia; the others, behind them, have no rates."""
    n = len(vibrating.omega)
    De = damping_matrix(choice, fem, vibrating.fields, vibrating.omega, Me[:n, :n], Ke[:n, :n])
    return np.pad(De, (0, len(Me) - n))


def _without_rotation(attached: Mapping[str, Attachment]) -> tuple[str, ...]:
    """A warning for each interface whose nodes do not determine a rotation."""
    return tuple(
        f"interface '{name}': its {'node' if len(found.nodes) == 1 else 'nodes in one line'} of a solid"
        f" determine{'s' * (len(found.nodes) == 1)} no rotation, so it supports only forces and spherical joints; for"
        " other joints use a set of nodes that spans an area."
        for name, found in attached.items()
        if not found.has_rotation
    )


def _held_interface(modes: ModeChoice, interfaces: Mapping[str, object]) -> str | None:
    if not isinstance(modes, ModeChoice) or isinstance(modes, type):
        raise BodyError(
            f"modes must be ClampedFree(at=..., count=...), CraigBampton(at=..., count=...) or FreeFree(count=...), not {modes!r}"
        )
    if modes.frame is not None and modes.frame not in interfaces:
        known = ", ".join(interfaces) or "none"
        raise BodyError(f"{type(modes).__name__}(at={modes.frame!r}): no such interface; there are: {known}")
    return modes.frame


def _flexibility(fem, T, problem, attached: Mapping[str, Attachment], at: str | None) -> np.ndarray:
    """(markers + 1, 6, 6) static compliance at each marker, and under acceleration; zero at the held one."""
    result = np.zeros((len(attached) + 1, 6, 6))
    inertia = fem.M @ rigid_motions(fem.mesh.points, fem.dofs_per_node, fem.center)
    loads = [None if name == at else (a.operator @ T).toarray().T for name, a in attached.items()]
    loads.append(None if at is None else T.T @ inertia)  # mean axes: no load is left of a rigid acceleration
    for F, load in zip(result, loads, strict=True):
        if load is not None:
            F[:] = symmetric(load.T @ problem.solve(load))
    return result


def _amplitudes(fem, found, choice: SecondOrder) -> np.ndarray | None:
    """Modal coordinates up to which the tolerance of the second-order fields must hold, or None."""
    if choice.deflection is None or len(found.omega) == 0:
        return None
    size = float(np.linalg.norm(np.ptp(fem.mesh.points, axis=0)))
    modal = np.einsum("ia,ia->a", found.fields, fem.M @ found.fields)
    root = found.omega * np.sqrt(modal)
    return choice.deflection * size * root[0] / root  # with the energy of the first mode


def _nodal(fem, fields: np.ndarray, Z: np.ndarray) -> dict[str, np.ndarray | None]:
    """Displacements and rotations at the nodes: (n, nn, 3) each, rotations None for solids."""

    def split(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        nodal = columns.T.reshape(columns.shape[1], len(fem.mesh.points), fem.dofs_per_node)
        return nodal[..., :3].copy(), nodal[..., 3:].copy() if fem.dofs_per_node == 6 else None

    (modes, rotations), (quadratic, quadratic_rotations) = split(fields), split(Z)
    return {"modes": modes, "rotations": rotations, "quadratic": quadratic, "quadratic_rotations": quadratic_rotations}


def _recovery(fem, fields: np.ndarray, stress: str) -> dict[str, object]:
    sections = fem.section_force_modes(fields)
    return {
        "stress_modes": fem.stress_modes(fields, "nodes") if stress == "nodes" else None,
        "section_force_modes": sections if len(sections) else None,
    }


def _options(fem, modes: ModeChoice, second_order: str | SecondOrder, found: Modes) -> dict[str, object]:
    options = {"modes": repr(modes), "second_order": repr(second_order)}
    if len(found.omega):
        options["normal_modes_to_hz"] = found.normal_limit / (2.0 * np.pi)
    if fem.dofs_per_node == 6:
        options |= {"beam_theory": fem.beam_theory, "rotary_inertia": bool(fem.rotary_inertia)}
    return options


def _check_finite(body: FlexibleBody) -> None:
    parts = {key: value for key, value in vars(body).items() if isinstance(value, np.ndarray)}
    groups = {"inertia": body.inertia, "surface": body.surface} | {f"marker {k}": m for k, m in body.markers.items()}
    for group, fields in groups.items():
        parts |= {f"{group}.{k}": v for k, v in vars(fields).items() if isinstance(v, np.ndarray)}
    bad = [key for key, value in parts.items() if value.dtype.kind == "f" and not np.all(np.isfinite(value))]
    if bad:
        raise BodyError(
            f"body '{body.name}': {', '.join(bad)} contain values that are not finite; check coordinates, materials "
            "and sections of the mesh"
        )

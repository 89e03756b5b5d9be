"""From a mesh to a flexible body: assemble, hold, find modes, find second-order fields, integrate the inertia."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from flexmbs.errors import BodyError
from flexmbs.fem.assemble import BEAM_THEORIES, assemble
from flexmbs.fem.rigid_motion import rigid_motions
from flexmbs.fem.solid_elements import SolidOptions
from flexmbs.mesh import Mesh, check_mesh
from flexmbs.reduction.body import FlexibleBody
from flexmbs.reduction.damping import Rayleigh, damping_matrix
from flexmbs.reduction.inertia import equal_energy_amplitudes, inertia_fields, modal_mass
from flexmbs.reduction.interface import Attachment, Interface, attach_all
from flexmbs.reduction.markers import marker_fields
from flexmbs.reduction.options import ModeChoice, SecondOrder, second_order_choice
from flexmbs.reduction.second_order import quadratic_fields
from flexmbs.reduction.static import basis
from flexmbs.reduction.support import hold


def reduce(
    mesh: Mesh,
    *,
    interfaces: Mapping[str, str | Interface],
    modes: ModeChoice,
    name: str | None = None,
    beam_theory: str = "timoshenko",
    rotary_inertia: bool = True,
    hex8: str = "incompatible",
    hex20: str = "full",
    second_order: str | SecondOrder = "full",
    damping: None | float | Rayleigh | Sequence[float] = None,
    trust_units: bool = False,
) -> FlexibleBody:
    """Reduce a mesh to a flexible body with modes, second-order fields and all inertia integrals.

    Parameters
    ----------
    interfaces : marker name -> name of a node set (averaged), or an Interface
    modes : ClampedFree(at=interface name, ...), CraigBampton(at=interface name, ...) or FreeFree(...)
    name : of the body; default: the mesh's source
    beam_theory : "timoshenko" or "euler-bernoulli" (meshes of beams)
    rotary_inertia : False leaves beams their line mass only
    hex8 : "incompatible" or "plain"; hex20 : "full" or "reduced" (``assemble`` says what they are)
    second_order : "full" (geometric stiffness, all pairs of modes), "none", or SecondOrder(pairs=..., tolerance=...)
    damping : None, a damping ratio, one ratio per mode, or Rayleigh(alpha, beta)
    trust_units : True turns the suspicion that the mesh is not in SI units from an error into a warning

    Raises
    ------
    MeshError : the mesh cannot be assembled.
    BodyError : an interface is not found, or more modes are asked for than exist.
    """
    if beam_theory not in BEAM_THEORIES:
        raise BodyError(f"beam_theory is {' or '.join(map(repr, BEAM_THEORIES))}, not {beam_theory!r}")
    try:
        SolidOptions(hex8, hex20)
    except ValueError as error:
        raise BodyError(str(error)) from None
    warnings = check_mesh(mesh, trust_units=trust_units)
    fem = assemble(mesh, beam_theory=beam_theory, rotary_inertia=rotary_inertia, hex8=hex8, hex20=hex20)
    body = reduce_model(fem, interfaces=interfaces, modes=modes, name=name, second_order=second_order, damping=damping)
    return replace(body, warnings=tuple(dict.fromkeys(body.warnings + warnings)))


def reduce_model(
    fem,
    *,
    interfaces: Mapping[str, str | Interface],
    modes: ModeChoice,
    name: str | None = None,
    second_order: str | SecondOrder = "full",
    damping: None | float | Rayleigh | Sequence[float] = None,
) -> FlexibleBody:
    """As ``reduce``, from a finite-element model that is already assembled."""
    at = _held_interface(modes, interfaces)
    choice = second_order_choice(second_order)
    attached = attach_all(fem, interfaces)
    T, problem = hold(fem, attached, at)
    found = basis(fem, T, problem, attached, modes)
    pairs = choice.resolve(len(found.omega))
    following = [a for a in attached.values() if a.rigid and a.name != at]
    Z = quadratic_fields(fem, T, problem, following, found.fields, pairs)
    inertia = inertia_fields(fem, found.fields, Z, pairs, choice.tolerance, _amplitudes(fem, found, choice))
    Me = modal_mass(inertia)
    Ke = _symmetric(found.fields.T @ (fem.K @ found.fields))
    body = FlexibleBody(
        name=name or fem.mesh.source or "body",
        mass=float(fem.mass),
        frequencies=found.omega / (2.0 * np.pi),
        mode_labels=found.labels,
        Me=Me,
        Ke=Ke,
        De=damping_matrix(damping, found.omega, Me, Ke),
        pairs=pairs,
        inertia=inertia,
        points=np.array(fem.mesh.points, dtype=float),
        node_ids=np.array(fem.mesh.node_ids),
        markers={
            key: marker_fields(fem, a, found.fields, Z, pairs, held=key == at) for key, a in attached.items()
        },
        surface=fem.surface(found.fields, pairs, Z),
        attached_at=at,
        source=fem.mesh.source,
        options=_options(fem, modes, second_order),
        warnings=tuple(fem.mesh.warnings),
        flexibility=_flexibility(fem, T, problem, attached, at),
        **_nodal(fem, found.fields, Z),
    )
    _check_finite(body)
    return body


def _held_interface(modes: ModeChoice, interfaces: Mapping[str, object]) -> str | None:
    if not isinstance(modes, ModeChoice):
        raise BodyError(
            "modes is ClampedFree(at=..., count=...), CraigBampton(at=..., count=...) or FreeFree(count=...), not "
            f"{modes!r}"
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
            F[:] = _symmetric(load.T @ problem.solve(load))
    return result


def _amplitudes(fem, found, choice: SecondOrder) -> np.ndarray | None:
    """Modal coordinates up to which the tolerance of the second-order fields has to hold, or None."""
    if choice.deflection is None or len(found.omega) == 0:
        return None
    size = float(np.linalg.norm(np.ptp(fem.mesh.points, axis=0)))
    modal = np.einsum("ia,ia->a", found.fields, fem.M @ found.fields)
    return equal_energy_amplitudes(found.omega, modal, choice.deflection * size)


def _symmetric(A: np.ndarray) -> np.ndarray:
    return 0.5 * (A + A.T)


def _nodal(fem, fields: np.ndarray, Z: np.ndarray) -> dict[str, np.ndarray | None]:
    """Displacements and rotations at the nodes: (n, nn, 3) each, rotations None for solids."""
    def split(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        nodal = columns.T.reshape(columns.shape[1], len(fem.mesh.points), fem.dofs_per_node)
        return nodal[..., :3].copy(), nodal[..., 3:].copy() if fem.dofs_per_node == 6 else None

    (modes, rotations), (quadratic, quadratic_rotations) = split(fields), split(Z)
    return {
        "modes": modes, "rotations": rotations, "quadratic": quadratic, "quadratic_rotations": quadratic_rotations
    }


def _options(fem, modes: ModeChoice, second_order: str | SecondOrder) -> dict[str, object]:
    options = {"modes": repr(modes), "second_order": repr(second_order)}
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
            f"body '{body.name}': {', '.join(bad)} hold values that are not finite; check the mesh's coordinates, "
            "material and sections"
        )

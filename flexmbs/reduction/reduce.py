"""From a mesh to a flexible body, in five stages: checked, bases, fields, inertia, body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from flexmbs.common.blas_threads import one_blas_thread
from flexmbs.common.errors import BasisWarning, BodyError, BodyWarning
from flexmbs.common.names_in_messages import names_arguments, refuse_unwritable
from flexmbs.common.progress import on_progress
from flexmbs.common.user_warnings import warn
from flexmbs.fem.assemble import BEAM_THEORIES
from flexmbs.fem.fe_model import FEModel
from flexmbs.fem.solids.elements import SolidOptions
from flexmbs.fem.solvers.memory import memory_errors_named
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.omissions import omissions
from flexmbs.reduction.bases import bases
from flexmbs.reduction.body import body
from flexmbs.reduction.body_cache import BodyCache
from flexmbs.reduction.checked import Reduction, checked
from flexmbs.reduction.damping import DampingChoice
from flexmbs.reduction.fields import fields
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.reduction.inertia import inertia
from flexmbs.reduction.interface import Interface
from flexmbs.reduction.options import ContactPatch, ModeChoice, SecondOrder


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
    asked = Reduction(
        mesh=mesh,
        interfaces=interfaces,
        modes=modes,
        contact_patches=contact_patches,
        name=name,
        beam_theory=beam_theory,
        rotary_inertia=rotary_inertia,
        hex8=hex8,
        hex20=hex20,
        second_order=second_order,
        damping=damping,
        stress=stress,
        trust_units=trust_units,
    )
    _refuse_wrong_types(asked)
    told = (*mesh.warnings, *omissions(mesh))  # when the file was read
    with BodyCache(asked, cache) as kept:
        found = kept.find()
        if found is None:
            made = through_all_stages(asked)
            told = (*told, *(message for message in made.fem.mesh.warnings if message not in made.remarks))  # by assemble
            found = made.body
            del made  # model and factor
            kept.keep(found)
    return _with_warnings(found, told, modes)


@on_progress()
@one_blas_thread()
def reduce_model(
    fem: FEModel,
    *,
    interfaces: Mapping[str, str | Interface],
    modes: ModeChoice,
    contact_patches: Mapping[str, ContactPatch] | None = None,
    name: str | None = None,
    second_order: str | SecondOrder = "full",
    damping: DampingChoice = None,
    stress: str = "surface",
) -> FlexibleBody:
    """Like ``reduce``, but from an assembled finite element model, which has the options of ``assemble`` already."""
    choices = dict(contact_patches=contact_patches, name=name, second_order=second_order, damping=damping, stress=stress)
    return through_all_stages(Reduction(mesh=fem.mesh, fem=fem, interfaces=interfaces, modes=modes, **choices)).body


@memory_errors_named("reducing the body")
def through_all_stages(asked: Reduction) -> Reduction:
    """All stages, one after the other; each returns what it gets with more known."""
    held = checked(asked)
    based = bases(held)
    moving = fields(based)
    heavy = inertia(moving)
    return body(heavy)


def _refuse_wrong_types(asked: Reduction) -> None:
    if not isinstance(asked.mesh, Mesh):
        raise BodyError(f"reduce: expected a Mesh, as fm.read_mesh(path) gives it, not {asked.mesh!r}")
    if not isinstance(asked.interfaces, Mapping):
        raise BodyError(
            f"reduce: interfaces must be a dict from marker to node set, as {{'hinge': 'ROOT'}}, not {asked.interfaces!r}"
        )
    if not isinstance(asked.name, str | None):
        raise BodyError(f"reduce: name must be text, not {asked.name!r}")
    refuse_unwritable((asked.name or "", *asked.interfaces), "reduce", BodyError)
    if asked.beam_theory not in BEAM_THEORIES:
        raise BodyError(f"beam_theory must be {' or '.join(map(repr, BEAM_THEORIES))}, not {asked.beam_theory!r}")
    try:
        SolidOptions(asked.hex8, asked.hex20)
    except ValueError as error:
        raise BodyError(str(error)) from None


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

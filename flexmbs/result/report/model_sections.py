"""The model of a result as it was stated, and sections of a report on it: parts, how it can move, how good its bodies are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from flexmbs.common.errors import SimulationError
from flexmbs.common.html_pieces import bullets, drawing, folded, lines_table, paragraph, plain_table, text
from flexmbs.common.names_in_messages import counted
from flexmbs.common.quantities import number, quantity
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.result.structure import Structure
from flexmbs.view.body_tables import body_facts, extent, modes_table, shape, static_error_table, vector, verdict
from flexmbs.view.part_tables import MAX_ROWS, joints_table, others_tables, titled_table
from flexmbs.view.topology import draw_topology

ReportableResult = Any  # flexmbs.Result, which imports this file


#: Entries of the parts, with the attributes of :class:`flexmbs.Description` that the picture of a topology needs.
StatedModel = SimpleNamespace


def stated_model(structure: Structure) -> StatedModel:
    """The model of a result; SimulationError if the result does not hold it, or what it holds is damaged."""
    stated = structure.stated
    kinds = {
        "bodies": {"name": str, "kind": str, "mass": float, "modes": int},
        "joints": {"name": str, "kind": str, "closes_loop": bool, "a": _end, "b": _end},
        **dict.fromkeys(("constraints", "forces", "contacts"), {"name": str, "kind": str, "acts_on": tuple, "bodies": tuple}),
    }
    try:
        return StatedModel(
            **{part: tuple(_entry(one, **types) for one in stated[part]) for part, types in kinds.items()},
            mobility=SimpleNamespace(freedoms=int(stated["freedoms"])),
            redundant=int(stated["redundant"]),
            run=dict(stated.get("run", {})),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SimulationError(
            f"what the result says of its model is missing or damaged ({type(error).__name__}: {error}): it was made by another "
            "version of flexmbs, or changed since: run again"
        ) from error


def _end(value: Any) -> tuple[str, str]:
    body, marker = value
    return str(body), str(marker)


def _entry(plain: Mapping[str, Any], **kinds: Any) -> SimpleNamespace:
    """An entry with all of its fields, those named here of the type that they must have."""
    return SimpleNamespace(**{**plain, **{name: kind(plain[name]) for name, kind in kinds.items()}})


MAX_NODES = 60  # bodies in the picture of a topology
DPI = 130


def model_section(result: ReportableResult, model: StatedModel) -> Iterator[str]:
    """Bodies, joints, forces, contacts, degrees of freedom, and a picture of how they hang together."""
    yield '<h2 id="model">Model</h2>'
    yield paragraph(_in_words(result, model))
    yield from _bodies(result, model)
    yield from joints_table(model.joints)
    yield from others_tables(model.constraints, model.forces, model.contacts)
    yield from _topology(model)


def _in_words(result: ReportableResult, model: StatedModel) -> str:
    kinds = {"body": model.bodies, "joint": model.joints, "constraint": model.constraints, "force": model.forces}
    kinds |= {"contact": model.contacts}
    parts = [counted(len(of), kind, "bodies" if kind == "body" else None) for kind, of in kinds.items() if of]
    words = [f"{' and '.join(filter(None, [', '.join(parts[:-1]), parts[-1]]))}."] if parts else []
    modes, freedoms = sum(body.modes for body in model.bodies), model.mobility.freedoms
    words.append(f"{counted(freedoms, 'degree of freedom', 'degrees of freedom')}.".capitalize())
    words.append(f"The flexible bodies have {counted(modes, 'mode')}." if modes else "")
    loops = sum(joint.closes_loop for joint in model.joints)
    words.append(f"{counted(loops, 'joint closes a loop', 'joints close loops')}.".capitalize() if loops else "")
    if model.redundant:
        found = counted(model.redundant, "constraint is", "constraints are")
        words.append(f"{found} redundant: reactions are those of least norm.")
    gravity = np.asarray(result.structure.gravity)
    words.append(f"Gravity {vector(gravity, 'm/s2')}." if np.any(gravity) else "No gravity.")
    return " ".join(filter(None, words))


def _bodies(result: ReportableResult, model: StatedModel) -> Iterator[str]:
    records = {body.name: body for body in result.structure.bodies}
    rows = []
    for body in model.bodies[:MAX_ROWS]:
        record = records.get(body.name)
        rows.append(
            [
                body.name,
                body.kind,
                quantity(body.mass, "kg"),
                _size(record),
                vector(np.array(body.center), "m") if len(body.center) else "-",
                ", ".join(number(body.inertia[k][k]) for k in range(3)) if len(body.inertia) else "-",
                str(body.modes or "-"),
            ]
        )
    header = ["name", "kind", "mass", "size [m]", "centre of mass", "inertia xx, yy, zz [kg m2]", "modes"]
    total = sum(body.mass for body in model.bodies if body.mass is not None)
    yield from titled_table("Bodies", header, rows, len(model.bodies), f"Together {quantity(float(total), 'kg')}.")


def _size(record: Any) -> str:
    if record is None:
        return "-"
    points = record.shape_points if record.flexible is None else shape(record.flexible)
    return extent(points) if len(points) else "-"


def _topology(model: StatedModel) -> Iterator[str]:
    if not model.bodies or not (model.joints or model.constraints or model.forces or model.contacts):
        return
    yield "<h3>Topology</h3>"
    if len(model.bodies) > MAX_NODES:
        yield paragraph(f"Not drawn: there are {len(model.bodies):,} bodies.", soft=True)
        return
    yield drawing(draw_topology(model), "Bodies and what connects them", DPI)


def quality_section(result: ReportableResult) -> Iterator[str]:
    """Mesh and modes of each flexible body, each body once, with the advice on its modes."""
    bodies: dict[int, tuple[FlexibleBody, list[str]]] = {}
    for record in result.structure.bodies:
        if record.flexible is not None:
            bodies.setdefault(id(record.flexible), (record.flexible, []))[1].append(record.name)
    if not bodies:
        return
    yield '<h2 id="bodies">Flexible bodies</h2>'
    for body, names in bodies.values():
        yield from _quality(body, names)


def _quality(body: FlexibleBody, names: list[str]) -> Iterator[str]:
    yield f"<h3>{text(', '.join(names))}</h3>"
    yield lines_table(body_facts(body))
    sentence, remarks = verdict(body)
    yield paragraph(sentence, kind="note" if remarks else "good")
    if remarks:
        yield bullets(remarks)
    if body.warnings:
        yield "<h4>Mesh and reduction</h4>"
        yield bullets(body.warnings, kind="warnings")
    else:
        yield paragraph("The checks of the mesh have found nothing.", soft=True)
    header, rows = modes_table(body)
    yield folded("Modes, damping and effective mass", plain_table(header, rows), shown=len(rows) <= 14)
    header, rows = static_error_table(body.advice())
    if rows:
        yield folded(
            "Static error: share of the strain energy under a unit load that the modes miss",
            plain_table(header, rows),
            shown=len(rows) <= 8,
        )

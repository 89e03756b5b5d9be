"""``flexmbs reduce``: turn a mesh file into a flexible body in one HDF5 file."""

from __future__ import annotations

import json
import time
from pathlib import Path

import click
import numpy as np

from flexmbs.app.cli.command_options import ANY_PATH, FILE, ListCommand, interfaces_of, json_option, option, parsed
from flexmbs.app.cli.mesh_file import includes_option, peak_memory_mb, properties_options, read_for_analysis, units_option
from flexmbs.common.atomic_files import require_writable
from flexmbs.common.errors import BodyError
from flexmbs.common.user_warnings import reported, shown
from flexmbs.mesh.marker_places import place_numbers
from flexmbs.reduction.body_store import BODY_ENDINGS, save_body
from flexmbs.reduction.damping import DAMPING_PROFILES, DampingByFrequency, DampingChoice, Rayleigh
from flexmbs.reduction.options import ClampedFree, CraigBampton, FreeFree, SecondOrder
from flexmbs.reduction.reduce import reduce


def _damping(text: str) -> DampingChoice:
    if text == "material" or text in DAMPING_PROFILES:
        return text
    try:
        values = [[float(number) for number in part.split(":")] for part in text.split(",")]
    except ValueError:
        values = []
    lengths = [len(numbers) for numbers in values]
    if values and set(lengths) == {2}:
        return DampingByFrequency([(limit, ratio) for limit, ratio in values])
    if lengths not in ([1], [1, 1]):
        raise BodyError(
            f"--damping {text}: must be a ratio (0.01), alpha,beta in 1/s and s (1.5,2e-6), ratios up to frequencies in"
            f" Hz (100:0.01,inf:0.1), {', '.join(map(repr, DAMPING_PROFILES))} or 'material'."
        )
    return values[0][0] if len(values) == 1 else Rayleigh(values[0][0], values[1][0])


@click.command("reduce", cls=ListCommand)
@click.argument("file", type=ANY_PATH)
@option("-o, --output BODY.h5", "File to write; an existing body is replaced.", FILE, required=True)
@option(
    "--interface NAME=SET[:rbe2|:rbe3] ...*",
    "A marker for joints, forces and contacts, on a node set or a coupling of the file (both by name), "
    "node:NUMBER or point:X,Y,Z. rbe3 (default): the marker follows the mean motion of the nodes, which stay "
    "free to deform, even where it holds the frame. rbe2: the nodes follow the marker rigidly. One or more.",
    variable="interfaces",
)
@option("--modes", "Number of normal modes (default: 10).", int, "count")
@option("--max-hz", "All normal modes up to this frequency; with --modes, at most that many.", float)
@option(
    "--basis",
    "Default: craig-bampton for two or more interfaces, clamped-free for one, free-free for none.",
    ("craig-bampton", "clamped-free", "free-free"),
)
@option("--at NAME", "Interface that holds the body frame (default: the first).")
@option(
    "--frequency-tolerance TOLERANCE|none",
    "Craig-Bampton: add static responses to inertia forces, up to 6 for the frame and 6 for each other "
    "interface, until the free frequencies of the body are accurate to this relative error. none: add none; the body "
    "then has the normal modes and 6 static modes for each other interface.",
    default="1e-4",
    **parsed(lambda text: None if text == "none" else float(text), "a number such as 1e-4, or none"),
)
@option(
    "--hex20",
    "Integration of 20-node bricks; file: reduced for C3D20R, otherwise full.",
    ("file", "full", "reduced"),
    default="file",
)
@option(
    "--damping ZETA|A,B|adams|HZ:ZETA,...|material",
    "Damping ratio of all modes; Rayleigh damping with alpha (1/s) and beta (s); adams: 1 % of critical up to 100 "
    "Hz, 10 % up to 1 kHz, critical above; other ratios up to these frequencies (100:0.01,1000:0.1,inf:1); or the "
    "damping of the materials in the file (default: none).",
    **parsed(_damping),
)
@option(
    "--second-order full|none|TOLERANCE",
    "Second-order displacement fields (geometric stiffness under any load). full: one for each pair of modes; "
    "TOLERANCE: fewer, with this error relative to the size of the body (such as 1e-4; useful for many modes).",
    default="full",
    **parsed(
        lambda text: text if text in ("full", "none") else SecondOrder(field_tolerance=float(text)),
        "full, none, or a tolerance such as 1e-4",
    ),
)
@option("--no-cache", "Always compute; do not use or fill the cache of reduced bodies.")
@option("--name TEXT", "Name of the body (default: the name of FILE).")
@units_option
@includes_option
@properties_options
@json_option
@reported()
def reduce_command(file: Path, output: Path, interfaces, hex20, damping, second_order, no_cache, name, as_json, **given) -> None:
    """Reduce the mesh in FILE to a flexible body with few coordinates, and write it to BODY.h5.

    --interface NAME=SET adds a marker NAME on the node set (or coupling) SET. The first one holds the body
    frame. In Python: body = fm.load_body("BODY.h5"); part = system.add(body); part["NAME"].
    """
    start = time.perf_counter()
    if output.suffix.lower() not in BODY_ENDINGS:
        raise BodyError(f"-o {output}: the name of a body file must end in {' or '.join(BODY_ENDINGS)}.")
    if not output.parent.is_dir():
        raise BodyError(f"-o {output}: the folder {output.parent} does not exist; create it first.")
    require_writable(output, BodyError)  # before minutes are spent on the reduction
    if output.exists() and file.exists() and output.samefile(file):
        raise BodyError(f"-o {output}: this is the mesh file itself; choose another file name.")
    of_modes = {key: given.pop(key) for key in ("basis", "at", "count", "max_hz", "frequency_tolerance")}
    mesh = read_for_analysis(file, **given)
    markers = interfaces_of(mesh, interfaces)
    body = reduce(
        mesh,
        interfaces=markers,
        modes=_modes(list(markers), **of_modes),
        name=name or file.stem,
        hex20=hex20,
        second_order=second_order,
        damping=damping,
        trust_units=bool(mesh.units),
        cache=False if no_cache else None,
    )
    save_body(body, output)
    found = _found(body, output) | {"seconds": time.perf_counter() - start, "memory_mb": peak_memory_mb()}
    shown([*body.warnings, body.advice().missing])
    click.echo(json.dumps(found, indent=2) if as_json else _text(body, found))


def _modes(names: list[str], basis: str | None, at: str | None, count: int | None, max_hz: float | None, frequency_tolerance):
    """The choice of modes; the default basis follows from the number of interfaces."""
    basis = basis or {0: "free-free", 1: "clamped-free"}.get(len(names), "craig-bampton")
    number = {"count": 10 if count is None and max_hz is None else count, "max_frequency": max_hz}
    if basis == "free-free":
        if at is not None:
            raise BodyError(f"--at {at}: a free-free body is not held; omit --at, or choose another --basis.")
        return FreeFree(attachment=bool(names), **number)
    if not names:
        raise BodyError(f"--basis {basis} needs an interface that holds the body: add --interface NAME=SET.")
    if basis == "clamped-free":
        return ClampedFree(at=at or names[0], **number)
    return CraigBampton(at=at or names[0], frequency_tolerance=frequency_tolerance, **number)


def _found(body, output: Path) -> dict:
    advice = body.advice()
    errors = {name: [None if np.isnan(part) else float(part) for part in error] for name, error in advice.static_error.items()}
    return {
        "body": str(output),
        "frequencies_hz": body.frequencies.tolist(),
        "modes": list(body.mode_labels),
        "mass": body.mass,
        "center": body.center.tolist(),
        "inertia": body.central_inertia.tolist(),
        "effective_mass": advice.effective_mass.tolist(),
        "markers": {name: marker.position.tolist() for name, marker in body.markers.items()},
        "places": {name: place_numbers(place) for name, place in body.places.items()},
        "frame": body.attached_at,
        "static_error": errors,
        "highest_frequency_hz": advice.highest_frequency,
        "advice": list(advice.remarks),
        "warnings": list(body.warnings),
    }


def _text(body, found: dict) -> str:
    def vector(values: list[float]) -> str:
        return "[" + ", ".join(f"{value:.6g}" for value in values) + "]"

    lines = [f"{body.name}: mass {body.mass:.6g} kg, center {vector(found['center'])} m, {body.mode_count} coordinates", ""]
    for name, position in found["markers"].items():
        held = ", holds the frame" if name == body.attached_at else ""
        lines.append(f"marker {name} at {vector(position)} m{held}")
    lines += ["", str(body.advice()), *(["", *body.warnings] if body.warnings else [])]
    return "\n".join([*lines, "", f"wrote {found['body']} ({found['seconds']:.1f} s)"])

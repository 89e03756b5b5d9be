"""``flexmbs modes``: natural frequencies of a mesh file, as its FE tool would give them."""

from __future__ import annotations

import json
import math
import time
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np

from flexmbs.app.cli.command_options import ANY_PATH, ListCommand, json_option, number, numbers, option, parsed
from flexmbs.app.cli.mesh_file import includes_option, peak_memory_mb, properties_options, read_for_analysis, units_option
from flexmbs.common.errors import BodyError, MeshError
from flexmbs.common.user_warnings import reported, shown
from flexmbs.fem.assemble import assemble
from flexmbs.fem.mpc.multipoint_constraints import without_idle_links
from flexmbs.fem.supports import held_components, supported_nodes
from flexmbs.fem.vibration import natural_modes, spin_stiffness
from flexmbs.mesh.check_mesh import check_mesh
from flexmbs.mesh.material_units import check_units


def _direction(text: str) -> tuple[float, ...]:
    axis = numbers(text, 3)
    if not any(axis) or not all(map(math.isfinite, axis)):
        raise ValueError(text)
    return axis


@click.command("modes", cls=ListCommand)
@click.argument("file", type=ANY_PATH)
@units_option
@includes_option
@option("--fix SET ...*", "Clamp these node sets; 'none': free body.", variable="fixed")
@option("--count", "Number of elastic modes (default: 10).", int)
@option(
    "--max-hz FLOAT",
    "All modes up to this frequency, instead of --count.",
    **parsed(partial(number, above=0.0), "a frequency above 0, in Hz"),
)
@properties_options
@option("--spin W", "Steady rotation about an axis through the origin, rad/s.", **parsed(number, "a speed in rad/s"))
@option(
    "--axis X,Y,Z", "Axis of rotation (default: 0,0,1).", **parsed(_direction, "three numbers that are not all zero, such as 0,0,1")
)
@json_option
@reported()
def modes_command(file: Path, fixed: tuple[str, ...], count, max_hz, spin, axis, as_json: bool, **of_mesh: Any) -> None:
    """Natural frequencies of the mesh in FILE, clamped at node sets or supported as in the file's boundary conditions.

    With --spin: in the rotating frame, with geometric stiffness from the centrifugal load and spin softening.
    """
    start = time.perf_counter()
    if count is not None and max_hz is not None:
        raise click.UsageError("give --count or --max-hz, not both")
    if count is not None and count < 1:
        raise click.UsageError(f"--count {count}: must be at least 1")
    if len(fixed) > 1 and any(name.lower() == "none" for name in fixed):
        raise click.UsageError("--fix none means a free body; omit it, or the other --fix")
    if axis is not None and spin is None:
        raise click.UsageError("--axis needs a speed of rotation; give it with --spin W")
    mesh = read_for_analysis(file, **of_mesh)
    checked = check_mesh(mesh, trust_units=bool(mesh.units))
    sets = None if not fixed else [name for name in fixed if name.lower() != "none"]
    try:
        supported = supported_nodes(mesh, sets)
    except MeshError as error:
        raise error if sets is None else BodyError(f"--fix: {error}") from None  # of the file, or wrong use
    model = assemble(without_idle_links(mesh, supported))
    held = held_components(model, sets)
    stiffness = None if spin is None else spin_stiffness(model, held, spin, axis or (0.0, 0.0, 1.0))
    modes = natural_modes(model, held, count, max_hz, stiffness, spin or 0.0)
    warnings = dict.fromkeys((*mesh.warnings, *checked, *model.mesh.warnings, *modes.warnings))
    shown(warnings)
    found = {
        "frequencies_hz": modes.frequencies.tolist(),
        "frame": "stationary" if spin is None else f"rotating at {spin:g} rad/s, without gyroscopic terms",
        "mass": float(model.mass),
        "center": np.asarray(model.center).tolist(),
        "inertia": np.asarray(model.inertia).tolist(),
        "effective_mass": modes.effective_mass.tolist(),
        "doubtful_units": list(check_units(mesh, trust_units=True)),
        "warnings": list(warnings),
        "seconds": time.perf_counter() - start,
        "memory_mb": peak_memory_mb(),
    }
    click.echo(json.dumps(found, indent=2) if as_json else _table(found))


def _table(found: dict) -> str:
    lines = [f"warning: {doubt}\n" for doubt in found["doubtful_units"]]
    lines.append(f"mass {found['mass']:.6g} kg, {found['seconds']:.1f} s")
    lines.append("" if found["frame"] == "stationary" else f"frequencies in the frame {found['frame']}\n")
    rigid = found["frequencies_hz"].count(0.0)
    lines += [f"mode{f's 1 to {rigid}' if rigid > 1 else ' 1'} at 0 Hz: motion without resistance, as of a rigid body"][:rigid]
    lines.append(" mode  frequency, Hz   effective mass along x, y, z (share of the total)")
    for row, (frequency, moved) in enumerate(zip(found["frequencies_hz"], found["effective_mass"], strict=True), 1):
        if frequency != 0.0:
            parts = "  ".join(f"{100.0 * value / found['mass']:5.1f} %" for value in moved[:3])
            lines.append(f"{row:5d}  {frequency:13.6g}   {parts}")
    warnings = [warning for warning in found["warnings"] if warning not in found["doubtful_units"]]
    return "\n".join([*lines, *(["", *warnings] if warnings else [])])

"""Condition of BDF's iteration matrix over the step size for I3, SI2 and SI1: docs/condition_numbers.md.

    python tests/benchmarks/condition_numbers.py [--save]

A four-bar linkage whose rocker bearing sits in a bushing of 1e8 N/m; matrices and sources: tests/iteration_matrices.py.
Beside the condition numbers: what the rounding of the constraints leaves of velocities and multipliers.  With
--save the table and the picture of the documentation are written.
"""

from __future__ import annotations

import sys

import numpy as np
from pages import ROOT, write_into

sys.path.insert(0, str(ROOT / "tests"))

from iteration_matrices import (  # noqa: E402
    ACCELERATION_LEVEL,
    BDF2,
    EPSILON,
    FORMULATIONS,
    as_flexmbs_equilibrates,
    condition_numbers,
    in_accelerations,
    linear_at_start,
    rounding_errors,
    stiff_four_bar,
)

PICTURE = ROOT / "docs" / "images" / "condition_numbers.png"
STEPS = np.logspace(-2, -9, 29)
OURS = "flexmbs (a, lam)"
COLOURS = {"I3": "C3", "SI2": "C0", "SI1": "C2", OURS: "k", ACCELERATION_LEVEL: "k"}
MARKERS = {"I3": "o", "SI2": "s", "SI1": "^", OURS: "D", ACCELERATION_LEVEL: "D"}


def measured() -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Condition (steps, 3): raw, equilibrated, least; relative errors (steps, 2) of velocities and multipliers."""
    x = linear_at_start(stiff_four_bar())
    betas = BDF2 * STEPS
    condition = {name: np.array([condition_numbers(matrix(x, beta)) for beta in betas]) for name, matrix in FORMULATIONS.items()}
    condition[OURS] = np.array([ours(x, beta) for beta in betas])
    errors = [rounding_errors(x, beta) for beta in betas]
    return condition, {name: np.array([at[name] for at in errors]) for name in errors[0]}


def ours(x, beta: float) -> tuple[float, float, float]:
    """Raw; equilibrated as flexmbs does it, by its mass matrix; least."""
    matrix = in_accelerations(x, beta)
    raw, _equilibrated, least = condition_numbers(matrix)
    return raw, float(np.linalg.cond(as_flexmbs_equilibrates(x, matrix))), least


def table(condition: dict[str, np.ndarray], errors: dict[str, np.ndarray]) -> str:
    """Markdown, one column per decade."""
    whole = [i for i, h in enumerate(STEPS) if abs(np.log10(h) - round(np.log10(h))) < 1e-9]
    lines = ["| | " + " | ".join(f"h = {STEPS[i]:.0e} s" for i in whole) + " |", "| --- |" + " --- |" * len(whole)]
    rows = [
        (f"{name}, {what}", values[:, k])
        for name, values in condition.items()
        for k, what in enumerate(("raw", "equilibrated", "least of any scaling"))
    ]
    rows += [
        (f"rounding: {name}, {what}", values[:, k])
        for name, values in errors.items()
        for k, what in enumerate(("velocities", "multipliers"))
    ]
    lines += [f"| {name} | " + " | ".join(f"{values[i]:.1e}" for i in whole) + " |" for name, values in rows]
    return "\n".join(lines)


def draw(condition: dict[str, np.ndarray], errors: dict[str, np.ndarray]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.0, 9.0), dpi=110, layout="constrained")
    (raw, scaled), (velocities, multipliers) = figure.subplots(2, 2)
    for name, values in condition.items():
        style = {"color": COLOURS[name], "marker": MARKERS[name], "markersize": 4, "label": name}
        raw.loglog(STEPS, values[:, 0], **style)
        scaled.loglog(STEPS, values[:, 1], **style)
        scaled.loglog(STEPS, values[:, 2], color=COLOURS[name], linestyle=":")
    scaled.loglog([], [], color="grey", linestyle=":", label="least that any scaling gives (Bauer)")
    for name, values in errors.items():
        # SI2 and SI1 lie on each other
        fill = "none" if name == "SI1" else None
        style = {"color": COLOURS[name], "marker": MARKERS[name], "markersize": 5, "fillstyle": fill or "full"}
        # what is below is lost in the rounding of the velocity itself
        velocities.loglog(STEPS, np.maximum(values[:, 0], EPSILON), label=name, **style)
        multipliers.loglog(STEPS, values[:, 1], label=name, **style)
    raw.set_title("Condition of the iteration matrix, raw (SI units, 2-norm)")
    scaled.set_title("Condition of the iteration matrix, equilibrated (2-norm)")
    velocities.set_title("Velocities: what rounding of the constraints by 1e-16 leaves")
    multipliers.set_title("Multipliers: what rounding of the constraints by 1e-16 leaves")
    for axis in (raw, scaled):
        axis.set_ylabel("condition number [-]")
    for axis in (velocities, multipliers):
        axis.set_ylabel("relative error [-]")
    for axis in (raw, scaled, velocities, multipliers):
        axis.invert_xaxis()
        axis.set_xlabel("step size h [s]")
        axis.grid(True, which="major", alpha=0.3)
        axis.legend(fontsize="small")
    figure.suptitle("Four-bar linkage with a bushing of 1e8 N/m, BDF of order 2")
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE)


def main() -> None:
    condition, errors = measured()
    text = table(condition, errors)
    print(text)
    if "--save" in sys.argv:
        write_into("condition_numbers.md", "tests/benchmarks/condition_numbers.py", text)
        draw(condition, errors)


if __name__ == "__main__":
    main()

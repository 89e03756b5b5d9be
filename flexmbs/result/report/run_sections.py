"""Sections of a report on the run: statistics in words, energy balance with its plot, contacts, warnings, versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.common.errors import SimulationError
from flexmbs.common.html_pieces import bullets, drawing, folded, lines_table, paragraph, plain_table
from flexmbs.common.names_in_messages import counted
from flexmbs.common.progress import duration_text
from flexmbs.common.quantities import number, quantity
from flexmbs.result.energy_ledger import BALANCE, EnergyLedger, is_loss
from flexmbs.result.report.model_sections import ReportableResult, StatedModel
from flexmbs.result.run_summary import RunSummary
from flexmbs.view.colours import largest_stress
from flexmbs.view.key_histories import CONTACTS, DRIVING, FORCES, MOMENTS, REACTIONS, SMALL, by_kind

if TYPE_CHECKING:
    from matplotlib.figure import Figure


MAX_CONTACTS, MAX_LINES = 20, 24
MAX_LARGEST, MAX_ROWS = 60, 6  # histories of a kind that are looked at, and that are shown
NOTHING = 1e-12  # of the energy exchanged: rounding
DPI = 130


def statistics_section(result: ReportableResult, summary: RunSummary, model: StatedModel) -> Iterator[str]:
    """How the run went, in words and numbers."""
    stats = {**result.stats, **summary.stats}
    yield '<h2 id="run">Run</h2>'
    yield bullets(sentences(result, stats))
    plain = [(name.replace("_", " "), quantity(value)) for name, value in stats.items() if name != "warnings"]
    yield folded("All statistics", lines_table(plain))
    settings = model.run.get("settings", {})
    if settings:
        lines = [("t_end", quantity(model.run.get("t_end"), "s")), *((n, str(v)) for n, v in settings.items())]
        yield folded("Settings", lines_table(lines))


def sentences(result: ReportableResult, stats: Mapping[str, Any]) -> list[str]:
    """Statistics of a run in words."""
    found = [_pace(result, stats)] if "steps_accepted" in stats else []
    if stats.get("integrator"):
        why = stats.get("integrator_reason")
        found.append(f"Integrator: {stats['integrator']}" + (f", chosen because of {why}." if why else "."))
    limits = stats.get("step_size_decided_by")
    if limits:
        found.append(f"The step size was limited by {limits} (share of the attempts).")
    if stats.get("newton_iterations"):
        each = stats["newton_iterations"] / max(stats["steps_accepted"] + stats["steps_rejected"], 1)
        found.append(
            f"Newton's method took {number(each, 3)} iterations a step; {counted(int(stats['newton_failures']), 'failure')}; "
            f"{counted(int(stats['factorisations']), 'factorisation')} of the iteration matrix."
        )
    rows = len(result.t)
    if stats.get("steps_accepted", 0) >= rows > 1:
        stride = stats.get("storage_stride", 1)
        found.append(f"{rows:,} rows are stored" + (f", one in {stride:,} where fewest are." if stride > 1 else "."))
    if stats.get("second_order_terms_in_all"):
        kept, every = int(stats["second_order_terms"]), int(stats["second_order_terms_in_all"])
        error = number(stats.get("second_order_error", 0.0), 2)
        left_out = f"the others change the motion by at most {error} of its size" if kept < every else "none is left out"
        found.append(f"{kept:,} of {every:,} second-order terms of the flexible bodies were kept; {left_out}.")
    return [*found, *filter(None, [stats.get("deformation")])]


def _pace(result: ReportableResult, stats: Mapping[str, Any]) -> str:
    """Steps, their sizes, and the time that the run took."""
    t, steps, rejected = result.t, int(stats["steps_accepted"]), int(stats.get("steps_rejected", 0))
    span = float(t[-1] - t[0]) if len(t) else 0.0
    parts = [f"The run took {counted(steps, 'step')}"]
    parts.append(f" ({rejected:,} more were rejected)" if rejected else "")
    parts.append(f" from t = {number(t[0])} s to {number(t[-1], 6)} s" if len(t) else "")
    parts.append(f", on average {quantity(span / steps, 's', 3)} long" if steps and span > 0.0 else "")
    events = int(stats.get("events", 0))
    parts.append(f", and located {counted(events, 'event')}" if events else "")
    if "solve_seconds" in stats:
        parts.append(f". It needed {duration_text(float(stats['solve_seconds']))}")
    if "total_seconds" in stats:
        parts.append(f"; with building the model {duration_text(float(stats['total_seconds']))}")
    return "".join(parts) + "."


def energy_section(result: ReportableResult) -> Iterator[str]:
    """The ledger with a plot; why there is none."""
    yield '<h2 id="energy">Energy balance</h2>'
    try:
        ledger = result.energy_ledger()
    except SimulationError as error:
        yield paragraph(f"{error}.", soft=True)
        return
    yield paragraph(balance_sentence(ledger), kind="good" if ledger.largest_balance <= 1e-3 * ledger.scale else "note")
    yield plain_table(["", "element", "energy [J]"], _lines(ledger), 2)
    yield drawing(energy_figure(result), "Energy over time, and the balance", DPI)


def balance_sentence(ledger: EnergyLedger) -> str:
    """How well the energy balances, in words."""
    if ledger.scale <= 0.0:
        return "No energy was exchanged."
    part = ledger.largest_balance / ledger.scale
    missed, exchanged = quantity(ledger.largest_balance, "J", 3), quantity(ledger.scale, "J", 3)
    return f"Stored energies, work and losses balance within {missed}, {part:.1e} of the {exchanged} exchanged."


def _lines(ledger: EnergyLedger) -> list[list[str]]:
    def joules(energy: float) -> str:
        return f"{energy:.4g}" if abs(energy) > NOTHING * ledger.scale else "0"

    rows = [["stored", name, joules(ledger.stored[name] - ledger.start[name])] for name in ledger.stored]
    for word, chosen in (("work", False), ("loss", True)):
        lines = sorted((one for one in ledger.lines if one.is_loss is chosen), key=lambda one: -abs(one.energy))
        rows += [[word, f"{one.name} ({one.kind})", joules(one.energy)] for one in lines[:MAX_LINES]]
        if len(lines) > MAX_LINES:
            rest = sum(one.energy for one in lines[MAX_LINES:])
            rows.append([word, f"{len(lines) - MAX_LINES} others together", joules(rest)])
    rows.append(["in contacts", "stored at the end", joules(ledger.contacts)] if ledger.contacts else [])
    return [*(row for row in rows if row), ["balance", "what the integration has missed", f"{ledger.balance:.2e}"]]


def largest_section(result: ReportableResult) -> Iterator[str]:
    """The largest driving, contact, element and reaction forces and reaction moments, and the largest stress: size and time."""
    kinds, rows = by_kind(result), []
    for title, component in ((DRIVING, ""), (CONTACTS, ""), (FORCES, ""), (REACTIONS, ".x"), (MOMENTS, ".x")):
        found = []
        for name in kinds[title][: 3 * MAX_LARGEST if component else MAX_LARGEST]:
            if name.endswith(component):
                parts = [f"{name.removesuffix(component)}.{axis}" for axis in "xyz"] if component else [name]
                size = np.sqrt(sum(result[part] ** 2 for part in parts))
                place = int(np.argmax(size))
                touches = result.contacts if title == CONTACTS else ()  # whose peaks may lie between steps
                peaks = [(one.peak_force, one.peak_time) for one in touches if name == f"{one.name}.force"]
                found.append((*max([(float(size[place]), float(result.t[place])), *peaks]), name.removesuffix(component)))
        least = SMALL * max((size for size, _, _ in found), default=0.0)
        for size, time, name in sorted(found, key=lambda one: -one[0])[:MAX_ROWS]:
            if size > least:
                rows.append([title.lower(), name, quantity(size, result.unit(name + component), 4), number(time, 6)])
    stress = largest_stress(result, float(result.t[0]), float(result.t[-1]))
    rows += [["von Mises stress", stress[2], quantity(stress[0], "Pa", 4), number(stress[1], 6)]] if stress else []
    if rows:
        yield '<h2 id="largest">Largest values</h2>'
        yield plain_table(["kind", "of", "largest size", "at t [s]"], rows, 2)


def contacts_section(result: ReportableResult) -> Iterator[str]:
    """The hardest contacts in order of time, and how many events there were of each kind."""
    contacts, events = result.contacts, result.events
    if not (contacts or events):
        return
    yield '<h2 id="contacts">Contacts and events</h2>'
    counts = Counter(event.kind for event in events)
    if counts:
        yield paragraph("Events: " + ", ".join(counted(number_of, kind) for kind, number_of in counts.items()) + ".")
    if not contacts:
        return
    hardest = sorted(sorted(contacts, key=lambda one: -one.peak_force)[:MAX_CONTACTS], key=lambda one: one.start)
    if len(contacts) > MAX_CONTACTS:
        yield paragraph(f"The hardest {MAX_CONTACTS} of {len(contacts):,} contacts.")
    rows = [
        [
            one.name,
            number(one.start, 6),
            quantity(one.duration, "s", 3) if np.isfinite(one.end) else "to the end",
            quantity(one.peak_force, "N", 4),
            quantity(one.impulse, "N s", 4),
            _known(one.approach_speed),
            _known(one.rebound_speed),
            quantity(one.max_depth, "m", 3),
        ]
        for one in hardest
    ]
    yield plain_table(
        ["contact", "start [s]", "duration", "peak force", "impulse", "approach [m/s]", "rebound [m/s]", "depth"], rows
    )


def warnings_section(warnings: Sequence[str]) -> Iterator[str]:
    """All warnings of bodies, of the model and of the run."""
    yield '<h2 id="warnings">Warnings</h2>'
    yield bullets(warnings, kind="warnings") if warnings else paragraph("None.", kind="good")


def versions_section(
    result: ReportableResult, summary: RunSummary, model: StatedModel, written: Mapping[str, str]
) -> Iterator[str]:
    """With what the run and the report were made; ``written``: versions of the program that writes the report."""
    yield '<h2 id="versions">Versions</h2>'
    versions = model.run.get("versions", {})
    lines = [("status", result.status)]
    lines += [("case", summary.case)] if summary.case else []
    lines += [("run began", str(model.run["began"]))] if "began" in model.run else []
    lines.append(("run made with", _named(versions) or "not recorded"))
    lines += [("report written with", _named(written))] if dict(written) != dict(versions) else []
    yield lines_table(lines)


def all_warnings(result: ReportableResult, summary: RunSummary) -> list[str]:
    """Warnings of bodies, of the run and of the case, each once."""
    found: dict[str, None] = {}
    of_bodies = [text for body in result.structure.bodies if body.flexible is not None for text in body.flexible.warnings]
    for message in (*summary.warnings, *result.stats.get("warnings", ()), *of_bodies):
        if not any(message in known for known in found):  # with the name of its body, or without
            found[str(message)] = None
    return list(found)


def parameters_section(summary: RunSummary) -> Iterator[str]:
    """Values of the parameters of a case, with units and meanings."""
    if not summary.parameters:
        return
    yield '<h2 id="parameters">Parameters</h2>'
    rows = []
    for name, value in summary.parameters.items():
        unit, meaning = summary.meanings.get(name, ("", ""))
        rows.append([name, f"{quantity(value)} {unit if value is not None else ''}".strip(), meaning])
    yield plain_table(["name", "value", "meaning"], rows, 3)


def figures_section(summary: RunSummary) -> Iterator[str]:
    """What the case has computed from its run."""
    if not summary.figures:
        return
    yield '<h2 id="figures">Figures</h2>'
    rows = [[name, quantity(value, summary.units.get(name, ""), 6)] for name, value in summary.figures.items()]
    yield plain_table(["figure", "value"], rows, 2)


def _known(value: float | None) -> str:
    return "-" if value is None else number(value)


def _named(versions: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in versions.items())


POINTS = 600  # of a curve at least
STORED = ("kinetic", "gravity", "elastic")


def energy_figure(result: ReportableResult) -> Figure:
    """Stored energies and, by kind, work and losses over time; below, the balance. For a result with a ledger."""
    from matplotlib.figure import Figure

    t, energy, ledger = _curves(result)
    figure = Figure(figsize=(8.0, 4.6), dpi=120, layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
    for k, name in enumerate(STORED):
        if np.any(energy[:, k]):
            upper.plot(t, energy[:, k], linewidth=1.3, label=name)
    for kind, values in _by_kind(result, ledger).items():
        if np.any(values):
            label = f"{kind} (loss)" if is_loss(kind) else f"{kind} (work)"
            upper.plot(t, values, linewidth=1.3, linestyle="--", label=label)
    upper.plot(t, energy.sum(axis=1), linewidth=1.0, color="#555555", label="stored in all")
    upper.set_ylabel("energy [J]")
    upper.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    lower.plot(t, ledger[:, BALANCE], linewidth=1.0, color="#b3261e")
    lower.set_ylabel("balance [J]")
    lower.set_xlabel("time [s]")
    for axis in (upper, lower):
        axis.grid(True, alpha=0.3)
    return figure


def _curves(result: ReportableResult) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times (k,), energies (k, 3) and the ledger (k, lines + 2): those stored, of runs of few steps also between."""
    trajectory = result.trajectory
    t, energy, ledger = result.t, trajectory.energy, trajectory.ledger
    if not 1 < len(t) < POINTS:
        return t, energy, ledger
    between = np.setdiff1d(np.linspace(t[0], t[-1], POINTS), t)
    found = result.resampled(between).trajectory
    times = np.concatenate([t, between])
    order = np.argsort(times, kind="stable")
    parts = np.concatenate([energy, found.energy]), np.concatenate([ledger, found.ledger])
    return times[order], parts[0][order], parts[1][order]


def _by_kind(result: ReportableResult, ledger: np.ndarray) -> dict[str, np.ndarray]:
    """(nt,) J of all lines of a kind, since the start."""
    found: dict[str, np.ndarray] = {}
    for column, kind in enumerate(result.structure.ledger_kinds):
        found[kind] = found.get(kind, 0.0) + ledger[:, column]
    return found

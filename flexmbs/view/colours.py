"""Quantities shown in colour: values, ranges, units and ticks; the colour bar; text that fits the width of a picture."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import near_names
from flexmbs.fem.stress_field import principal, von_mises
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.reduction.recovery import peak_von_mises, superpose
from flexmbs.view.drawable import DrawableResult

#: Quantities, and how the colour bar calls them.
TITLES = {
    "displacement": "Displacement",
    "von_mises": "Von Mises stress",
    "principal_max": "Largest principal stress",
    "principal_min": "Smallest principal stress",
}
#: What parts of a scene may be coloured by; "body": each body has a colour of its own.
CHOICES = ("body", *TITLES)
_LENGTHS = ((1.0, "m", 1.0), (1e-4, "mm", 1e3), (1e-7, "um", 1e6), (0.0, "nm", 1e9))  # from this value on
_STRESSES = ((1e10, "GPa", 1e-9), (1e5, "MPa", 1e-6), (100.0, "kPa", 1e-3), (0.0, "Pa", 1.0))

AT_ONCE, POINTS_AT_ONCE = 16, 200_000  # states; states times points: for their memory
SAMPLES = 60  # evenly in time, and as many among the steps


def check_color(color: str, choices: Sequence[str] = CHOICES) -> None:
    """FlexmbsError if ``color`` is not one of ``choices``."""
    if color not in choices:
        raise FlexmbsError(f"unknown color {color!r}. {near_names(str(color), choices)}")


def check_shown(result: DrawableResult, color: str) -> None:
    """FlexmbsError if ``color`` is a stress that no body of the result has, with what to do about it."""
    if color in ("body", "displacement"):
        return
    flexible = [body for body in result.structure.bodies if body.flexible is not None]
    if any(body.flexible.has_stress for body in flexible):
        return
    if not flexible:
        raise FlexmbsError(
            f"color={color!r}: this result has no stress, because all of its bodies are rigid. Add a body whose mesh "
            "was reduced (fm.reduce), or choose color='body'"
        )
    names = ", ".join(f"'{body.name}'" for body in flexible[:3])
    raise FlexmbsError(
        f"color={color!r}: this result has no stress: {names} were made from arrays or matrices without elements. "
        "Reduce their meshes (body = fm.reduce(fm.read_mesh(FILE), ...)), which keeps stress, and run again; or choose "
        "color='displacement'"
    )


def next_choice(result: DrawableResult, color: str) -> str:
    """The choice after ``color``, cyclically, among those that a body of the result has."""
    bodies = [body.flexible for body in result.structure.bodies]
    found = [one for one in CHOICES if one == "body" or any(has_values(body, one) for body in bodies)]
    return found[(found.index(color) + 1) % len(found)] if color in found else found[0]


def has_values(body: FlexibleBody | None, color: str) -> bool:
    """Whether a body is coloured by that quantity; others keep the colour of the body."""
    return body is not None and (color == "displacement" or (color != "body" and body.has_stress))


def values_of(
    body: FlexibleBody, q: np.ndarray, color: str, displacement: np.ndarray | None = None, points: Any = slice(None)
) -> np.ndarray:
    """(..., np) values in SI on the surface of a body at modal coordinates q (..., n); ``displacement`` (..., np, 3) if known.

    ``points``: rows of those surface points that are asked for.
    """
    if color == "displacement":
        fields = body.surface.modes[:, points], body.surface.quadratic[:, points]
        moved = superpose(body, *fields, q) if displacement is None else displacement
        return np.sqrt(np.einsum("...j,...j->...", moved, moved))
    stress = np.tensordot(q, body.surface_stress_modes[:, points], axes=(-1, 0))
    if color == "von_mises":
        return von_mises(stress)
    return principal(stress)[..., 2 if color == "principal_min" else 0]


def sample_times(result: DrawableResult, first: float | None = None, last: float | None = None) -> np.ndarray:
    """Times spread evenly from ``first`` to ``last`` (s; None: of the run), and over the steps, dense in contacts."""
    first = float(result.t[0]) if first is None else first
    last = float(result.t[-1]) if last is None else last
    inside = result.t[(result.t >= first) & (result.t <= last)]
    steps = inside[np.linspace(0, len(inside) - 1, min(SAMPLES, len(inside))).astype(int)]
    return np.unique(np.concatenate([steps, np.linspace(first, last, SAMPLES if last > first else 1)]))


def colour_range(result: DrawableResult, color: str, first: float | None = None, last: float | None = None):
    """(low, high) in SI that all flexible bodies reach from ``first`` to ``last`` (s).

    Over all steps and these two times: of von Mises stress at all points, of others at the points where they are largest
    or smallest at a sampled time.
    """
    low = high = 0.0
    sampled = sample_times(result, first, last)
    here = result.resampled(sampled)
    steps = (result.t > sampled[0]) & (result.t < sampled[-1])
    for body in result.structure.bodies:
        if body.flexible is None or not has_values(body.flexible, color):
            continue
        q = here.trajectory.q[:, body.coordinates]
        every = np.concatenate([q, result.trajectory.q[steps][:, body.coordinates]])
        if color == "von_mises" and body.flexible.mode_count:
            high = max(high, peak_von_mises(body.flexible, every)[0])
            continue
        points: set[int] = set()
        for states in np.array_split(q, max(1, len(q) // AT_ONCE)) if len(body.flexible.surface.points) else []:
            values = values_of(body.flexible, states, color)
            points.update(values.argmin(axis=-1).tolist(), values.argmax(axis=-1).tolist())
        for states in np.array_split(every, max(1, len(every) * len(points) // POINTS_AT_ONCE)):
            values = values_of(body.flexible, states, color, points=sorted(points))
            low, high = min(low, float(values.min(initial=0.0))), max(high, float(values.max(initial=0.0)))
    return low, high if high > low else low + 1e-12


def largest_stress(result: DrawableResult, first: float, last: float) -> tuple[float, float, str] | None:
    """The largest von Mises stress of the steps from ``first`` to ``last`` (s): Pa, its time (s) and body; None without any."""
    steps, found = np.flatnonzero((result.t >= first) & (result.t <= last)), []
    for record in result.structure.bodies:
        body = record.flexible
        if body is not None and body.mode_count and body.has_stress and len(steps):
            value, state, _ = peak_von_mises(body, result.trajectory.q[steps][:, record.coordinates])
            found.append((value, float(result.t[steps[state]]), record.name))
    return max((one for one in found if one[0] > 0.0), default=None)


def checked_range(bounds: tuple[float, float]) -> tuple[float, float]:
    """``bounds`` as two finite numbers in ascending order; otherwise FlexmbsError."""
    try:
        low, high = (float(bound) for bound in bounds)
    except (TypeError, ValueError):
        low = high = float("nan")
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise FlexmbsError(f"color_range is {bounds!r}; it must be two numbers in m or Pa, the smaller one first")
    return low, high


def unit_of_range(color: str, low: float, high: float) -> tuple[str, float]:
    """Unit in which values of that range have few digits, and the factor from SI to it."""
    largest = max(abs(low), abs(high))
    units = _LENGTHS if color == "displacement" else _STRESSES
    return next((unit, factor) for least, unit, factor in units if largest >= least)


def round_step(span: float, most: int) -> float:
    """The smallest of 1, 2, 2.5, 5 times a power of ten of which ``span`` has at most ``most``."""
    least = span / most
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * digit for digit in (1.0, 2.0, 2.5, 5.0, 10.0) if power * digit >= least * (1.0 - 1e-9))


def round_ticks(low: float, high: float, most: int = 6) -> np.ndarray:
    """Multiples of a round step from ``low`` to ``high``, at most ``most`` + 1."""
    step = round_step(high - low, most)
    first, last = math.ceil(low / step - 1e-6), math.floor(high / step + 1e-6)
    return step * np.arange(first, last + 1)


def ticks_with_ends(low: float, high: float, most: int = 8) -> list[float]:
    """Both ends, and the round ticks that are not too near to one."""
    apart = 0.4 * (high - low) / most
    between = [float(tick) for tick in round_ticks(low, high, most) if min(tick - low, high - tick) > apart]
    return [low, *between, high]


def bar_look(ink: str, letters: float) -> dict[str, Any]:
    """Of a colour bar at the right edge of a pyvista plotter; ``letters``: factor on their size."""
    place = {"vertical": True, "position_x": 0.87, "position_y": 0.2, "height": 0.6, "width": 0.06}
    return place | {"color": ink, "title_font_size": round(16 * letters), "label_font_size": round(15 * letters), "fmt": "%.4g"}


class ColourBar:
    """A colour bar at the right edge of a pyvista plotter; ``factor``: from SI to the unit that it shows."""

    def __init__(self, plotter, ink: str, letters: float, color_map: str) -> None:
        from pyvista import DataSetMapper, LookupTable, PolyData

        mapper, self.factor, self.title = DataSetMapper(dataset=PolyData()), 1.0, ""
        mapper.lookup_table = LookupTable(color_map)
        self._bar = plotter.add_scalar_bar(title=" ", mapper=mapper, render=False, use_opacity=False, **bar_look(ink, letters))
        self.hide()

    def show(self, color: str, low: float, high: float) -> tuple[float, float]:
        """Show a range (SI), whose ends stand beside the bar; returns it in the unit of the bar."""
        from vtkmodules.vtkCommonCore import vtkDoubleArray

        unit, self.factor = unit_of_range(color, low, high)
        limits = self.factor * low, self.factor * high
        self.title = f"{TITLES[color]}\n[{unit}]\n"
        self._bar.GetLookupTable().SetTableRange(*limits)
        self._bar.SetTitle(self.title)
        labels = vtkDoubleArray()
        for tick in ticks_with_ends(*limits):
            labels.InsertNextValue(0.0 if abs(tick) < 1e-9 * (limits[1] - limits[0]) else tick)
        self._bar.SetCustomLabels(labels)
        self._bar.SetUseCustomLabels(True)
        self._bar.SetVisibility(True)
        return limits

    def hide(self) -> None:
        """Take the bar away."""
        self._bar.SetVisibility(False)

    @property
    def ticks(self) -> tuple[float, ...]:
        """Numbers beside the bar."""
        labels = self._bar.GetCustomLabels()
        return tuple(labels.GetValue(k) for k in range(labels.GetNumberOfValues()))


def rgb(color: str) -> np.ndarray:
    """(3,) parts 0 to 255 of a colour "#rrggbb"."""
    return np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)])


def mixed(color: str, other: str, share: float) -> str:
    """A colour "#rrggbb" between two: the first (0) and the second (1)."""
    return "#" + "".join(f"{round(part):02x}" for part in rgb(color) + share * (rgb(other) - rgb(color)))


RESOLUTION = 72  # dots per inch that VTK's text actors assume


def text_width(actor) -> Callable[[str], int]:
    """Function that measures a text, in pixels, in the font of a VTK text actor."""
    import vtkmodules.vtkRenderingFreeType  # noqa: F401  (provides the renderer)
    from vtkmodules.vtkRenderingCore import vtkTextRenderer

    vtkTextRenderer.GetInstance().SetDefaultBackend(vtkTextRenderer.FreeType)  # names with dollars are no formulas

    def width(text: str) -> int:
        box = [0, 0, 0, 0]
        vtkTextRenderer.GetInstance().GetBoundingBox(actor.GetTextProperty(), text, box, RESOLUTION)
        return box[1] - box[0]

    return width


def fitted(text: str, most: float, width: Callable[[str], float]) -> str:
    """``text`` with line breaks at blanks (in longer words anywhere), so that each line is at most ``most`` wide."""
    lines: list[str] = []
    for line in text.split("\n"):
        current = ""
        for word in line.split(" "):
            longer = f"{current} {word}" if current else word
            if not current or width(longer) <= most:
                current = longer
            else:
                lines.append(current)
                current = word
            while width(current) > most and len(current) > 1:
                cut = next((n for n in range(len(current) - 1, 1, -1) if width(current[:n]) <= most), 1)
                lines.append(current[:cut])
                current = current[cut:]
        lines.append(current)
    return "\n".join(lines)

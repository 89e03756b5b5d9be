"""The colour bar of a scene, and text broken into lines that fit the width of a picture."""

from __future__ import annotations

from collections.abc import Callable

from flexmbs.view.colours import ticks_with_ends, title_of, unit_of_range


class ColourBar:
    """A colour bar at the right edge of a pyvista plotter; ``factor``: from SI to the unit that it shows."""

    def __init__(self, plotter, ink: str, letters: float, color_map: str) -> None:
        self.plotter, self.factor = plotter, 1.0
        self._ink, self._letters, self._map = ink, letters, color_map
        self._bar = None

    def show(self, color: str, low: float, high: float) -> tuple[float, float]:
        """Show a range (SI), whose ends stand beside the bar; returns it in the unit of the bar."""
        unit, self.factor = unit_of_range(color, low, high)
        limits = self.factor * low, self.factor * high
        self.title = title_of(color, unit)
        if self._bar is None:
            self._bar = self._make()
        self._bar.GetLookupTable().SetTableRange(*limits)
        self._bar.SetTitle(self.title)
        self._label(limits)
        self._bar.SetVisibility(True)
        return limits

    def hide(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.SetVisibility(False)

    @property
    def ticks(self) -> tuple[float, ...]:
        """Numbers beside the bar."""
        labels = self._bar.GetCustomLabels() if self._bar is not None else None
        return tuple(labels.GetValue(k) for k in range(labels.GetNumberOfValues())) if labels is not None else ()

    def _make(self):
        from pyvista import DataSetMapper, LookupTable, PolyData

        mapper = DataSetMapper(dataset=PolyData())
        mapper.lookup_table = LookupTable(self._map)
        return self.plotter.add_scalar_bar(
            title=" ",
            mapper=mapper,
            color=self._ink,
            vertical=True,
            position_x=0.88,
            position_y=0.2,
            height=0.6,
            width=0.055,
            title_font_size=round(15 * self._letters),
            label_font_size=round(14 * self._letters),
            fmt="%.4g",
            render=False,
            use_opacity=False,
        )

    def _label(self, limits: tuple[float, float]) -> None:
        from vtkmodules.vtkCommonCore import vtkDoubleArray

        labels = vtkDoubleArray()
        for tick in ticks_with_ends(*limits):
            labels.InsertNextValue(0.0 if abs(tick) < 1e-9 * (limits[1] - limits[0]) else tick)
        self._bar.SetCustomLabels(labels)
        self._bar.SetUseCustomLabels(True)


RESOLUTION = 72  # dots per inch that VTK's text actors assume


def text_width(actor) -> Callable[[str], int]:
    """Function that measures a text, in pixels, in the font of a VTK text actor."""
    import vtkmodules.vtkRenderingFreeType  # noqa: F401  (provides the renderer)
    from vtkmodules.vtkRenderingCore import vtkTextRenderer

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

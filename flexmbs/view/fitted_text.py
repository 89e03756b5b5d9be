"""Text broken into lines that fit the width of a picture."""

from __future__ import annotations

from collections.abc import Callable

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

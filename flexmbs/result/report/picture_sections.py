"""Sections of a report that are pictures: plots of histories, stills of the motion, the interactive scene."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.html_pieces import drawing, few_colours, paragraph, still, text
from flexmbs.common.quantities import number
from flexmbs.result.report.model_sections import ReportableResult
from flexmbs.view.animate import fitting, of_scenes
from flexmbs.view.animate import stills as pictures_of
from flexmbs.view.colours import largest_stress
from flexmbs.view.key_histories import key_histories
from flexmbs.view.opengl import RenderingUnavailable
from flexmbs.view.page.pages import least_size, page_fragment, page_start
from flexmbs.view.page.result_scene import ResultOptions
from flexmbs.view.plots import plot_histories

DPI = 130
APART = 0.01  # of the run: its start and end have no picture of their own nearer to another one
STILL_SIZE, STILL_WIDTH = (1000, 750), 560  # pixels: as rendered, as shown


def plots_section(result: ReportableResult, stated: Mapping[str, Sequence[str]], view: Mapping[str, Any]) -> Iterator[str]:
    """The plots that the case states, or those that most readers want, of the part of the run that its ``view`` shows."""
    window = {name: time for name, time in fitting(result, view).items() if name in ("start", "end")}
    chosen = {title: [name for name in names if name in result.names] for title, names in stated.items()}
    chosen = {title: names for title, names in chosen.items() if names} or key_histories(result)
    if len(result.t) < 2 or not chosen:
        return
    yield '<h2 id="plots">Plots</h2>'
    yield '<div class="plots">'
    yield from plots_of(result, chosen, **window)
    yield "</div>"


def plots_of(result: ReportableResult, chosen: Mapping[str, Sequence[str]], **window: Any) -> Iterator[str]:
    """A plot for each title with the names of its histories."""
    for title, names in chosen.items():
        figure = plot_histories(result, names, title=title, **window)
        assert figure is not None  # since it is not saved
        yield drawing(figure, f"{title}: {', '.join(names)}", DPI)


def stills(result: ReportableResult, view: Mapping[str, Any]) -> tuple[list[str], str]:
    """Pictures of start, hardest contact and largest stress (else the middle), and end; why there are none."""
    options = {name: value for name, value in of_scenes(view).items() if name not in ("title", "window_size")}
    times = chosen_times(result)
    try:
        pictures = pictures_of(result, times.values(), window_size=STILL_SIZE, **options)
    except RenderingUnavailable as error:
        return [], str(error)
    except FlexmbsError as error:  # an option of the case that pictures no longer have
        return [], f"no picture could be made: {error}"
    found = []
    for (title, time), content in zip(times.items(), pictures, strict=True):
        caption = f"{title}, t = {number(time, 6)} s"
        image = still(few_colours(content), caption, STILL_WIDTH)
        found.append(f"<figure>{image}<figcaption>{text(caption)}</figcaption></figure>")
    return found, ""


def chosen_times(result: ReportableResult) -> dict[str, float]:
    """Title -> time (s) of each still."""
    first, last = float(result.t[0]), float(result.t[-1])
    if last <= first:
        return {"Position": first}
    hardest, stress = max(result.contacts, key=lambda one: one.peak_force, default=None), largest_stress(result, first, last)
    found = {} if hardest is None else {f"Largest contact force ({hardest.name})": min(max(hardest.peak_time, first), last)}
    found |= {} if stress is None else {f"Largest stress ({stress[2]})": stress[1]}
    ends = {"Start": first, "Middle": 0.5 * (first + last), "End": last} if not found else {"Start": first, "End": last}
    apart = APART * (last - first)  # what is nearer to one of these is shown there
    found |= {title: time for title, time in ends.items() if all(abs(time - known) > apart for known in found.values())}
    return dict(sorted(found.items(), key=lambda one: one[1]))


def pictures_section(pictures: Sequence[str], why_not: tuple[str, str], scene: str) -> Iterator[str]:
    """The interactive scene and stills; ``why_not``: there are no stills, there is no scene."""
    yield '<h2 id="pictures">Pictures</h2>'
    if scene:
        yield f'<div class="scene{" beside-stills" if pictures else ""}">{scene}{page_start()}</div>'
    if pictures:
        yield f'<div class="stills">{"".join(pictures)}</div>'
    for what, reason in zip(("pictures", "interactive scene"), why_not, strict=True):
        if reason:
            yield paragraph(f"No {what}: {reason}.", kind="note")


LARGEST = 20.0  # MB, of the scene in a report


def scene_html(result: ReportableResult, view: Mapping[str, Any], largest: float = LARGEST, **options: Any) -> tuple[str, str]:
    """The scene as HTML for the body of a page, without the script that starts it; else "" and why there is none.

    ``view``: options of pictures of the case, of which a page takes those that it has; ``largest``: MB.
    """
    known = {name: value for name, value in view.items() if name in ResultOptions.__dataclass_fields__}
    known = {**known, "title": "", **options}
    try:
        if least_size(result, ResultOptions(**known)) > largest:
            return "", too_large(largest)
        fragment = page_fragment(result, **known)
    except (FlexmbsError, np.linalg.LinAlgError) as error:
        return "", str(error)
    if len(fragment) > 1e6 * largest:
        return "", too_large(largest)
    return fragment, ""


def too_large(largest: float) -> str:
    """Why a scene is not shown."""
    return f"it would take more than {largest:g} MB; result.to_html(...) writes it to a file of its own"

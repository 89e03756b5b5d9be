"""Whether the content of a state file is that of a state: names, numbers of them, finite coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real

import numpy as np

from flexmbs.common.errors import SimulationError
from flexmbs.reduction.body_layout import LARGEST
from flexmbs.result.trajectory import OTHER_VERSION

_NAMES = ("coordinate_names", "rate_names", "contact_names", "balls", "switch_names", "event_names", "turn_names")
_OF_RUN = ("solve_seconds", "loop_seconds", "last_stored", "in_time", "warnings", "warned_of_size", "machine")
_IN_NOTES = (*_NAMES, "samplers", "t", "coordinate_count", "logged", "chunk", "rows", "asked", "status", *_OF_RUN)
_IN_NOTES = (*_IN_NOTES, "deformation", "energy", "reach")
_OF_RECORDER = ("recorder.last", "recorder.booked", "recorder.recent", "recorder.budget")
_FINITE = ("state.q", "state.v", "state.reference")
TURN = 1e-6  # by which the length of a quaternion may differ from 1


def check_state(where: str, arrays: Mapping[str, np.ndarray], system: Mapping[str, np.ndarray], note: object) -> None:
    """SimulationError naming the file ``where`` unless arrays and note of a saved state belong together.

    Indices into the tables of a mechanism are checked when a run continues (analysis.run.saved_state_comparison).
    """

    def fail(what: str) -> None:
        raise SimulationError(f"{where}: the saved state is damaged: {what}")

    if not isinstance(note, dict):
        fail("its note is not a record")
    missing = [name for name in _IN_NOTES if name not in note] + [name for name in _OF_RECORDER if name not in arrays]
    if missing:
        fail(f"{', '.join(missing)} is missing; {OTHER_VERSION}: run again")
    for name in _NAMES:
        if not (isinstance(note[name], list) and all(isinstance(text, str) for text in note[name])):
            fail(f"{name} is not a list of names")
    samplers = note["samplers"]
    if not (isinstance(samplers, list) and all(_is_sampler(sampler) for sampler in samplers)):
        fail("samplers is not a list of names with a period and a first time")
    for name in ("t", "coordinate_count", "logged", "chunk", "rows"):
        value = note[name]
        whole = name != "t"
        if not isinstance(value, int if whole else Real) or isinstance(value, bool) or not np.isfinite(value):
            fail(f"{name} is {value!r}; expected a number")
        if value < 0:
            fail(f"{name} is {value}; expected a non-negative number")
    if not isinstance(note["asked"], dict) or not isinstance(note["status"], str):
        fail("the requested settings or the status of the run are no record and no text")
    n = len(note["coordinate_names"])
    known = set(note["coordinate_names"])
    if note["coordinate_count"] > n or len(note["rate_names"]) > n or not set(note["balls"]) <= known:
        fail("names of coordinates, rates and balls contradict each other")
    contacts, balls = len(note["contact_names"]), len(note["balls"])
    flags = contacts + len(note["switch_names"])
    history = arrays["state.contact_history"].size if "state.contact_history" in arrays else 0
    shapes = {
        "state.q": (n,),
        "state.v": (n,),
        "state.a": (n,),
        "state.reference": (balls, 4),
        "state.active": (flags,),
        "state.episode": (contacts, 7),
        "state.samples": (len(samplers),),
        "recorder.last": (1 + 3 * n + 4 * balls + flags + history,),
    }
    numbers = arrays.get("state.number", np.zeros(0))
    if numbers.ndim != 1 or not len(numbers) or numbers[0] != note["t"]:  # the first is the time (core.layout.state)
        fail(f"its note is for t = {note['t']} s, but its numbers are for another time")
    for name, array in arrays.items():
        if array.dtype.kind not in "biufc":
            fail(f"{name} is of {array.dtype}; expected numbers")
    for name, shape in shapes.items():
        if name not in arrays or arrays[name].shape != shape:
            found = f"has the shape {arrays[name].shape}" if name in arrays else f"is missing ({OTHER_VERSION})"
            fail(f"{name} {found}; expected the shape {shape}")
    for name in _FINITE:
        if not np.all(np.abs(arrays[name]) < LARGEST):
            fail(f"{name} contains non-finite values")
    turns = np.linalg.norm(arrays["state.reference"], axis=1)
    if np.any(np.abs(turns - 1.0) > TURN):
        fail("state.reference contains quaternions that are not of length 1")
    if not all(array.dtype.names or array.dtype.kind in "biufc" for array in system.values()):
        fail("a table of the system does not contain numbers")


def _is_sampler(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 3
        and isinstance(value[0], str)
        and all(isinstance(number, Real) and np.isfinite(number) for number in value[1:])
    )

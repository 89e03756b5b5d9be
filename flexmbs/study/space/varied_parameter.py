"""A parameter of the case, or one component of it, with the values that it takes."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from flexmbs.case.parameters import Setting
from flexmbs.common.errors import CaseError, StudyError
from flexmbs.common.names_in_messages import near_names
from flexmbs.study.space.distributions import Distribution
from flexmbs.study.space.entry import Entry, FloatArray
from flexmbs.study.space.ranges import Choices, RunSeeds

_COMPONENT = re.compile(r"(\w+)\[(\d+)\]")


@dataclass(frozen=True)
class VariedParameter:
    """What is varied, and how.

    Attributes
    ----------
    name : as the user wrote it, "length" or "axis[1]"
    setting : the parameter of the case; of a component, the parameter that it belongs to
    component : its place in a tuple; None for the whole parameter
    entry : its values
    """

    name: str
    setting: Setting
    component: int | None
    entry: Entry

    @property
    def label(self) -> str:
        """The name with its unit."""
        return labelled(self.name, self.setting)

    def quantiles(self, u: FloatArray) -> Sequence[object]:
        """The value for each u, of shape (n,)."""
        return self._typed(self.entry.quantiles(u))

    def levels(self, count: int) -> Sequence[object]:
        """Values for a grid."""
        return self._typed(self.entry.levels(count))

    def check_samples(self, u: FloatArray) -> None:
        """StudyError if the parameter cannot have the entry's value at one of the quantiles u, of shape (n,)."""
        # Values do not decrease with u, so the two extreme ones tell.
        if isinstance(self.entry, Distribution) and len(u):
            ends = self.entry.quantiles(np.array([u.min(), u.max()]))
            if _outside(ends, self.setting).any():
                self.check_values(self.entry.quantiles(u), "points")

    def check_values(self, values: Sequence[object], what: str) -> None:
        """StudyError if the parameter cannot have one of the values of a distribution; ``what`` they are."""
        if not isinstance(self.entry, Distribution):
            return  # ranges and lists have been checked
        wrong = np.flatnonzero(_outside(values, self.setting))
        if not len(wrong):
            return
        first = float(np.asarray(values, dtype=float)[wrong[0]])
        low, high = self.setting.minimum, self.setting.maximum
        limit, remedy = "not finite", "low= and high="
        if low is not None and first < low:
            limit, remedy = f"below the parameter's minimum {low:g}", f"low={low:g}"
        elif high is not None and first > high:
            limit, remedy = f"above the parameter's maximum {high:g}", f"high={high:g}"
        raise StudyError(
            f"space: {self.label}: {len(wrong)} of {len(values)} {what} of {self.entry} cannot be run; the first, "
            f"number {wrong[0]}, has {first:.6g}, which is {limit}: truncate the distribution with {remedy}"
        )

    def _typed(self, values: Sequence[object]) -> Sequence[object]:
        """Numbers as floats where the parameter is one: discrete distributions give ints."""
        if self.setting.kind is float:
            return [float(value) if isinstance(value, int) else value for value in values]
        return values


def _outside(values: Sequence[object], setting: Setting) -> NDArray[np.bool_]:
    """Which values the parameter cannot have, shape (n,)."""
    low = -math.inf if setting.minimum is None else setting.minimum
    high = math.inf if setting.maximum is None else setting.maximum
    numbers = np.array(values, dtype=float)
    return ~(np.isfinite(numbers) & (numbers >= low) & (numbers <= high))


def labelled(name: str, setting: Setting) -> str:
    """A name with the parameter's unit."""
    return f"{name} [{setting.unit}]" if setting.unit else name


def find_setting(name: str, known: Mapping[str, Setting], base: Mapping[str, object]) -> tuple[Setting, int | None]:
    """The parameter that a name such as "length" or "axis[1]" means, and the component.

    ``known``: the parameters of the case; ``base``: values in runs that do not vary them. Raises StudyError with near
    names, or for a component that the parameter does not have.
    """
    match = _COMPONENT.fullmatch(name.strip())
    whole = match[1] if match else name
    if whole not in known:
        raise StudyError(f"space: the case has no parameter {whole!r}. {near_names(whole, known)}")
    setting = known[whole]
    if match is None:
        return setting, None
    place, value = int(match[2]), base[whole]
    if setting.kind is not tuple:
        raise StudyError(f"space: {name}: the parameter {whole} has no components; write {whole}")
    if not isinstance(value, tuple):
        raise StudyError(
            f"space: {name}: {whole} has no value of which a component could be varied; fix {whole} to a tuple, or "
            "give a list of tuples for it"
        )
    if place >= len(value):
        raise StudyError(f"space: {name}: {whole} has {len(value)} components, {whole}[0] to {whole}[{len(value) - 1}]")
    return setting, place


def component_setting(setting: Setting, component: int | None) -> Setting:
    """What a value of the parameter, or of one component, is checked against: a component is a number."""
    return setting if component is None else replace(setting, kind=float, optional=False)


def varied(name: str, setting: Setting, component: int | None, entry: Entry) -> VariedParameter:
    """The parameter with an entry that is checked against it; StudyError or CaseError, which names the parameter."""
    checked_as = component_setting(setting, component)
    if component is None and setting.kind is tuple and not isinstance(entry, Choices):
        size = len(setting.default) if isinstance(setting.default, tuple) else 0
        parts = f"; its components are {setting.name}[0] to {setting.name}[{size - 1}]" if size else ""
        raise StudyError(f"space: {labelled(name, setting)} is a tuple of numbers: give a list of tuples{parts}")
    try:
        return VariedParameter(name, checked_as, component, entry.for_parameter(checked_as))
    except CaseError as error:
        raise StudyError(f"space: {error}" if component is None else f"space: {name}: {error}") from None
    except StudyError as error:
        raise StudyError(f"space: {labelled(name, setting)}: {error}") from None


def checked_seed_setting(name: str, setting: Setting, component: int | None) -> Setting:
    """The parameter if it can take the seeds of runs; StudyError otherwise."""
    if setting.kind is not int or component is not None:
        raise StudyError(f"space: {labelled(name, setting)}: {RunSeeds()} are whole numbers, which the parameter is not")
    return setting

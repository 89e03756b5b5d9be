"""What a verification case is: reference values with their source, and the computation that must agree with them."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flexmbs.common.errors import FlexmbsWarning


def reference(name: str) -> Any:
    """The content of ``references/NAME.json`` (origin and accuracy of its values: ``references/README.md``)."""
    return json.loads((resources.files("flexmbs.app.verification") / "references" / f"{name}.json").read_text("utf-8"))


@dataclass(frozen=True)
class Quantity:
    """A reference value and how closely a computed value must agree with it."""

    name: str  # what it is, such as "first peak force"
    reference: ArrayLike  # a number or several
    tolerance: float  # largest deviation allowed, relative to each reference value, or to ``scale``
    unit: str = ""  # SI
    scale: float | None = None  # what deviations are divided by; 1.0 for absolute tolerances
    value: str | tuple[str, ...] = ""  # what the computation calls it, or its components; "": by the name
    at_least: bool = False  # only values below the reference deviate from it (observed orders)


@dataclass(frozen=True)
class VerificationCase:
    """A problem whose solution is known."""

    name: str  # as ``flexmbs verify NAME`` takes it
    title: str  # what is computed
    source: str  # where the problem and its reference values come from
    accuracy: str  # how accurate the reference is and why the tolerances are what they are
    quantities: tuple[Quantity, ...]
    compute: Callable[[], Any]  # returns what holds the computed values, by name: a mapping or a Result

    def values(self) -> dict[str, ArrayLike]:
        """The computed value of every quantity, by its name."""
        found = self.compute()
        keys = {quantity.name: quantity.value or quantity.name for quantity in self.quantities}
        return {name: found[key] if isinstance(key, str) else [found[part] for part in key] for name, key in keys.items()}


@dataclass(frozen=True)
class Comparison:
    """A quantity beside its computed value."""

    quantity: Quantity
    reference: NDArray[np.float64]
    computed: NDArray[np.float64]
    worst: int  # index of the component that deviates most; a value that is not a number comes before all others
    deviation: float  # of that component, in the terms of the tolerance

    @property
    def ok(self) -> bool:
        """Whether all components agree within the tolerance; what is not a number never does."""
        return self.deviation <= self.quantity.tolerance


@dataclass(frozen=True)
class Outcome:
    """What a verification case gave."""

    case: VerificationCase
    comparisons: tuple[Comparison, ...]  # one for each quantity; none when the case failed
    error: str  # why the case could not be computed, "" when it was
    seconds: float  # wall time

    @property
    def ok(self) -> bool:
        """Whether the case was computed and every quantity agrees."""
        return not self.error and all(comparison.ok for comparison in self.comparisons)


def compare(quantity: Quantity, computed: ArrayLike) -> Comparison:
    """Compare a computed value with the reference; ValueError when their shapes differ."""
    reference, found = (np.atleast_1d(np.asarray(value, float)) for value in (quantity.reference, computed))
    if reference.shape != found.shape:
        raise ValueError(f"{quantity.name}: shape {found.shape} computed, {reference.shape} expected")
    difference = np.maximum(reference - found, 0.0) if quantity.at_least else np.abs(reference - found)
    deviations = difference / (np.abs(reference) if quantity.scale is None else quantity.scale)
    worst = int(np.argmax(np.where(np.isnan(deviations), np.inf, deviations)))
    return Comparison(quantity, reference, found, worst, float(deviations[worst]))


def run_verification(case: VerificationCase) -> Outcome:
    """Compute a case and compare. An exception makes the case fail; it does not stop the others.

    Warnings of flexmbs are left out: modal bases as small as those of the references are part of the problems.
    """
    started = time.perf_counter()
    comparisons: tuple[Comparison, ...] = ()
    error = ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FlexmbsWarning)
        try:
            computed = case.values()
            comparisons = tuple(compare(quantity, computed[quantity.name]) for quantity in case.quantities)
        except Exception as caught:  # a defect of the installation too is a case that failed
            error = f"{type(caught).__name__}: {caught}"
    return Outcome(case, comparisons, error, time.perf_counter() - started)

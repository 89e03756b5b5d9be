"""Functions of time with exact derivatives: steps, harmonics, tables, ramps, polynomials, their sums and products.

All but Python functions are evaluated inside the compiled loop; none compiles anything.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import MechanismError
from flexmbs.core.layout.tables import CONTINUE, HOLD, REPEAT, STOP
from flexmbs.core.mechanics.signals import harmonic_at, pieces_at
from flexmbs.mechanism.geometry.rotations import as_number, as_vector
from flexmbs.mechanism.python_functions import FunctionOfTime, number_or_function, with_derivatives


class TimeFunction(ABC):
    """A function of time t (s) with its first two derivatives; made by the classes of this module, by + and by *."""

    __array_ufunc__ = None  # numpy numbers leave sums and products to the methods below

    @abstractmethod
    def jet(self, t: float) -> tuple[float, float, float]:
        """Value and first and second derivative at time t."""

    def __call__(self, t: float) -> float:
        return self.jet(t)[0]

    def rate(self, t: float) -> float:
        """First derivative at time t."""
        return self.jet(t)[1]

    def acceleration(self, t: float) -> float:
        """Second derivative at time t."""
        return self.jet(t)[2]

    def __add__(self, other: FunctionOfTime) -> TimeFunction:
        return Sum(self, as_time_function(other))

    def __mul__(self, other: FunctionOfTime) -> TimeFunction:
        return Product(self, as_time_function(other))

    def __radd__(self, other: FunctionOfTime) -> TimeFunction:
        return Sum(as_time_function(other), self)

    def __rmul__(self, other: FunctionOfTime) -> TimeFunction:
        return Product(as_time_function(other), self)

    def __neg__(self) -> TimeFunction:
        return Product(Constant(-1.0), self)

    def __sub__(self, other: FunctionOfTime) -> TimeFunction:
        return self + -as_time_function(other)

    def __rsub__(self, other: FunctionOfTime) -> TimeFunction:
        return as_time_function(other) + -self


@dataclass(frozen=True)
class Constant(TimeFunction):
    """A number."""

    value: float

    def jet(self, t: float) -> tuple[float, float, float]:
        return self.value, 0.0, 0.0


@dataclass(frozen=True, eq=False)
class Given(TimeFunction):
    """A Python function of time with its derivatives (differences where they are not given)."""

    function: Callable[[float], float]
    first: Callable[[float], float]
    second: Callable[[float], float]

    def jet(self, t: float) -> tuple[float, float, float]:
        return float(self.function(t)), float(self.first(t)), float(self.second(t))


@dataclass(frozen=True, eq=False)
class Sum(TimeFunction):
    """f + g."""

    first: TimeFunction
    second: TimeFunction

    def jet(self, t: float) -> tuple[float, float, float]:
        f, g = self.first.jet(t), self.second.jet(t)
        return f[0] + g[0], f[1] + g[1], f[2] + g[2]


@dataclass(frozen=True, eq=False)
class Product(TimeFunction):
    """f g."""

    first: TimeFunction
    second: TimeFunction

    def jet(self, t: float) -> tuple[float, float, float]:
        f, g = self.first.jet(t), self.second.jet(t)
        return f[0] * g[0], f[1] * g[0] + f[0] * g[1], f[2] * g[0] + 2.0 * f[1] * g[1] + f[0] * g[2]


class Harmonic(TimeFunction):
    """offset + amplitude sin(2 pi frequency t + phase); frequency in Hz, phase in rad."""

    def __init__(self, amplitude: float, frequency: float, phase: float = 0.0, offset: float = 0.0) -> None:
        words = (amplitude, "amplitude"), (frequency, "frequency (Hz)"), (phase, "phase (rad)"), (offset, "offset")
        numbers = [as_number(value, f"Harmonic: {word}") for value, word in words]
        self.values = np.array([numbers[0], 2.0 * math.pi * numbers[1], numbers[2], numbers[3]])

    def jet(self, t: float) -> tuple[float, float, float]:
        out = np.zeros(3)
        harmonic_at(self.values, 0, float(t), out)
        value, rate, acceleration = out.tolist()
        return value, rate, acceleration


class Pieces(TimeFunction):
    """A piecewise polynomial: coefficients (n, m) of ascending powers of (t - begin of the piece), and n + 1 times."""

    def __init__(self, times: np.ndarray, coefficients: np.ndarray, beyond: int) -> None:
        n, m = coefficients.shape
        self.values = np.concatenate([[n, m, beyond], times, coefficients.ravel()])
        self.times, self.beyond = times, beyond

    def jet(self, t: float) -> tuple[float, float, float]:
        out = np.zeros(3)
        pieces_at(self.values, 0, float(t), out)
        if self.beyond == STOP and not math.isfinite(out[0]) and math.isfinite(t):
            raise MechanismError(f"the time is outside the table, which covers {self.times[0]:g} s to {self.times[-1]:g} s")
        value, rate, acceleration = out.tolist()
        return value, rate, acceleration


class Step(Pieces):
    """Smooth step from y0 (until t0) to y1 (from t1 on): the polynomial of degree 5 with two continuous derivatives."""

    def __init__(self, t0: float, t1: float, y0: float = 0.0, y1: float = 1.0) -> None:
        t0, t1 = _interval(t0, t1, "Step")
        y0, y1 = as_number(y0, "Step: y0"), as_number(y1, "Step: y1")
        h, rise = t1 - t0, y1 - y0
        coefficients = [y0, 0.0, 0.0, 10.0 * rise / h**3, -15.0 * rise / h**4, 6.0 * rise / h**5]
        super().__init__(np.array([t0, t1]), np.array([coefficients]), HOLD)


class Ramp(Pieces):
    """Zero until t0, then a rate that grows as a Step to ``slope`` at t1 and stays: a smooth run-up."""

    def __init__(self, t0: float, t1: float, slope: float) -> None:
        t0, t1 = _interval(t0, t1, "Ramp")
        slope, h = as_number(slope, "Ramp: slope"), t1 - t0
        rise = [0.0, 0.0, 0.0, 0.0, 2.5 * slope / h**3, -3.0 * slope / h**4, slope / h**5]
        after = [0.5 * slope * h, slope, 0.0, 0.0, 0.0, 0.0, 0.0]
        super().__init__(np.array([t0 - h, t0, t1, t1 + h]), np.array([[0.0] * 7, rise, after]), CONTINUE)


class Polynomial(Pieces):
    """c0 + c1 t + c2 t^2 + ..."""

    def __init__(self, coefficients: ArrayLike) -> None:
        given = np.atleast_1d(np.array(coefficients))
        numbers = given.astype(float) if given.dtype.kind in "fiu" else np.array([np.nan])
        if numbers.ndim != 1 or len(numbers) == 0 or not np.all(np.isfinite(numbers)):
            raise MechanismError(f"Polynomial: expected finite coefficients of ascending powers, got {coefficients!r}")
        super().__init__(np.array([0.0, 1.0]), numbers[None, :], CONTINUE)


class Table(Pieces):
    """Cubic spline through (t, y), with two continuous derivatives ("not-a-knot" at the ends).

    Parameters
    ----------
    t : (n,) increasing times, s; at least two
    y : (n,) values
    beyond : "stop" (a run that goes beyond the times stops and says so), "hold" (the end values) or "repeat" (periodic;
        the last value is the first one)
    """

    def __init__(self, t: ArrayLike, y: ArrayLike, beyond: str = "stop") -> None:
        from scipy.interpolate import CubicSpline

        kinds = {"stop": STOP, "hold": HOLD, "repeat": REPEAT}
        if beyond not in kinds:
            raise MechanismError(f"Table: beyond = {beyond!r}; expected one of {', '.join(kinds)}")
        times = np.array(t, dtype=float)
        if times.ndim != 1 or len(times) < 2:
            raise MechanismError(f"Table: expected at least two times in one row, got shape {times.shape}")
        values = as_vector(y, "Table: y", len(times)).copy()
        if not np.all(np.isfinite(times)):
            raise MechanismError("Table: a time is not finite")
        faulty = np.flatnonzero(np.diff(times) <= 0.0)
        if len(faulty):
            i = int(faulty[0])
            word = "repeated" if times[i] == times[i + 1] else "decreasing"
            raise MechanismError(
                f"Table: {word} times: t[{i}] = {times[i]:.9g} s, t[{i + 1}] = {times[i + 1]:.9g} s; they must increase"
            )
        if beyond == "repeat" and abs(values[-1] - values[0]) > 1e-9 * np.ptp(values):
            raise MechanismError(
                f"Table: the first and last value of a periodic table must be equal: {values[0]:g}, {values[-1]:g}"
            )
        if beyond == "repeat":
            values[-1] = values[0]
        spline = CubicSpline(times, values, bc_type="periodic" if beyond == "repeat" else "not-a-knot")
        super().__init__(times, spline.c[::-1].T.copy(), kinds[beyond])


def as_time_function(given: object) -> TimeFunction:
    """A TimeFunction of a number, a Python function or a TimeFunction."""
    if isinstance(given, TimeFunction):
        return given
    value = number_or_function(given, "function of time")
    return Constant(value) if isinstance(value, float) else Given(value, *with_derivatives(value))


def _interval(t0: float, t1: float, where: str) -> tuple[float, float]:
    t0, t1 = as_number(t0, f"{where}: t0 (s)"), as_number(t1, f"{where}: t1 (s)")
    if not t1 > t0:
        raise MechanismError(f"{where}: t1 = {t1:g} s must be later than t0 = {t0:g} s")
    return t0, t1

"""Functions of time given by the user, made callable from compiled code."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from flexmbs.common.errors import MechanismError, MechanismWarning
from flexmbs.common.user_warnings import warn
from flexmbs.machine_code.entry import Entry, Interface
from flexmbs.machine_code.user_code import CannotCompileError
from flexmbs.mechanism.python_functions import FunctionOfTime, number_or_function, with_derivatives
from flexmbs.mechanism.time_functions import TimeFunction


@dataclass(frozen=True, eq=False)
class Signal:
    """A constant, or a function of time with its first two derivatives where they are needed.

    Attributes
    ----------
    value, rate, acceleration : callables of t (s), or None (zero, or the constant)
    function : what the compiled loop evaluates in their place
    by_differences : the rate was not given, and is made of differences of the function
    own_acceleration : the acceleration was given
    """

    name: str
    constant: float = 0.0
    value: Callable[[float], float] | None = None
    rate: Callable[[float], float] | None = None
    acceleration: Callable[[float], float] | None = None
    function: TimeFunction | None = None
    by_differences: bool = False
    own_acceleration: bool = False

    def fault(self, t: float) -> str:
        """What is wrong with the function at time t, or nothing."""
        for function in (self.value, self.rate, self.acceleration):
            if function is None:
                continue
            try:
                value = float(function(t))
            except MechanismError as error:
                return f"{self.name}: {error}"
            except Exception as error:
                return f"{self.name} raised {error!r}"
            if not math.isfinite(value):
                return f"{self.name} is not finite"
        return ""


def signal(given: object, name: str) -> Signal:
    """Signal of a number or a function of time; MechanismError when it is neither or not finite at t = 0."""
    value = number_or_function(given, name)
    if isinstance(value, float):
        return Signal(name, value)
    if isinstance(value, TimeFunction):
        return Signal(name, 0.0, value, value.rate, value.acceleration, value)
    return Signal(name, 0.0, value)


def motion(
    position: object, name: str, rate: Callable[[float], float] | None = None, acceleration: Callable[[float], float] | None = None
) -> Signal:
    """Signal of a prescribed coordinate; derivatives that are not given are sixth-order differences of the function.

    The differences use steps of 1e-3 s; their error is about 1e-10 of the function for changes slower than 0.1 s.
    """
    made = signal(position, name)
    if made.value is None or made.function is not None:
        return made
    derivatives = with_derivatives(made.value, rate, acceleration)
    return Signal(name, 0.0, made.value, *derivatives, by_differences=rate is None, own_acceleration=acceleration is not None)


def driver(
    position: FunctionOfTime | None, rate: FunctionOfTime | None, acceleration: FunctionOfTime | None, name: str
) -> tuple[Signal, int]:
    """Signal of a driver and its level (0 position, 1 velocity, 2 acceleration): that of the first argument given."""
    given = (position, rate, acceleration)
    level = next((level for level, part in enumerate(given) if part is not None), None)
    if level is None:
        raise MechanismError(f"{name}: give a position, a rate or an acceleration")
    derivatives = given[level + 1 :]
    if isinstance(given[level], TimeFunction) and any(part is not None for part in derivatives):
        raise MechanismError(
            f"{name}: {type(given[level]).__name__} has its own derivatives; do not give a rate or an acceleration"
        )
    made = motion(given[level], name, *(part for part in derivatives if callable(part)))
    if made.value is None and any(callable(part) or part for part in derivatives):
        raise MechanismError(f"{name}: {given[level]!r} is constant, so its derivatives are zero")
    return made, level


def warn_of_callback(function: Callable[..., Any], error: CannotCompileError, name: str = "") -> None:
    """MechanismWarning that a function is called back in Python.

    Objects that can be called (which may have memory) are meant to be, and of differences their function has told.
    """
    if isinstance(getattr(function, "py_func", function), FunctionType) and not (function.__module__ or "").startswith("flexmbs."):
        text = (
            f"{error}. The function is called back in Python, many times slower than compiled: numba compiles numbers, "
            "tuples, numpy arrays, math and most of numpy"
        )
        warn(text, MechanismWarning, where=name)


class CompiledSignals:
    """C functions of a system's signals; keeps them alive and remembers an exception raised inside one."""

    def __init__(self) -> None:
        self._alive: list[object] = []
        self._addresses: dict[int, int] = {}
        self.error: BaseException | None = None
        self.failed = "a function of time"  # what raised the error
        self.calls = 0  # of Python functions of the user that have not returned yet

    def keep(self, part: object) -> None:
        """Keep something alive as long as compiled code may call it."""
        self._alive.append(part)

    def fail(self, error: BaseException, name: str) -> None:
        """Remember the first exception, and whose it is."""
        if self.error is None:
            self.error, self.failed = error, name

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C interrupted a function; then no function is called any more, so that compiled code ends."""
        return isinstance(self.error, KeyboardInterrupt)

    def runs_user_code(self) -> bool:
        """Whether a Python function of the user is running (it may never return)."""
        return self.calls > 0

    @property
    def has_user_functions(self) -> bool:
        """Whether the model calls functions of the user, compiled or not."""
        return bool(self._addresses)

    def address_of(self, interface: Interface, function: Entry | Callable[..., object] | None) -> int:
        """Address of a function behind an interface: an entry of the core, or a user's; 0 for None.

        That of a user is compiled by numba when it can be, called back otherwise.
        """
        if function is None or isinstance(function, Entry):
            return 0 if function is None else function.address
        if id(function) not in self._addresses:
            self._alive.append(function)
            self._addresses[id(function)] = self._compile(interface, function)
        return self._addresses[id(function)]

    def _compile(self, interface: Interface, function: Callable[..., float]) -> int:
        try:
            made = interface.compile(function)
        except CannotCompileError as error:
            warn_of_callback(function, error)
            made = interface.call_back(self._guarded(function, bool(interface.signature.results)))
        self._alive.append(made)
        return made.address

    @contextmanager
    def catching(self):
        """While this lasts, a Ctrl-C that strikes on the border of a Python callback is kept, not just printed.

        Python hands such exceptions to ``sys.unraisablehook``, because no Python frame is there to receive them.
        """
        previous = sys.unraisablehook

        def keep(unraisable):
            if unraisable.exc_type is not None and issubclass(unraisable.exc_type, KeyboardInterrupt):
                self.error = self.error or unraisable.exc_value or KeyboardInterrupt()
            else:
                previous(unraisable)

        sys.unraisablehook = keep
        try:
            yield
        finally:
            sys.unraisablehook = previous

    def _guarded(self, function, returns: bool):
        def call(*arguments: float) -> float:
            if self.interrupted:
                return math.nan
            try:
                self.calls += 1
                value = function(*arguments)
                return float(value) if returns else None
            except BaseException as error:  # an exception cannot cross the compiled loop: it stops the run there as NaN
                self.error = self.error or error
                return math.nan
            finally:
                self.calls -= 1

        return call

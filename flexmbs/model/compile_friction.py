"""Friction laws as compiled code calls them: their functions checked, and compiled where they are the user's."""

from __future__ import annotations

import inspect
import zlib
from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.laws.friction.contact_friction import contact_friction
from flexmbs.core.laws.friction.friction_law import ContactFriction
from flexmbs.core.layout.tables import MAX_BRISTLES
from flexmbs.mechanism.time_signals import CompiledSignals

_NORMAL_FORCE = 100.0  # N, at which a law is tried
_SPEEDS = (1e-6, 1e-3, 1.0)  # m/s
_GAIN = 1e-9  # relative: rounding of the power


@dataclass(frozen=True)
class CompiledFriction:
    """Address of a law, hash of its name, its parameters (n,), names of its bristles and their typical size."""

    address: int
    law: int
    parameters: np.ndarray
    bristles: tuple[str, ...]
    bristle_size: float


def compiled_friction(law: ContactFriction, where: str, signals: CompiledSignals, line: bool) -> CompiledFriction:
    """A friction law for a contact, or (``line``) for a joint coordinate.

    Raises MechanismError for parameters that are not finite, functions that fail, and friction that does work.
    """
    called = f"{where}: friction {type(law).__name__}"
    try:
        parameters = np.array([float(value) for value in law.parameters()])
    except (TypeError, ValueError) as error:
        raise MechanismError(f"{called}: parameters() must return numbers: {error}") from error
    if not np.all(np.isfinite(parameters)):
        raise MechanismError(f"{called}: parameter {parameters.tolist()} is not finite")
    bristles = law.line_bristles if line else law.bristles
    if not (isinstance(bristles, tuple) and all(isinstance(name, str) for name in bristles)):
        raise MechanismError(f"{called}: bristles must be a tuple of names, such as ('x', 'y'), not {bristles!r}")
    if len(bristles) > MAX_BRISTLES:
        raise MechanismError(f"{called}: {len(bristles)} bristles; at most {MAX_BRISTLES} are possible")
    function = inspect.getattr_static(type(law), "force", None)
    function = function.__func__ if isinstance(function, staticmethod) else function
    if not callable(function):
        raise MechanismError(f"{called} has no static method force(parameters, normal_force, motion, bristles, out)")
    _check(function, parameters, len(bristles), called)
    address = signals.address_of(contact_friction, function)
    return CompiledFriction(address, zlib.crc32(type(law).__qualname__.encode()), parameters, bristles, float(law.bristle_size))


def _check(function, parameters: np.ndarray, bristles: int, called: str) -> None:
    """The law with bristles at rest, at slip along x: finite, tangential, against the motion, none without load."""
    for speed in _SPEEDS:
        for load in (0.0, _NORMAL_FORCE):
            motion, out = np.zeros(9), np.zeros(6 + bristles)
            motion[0], motion[8] = speed, 1.0
            try:
                function(parameters, load, motion, np.zeros(bristles), out)
            except Exception as error:
                raise MechanismError(f"{called} cannot be evaluated: {type(error).__name__}: {error}") from error
            if not np.all(np.isfinite(out)):
                raise MechanismError(f"{called}: at {speed} m/s and {load} N it gives {out.tolist()}")
            if load == 0.0 and np.any(out[:6] != 0.0):
                raise MechanismError(f"{called}: without a normal force it gives {out[:6].tolist()}, not zero")
            if out[0] * speed > _GAIN * load * speed or out[2] != 0.0:
                raise MechanismError(
                    f"{called}: at a slip of {speed} m/s along x and {load} N along z it gives a force of "
                    f"{out[:3].tolist()} N; it must act against the slip, in the plane of contact"
                )

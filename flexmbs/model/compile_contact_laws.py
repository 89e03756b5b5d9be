"""Contact laws as compiled code calls them: their functions checked, and compiled where they are the user's."""

from __future__ import annotations

import inspect
import zlib

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.laws.contact.contact_law import (
    SEPARATIONS,
    ContactLaw,
    law_begin,
    law_energy,
    law_force,
    law_update,
    plain_energy,
    plain_force,
)
from flexmbs.mechanism.time_signals import CompiledSignals

_DEPTHS = np.array([1e-6, 1e-5, 1e-4, 1e-3])  # m, at which the energy is compared with the force
_STEP = 1e-3  # of the depth: central differences are off by its square
_FINE_STEP = 1e-6  # of laws that are renewed: what they give back may be a small part of the depth
_MISMATCH = 1e-3  # relative
_SPEED, _MASS = 1.0, 1.0  # m/s, kg: the contact at which a law with a history is checked
_NEEDED = {
    False: {"force": "force(parameters, depth, rate)", "energy": "energy(parameters, depth)"},
    True: {
        "force": "force(parameters, history, depth, rate)",
        "energy": "energy(parameters, history, depth)",
        "begin": "begin(parameters, history, speed, mass)",
    },
}


def law_fields(law: ContactLaw, where: str, signals: CompiledSignals) -> dict[str, int]:
    """Fields of a contact record that belong to its law, without the places of its parameters and history.

    Raises MechanismError for functions that fail, are not zero at zero depth, or whose energy does not fit the force.
    """
    parameters = law_parameters(law, where)
    called = f"{where}: law {type(law).__name__}"
    names = _history_names(law, called)
    force, energy = (_function(law, name, where) for name in ("force", "energy"))
    begin = _function(law, "begin", where) if names else None
    update = _function(law, "update", where) if names and law.update is not None else None
    if law.separation not in SEPARATIONS:
        known = " or ".join(map(repr, SEPARATIONS))
        raise MechanismError(f"{called}: separation must be {known}, not {law.separation!r}")
    step = _STEP if update is None else _FINE_STEP
    _check(_bound(force, energy, begin, update, len(names), parameters, called), step, bool(law.jumps), called)
    kinds = (law_force, law_energy) if names else (plain_force, plain_energy)
    return {
        "force": signals.address_of(kinds[0], force),
        "energy": signals.address_of(kinds[1], energy),
        "begin": signals.address_of(law_begin, begin),
        "update": signals.address_of(law_update, update),
        "law": zlib.crc32(type(law).__qualname__.encode()),
        "parameters": len(parameters),
        "history": len(names),
        "separation": SEPARATIONS.index(law.separation),
        "jumps": int(bool(law.jumps)),
    }


def law_parameters(law: ContactLaw, where: str) -> np.ndarray:
    """(n,) parameters of a law; MechanismError unless they are finite numbers."""
    try:
        parameters = np.array([float(value) for value in law.parameters()])
    except (TypeError, ValueError) as error:
        raise MechanismError(f"{where}: law {type(law).__name__}: parameters() must return numbers: {error}") from error
    if not np.all(np.isfinite(parameters)):
        raise MechanismError(f"{where}: law {type(law).__name__}: parameter {parameters.tolist()} is not finite")
    return parameters


def _history_names(law: ContactLaw, called: str) -> tuple[str, ...]:
    names = law.history
    if not (isinstance(names, tuple) and all(isinstance(name, str) for name in names)):
        raise MechanismError(f"{called}: history must be a tuple of names, such as ('approach speed',), not {names!r}")
    return names


def _function(law: ContactLaw, name: str, where: str):
    """A function of the law's class, free of ``self``."""
    found = inspect.getattr_static(type(law), name, None)
    found = found.__func__ if isinstance(found, staticmethod) else found
    if not callable(found):
        needed = _NEEDED[bool(law.history)].get(name, f"{name}(parameters, history, depth, rate)")
        raise MechanismError(f"{where}: law {type(law).__name__} has no static method {needed}")
    return found


def _bound(force, energy, begin, update, size: int, parameters: np.ndarray, called: str):
    """Force of (depth, rate) and energy of (depth), in a contact that has just begun.

    A law that is renewed at the ends of steps comes back from slightly deeper, which need not be the way in.
    """
    if begin is None:
        return lambda d, r: float(force(parameters, d, r)), lambda d: float(energy(parameters, d))
    history = np.zeros(size)
    try:
        begin(parameters, history, _SPEED, _MASS)
    except Exception as error:
        raise MechanismError(f"{called}: begin() failed: {type(error).__name__}: {error}") from error
    if not np.all(np.isfinite(history)):
        raise MechanismError(f"{called}: begin() left {history.tolist()} in the history, at {_SPEED} m/s and {_MASS} kg")

    def at(depth: float) -> np.ndarray:
        history[:] = 0.0
        begin(parameters, history, _SPEED, _MASS)
        if update is not None and depth > 0.0:
            nearest = _DEPTHS[np.argmin(np.abs(_DEPTHS - depth))]
            update(parameters, history, nearest * (1.0 + 2.0 * _FINE_STEP), 0.0)
        return history

    return (lambda d, r: float(force(parameters, at(d), d, r)), lambda d: float(energy(parameters, at(d), d)))


def _check(functions, step: float, jumps: bool, where: str) -> None:
    force, energy = functions
    try:
        at_zero = [force(0.0, rate) for rate in ((0.0,) if jumps else (-1.0, 0.0, 1.0))]
        forces = np.array([force(depth, 0.0) for depth in _DEPTHS])
        ends = [[energy(depth * (1.0 + s * step)) for depth in _DEPTHS] for s in (-1.0, 1.0)]
        rest = energy(0.0)
    except Exception as error:
        raise MechanismError(f"{where} cannot be evaluated: {type(error).__name__}: {error}") from error
    if not all(value == 0.0 for value in (*at_zero, rest)):
        rates = "0 m/s" if jumps else "-1, 0, 1 m/s"
        raise MechanismError(
            f"{where}: force and energy must be 0 at zero depth{' at rest' if jumps else ' for every rate'}; got "
            f"{at_zero} N at {rates} and {rest} J. Let damping grow with the depth, for example F = k depth**1.5 "
            "(1 + c rate), or state jumps = True for a force that sets in with a jump"
        )
    slopes = (np.array(ends[1]) - np.array(ends[0])) / (2.0 * step * _DEPTHS)
    if not np.all(np.isfinite(forces)) or np.any(forces < 0.0):
        raise MechanismError(f"{where}: the force at depths of {_DEPTHS.tolist()} m at rest is {forces.tolist()} N")
    # at one of the depths the law may have a corner
    if np.sum(np.abs(slopes - forces) > _MISMATCH * np.abs(forces)) > 1:
        raise MechanismError(
            f"{where}: the energy is not the integral of the force over the depth: at depths of {_DEPTHS.tolist()} m "
            f"the force is {forces.tolist()} N, the slope of the energy {slopes.tolist()} N"
        )

"""Contact laws as compiled code calls them: their functions checked, and compiled where they are the user's."""

from __future__ import annotations

import inspect
import zlib

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.laws.contact.contact_law import ContactLaw, law_energy, law_force
from flexmbs.machine_code.entry import Entry
from flexmbs.mechanism.time_signals import CompiledSignals

_DEPTHS = np.array([1e-6, 1e-5, 1e-4, 1e-3])  # m, at which the energy is compared with the force
_STEP = 1e-3  # of the depth: central differences are off by its square
_MISMATCH = 1e-3  # relative


def law_fields(law: ContactLaw, where: str, signals: CompiledSignals) -> dict[str, int]:
    """Fields of a contact record that belong to its law, without the place of its parameters.

    Raises MechanismError for functions that fail, are not zero at zero depth, or whose energy does not fit the force.
    """
    parameters = law_parameters(law, where)
    force, energy = (_function(law, name, where) for name in ("force", "energy"))
    _check(force, energy, parameters, f"{where}: law {type(law).__name__}")
    return {
        "force": _address(law_force, force, signals), "energy": _address(law_energy, energy, signals),
        "law": zlib.crc32(type(law).__qualname__.encode()), "parameters": len(parameters),
    }  # fmt: skip


def law_parameters(law: ContactLaw, where: str) -> np.ndarray:
    """(n,) parameters of a law; MechanismError unless they are finite numbers."""
    try:
        parameters = np.array([float(value) for value in law.parameters()])
    except (TypeError, ValueError) as error:
        raise MechanismError(f"{where}: law {type(law).__name__}: parameters() must return numbers: {error}") from error
    if not np.all(np.isfinite(parameters)):
        raise MechanismError(f"{where}: law {type(law).__name__}: parameter {parameters.tolist()} is not finite")
    return parameters


def _function(law: ContactLaw, name: str, where: str):
    """A function of the law's class, free of ``self``."""
    found = inspect.getattr_static(type(law), name, None)
    found = found.__func__ if isinstance(found, staticmethod) else found
    if not callable(found):
        needed = {"force": "force(parameters, depth, rate)", "energy": "energy(parameters, depth)"}[name]
        raise MechanismError(f"{where}: law {type(law).__name__} has no static method {needed}")
    return found


def _check(force, energy, parameters: np.ndarray, where: str) -> None:
    try:
        at_zero = [float(force(parameters, 0.0, rate)) for rate in (-1.0, 0.0, 1.0)]
        forces = np.array([float(force(parameters, depth, 0.0)) for depth in _DEPTHS])
        ends = [[float(energy(parameters, depth * (1.0 + s * _STEP))) for depth in _DEPTHS] for s in (-1.0, 1.0)]
        rest = float(energy(parameters, 0.0))
    except Exception as error:
        raise MechanismError(f"{where} cannot be evaluated: {type(error).__name__}: {error}") from error
    if not all(value == 0.0 for value in (*at_zero, rest)):
        raise MechanismError(
            f"{where}: force and energy must be 0 at zero depth for every rate; got {at_zero} N at -1, 0, 1 m/s and "
            f"{rest} J. Let damping grow with the depth, for example F = k depth**1.5 (1 + c rate)"
        )
    slopes = (np.array(ends[1]) - np.array(ends[0])) / (2.0 * _STEP * _DEPTHS)
    if not np.all(np.isfinite(forces)) or np.any(forces < 0.0):
        raise MechanismError(f"{where}: the force at depths of {_DEPTHS.tolist()} m at rest is {forces.tolist()} N")
    # at one of the depths the law may have a corner
    if np.sum(np.abs(slopes - forces) > _MISMATCH * np.abs(forces)) > 1:
        raise MechanismError(
            f"{where}: the energy is not the integral of the force over the depth: at depths of {_DEPTHS.tolist()} m "
            f"the force is {forces.tolist()} N, the slope of the energy {slopes.tolist()} N"
        )


def _address(interface, function, signals: CompiledSignals) -> int:
    if isinstance(function, Entry):
        return function.address
    return signals.address_of(interface, function)

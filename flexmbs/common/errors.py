"""Errors that users meet. Each message says what is wrong, where, and what would be right."""

from __future__ import annotations

from typing import Any


class FlexmbsError(Exception):
    """Base class of every error that flexmbs raises on purpose."""


class MeshError(FlexmbsError):
    """A mesh file, or the mesh made from it, cannot be used."""


class BodyError(FlexmbsError):
    """A flexible or rigid body cannot be derived from what was given."""


class MechanismError(FlexmbsError):
    """A mechanism is stated inconsistently (joints, markers, contacts, start values)."""


class CaseError(FlexmbsError):
    """A case script or one of its parameters cannot be used."""


class SimulationError(FlexmbsError):
    """A run stopped before its end; everything finished up to then is saved.

    ``result``: of the finished part, where there is one.
    """

    result: Any


class ResultFolderError(SimulationError):
    """A result folder cannot be written or read, or holds what would be lost; says which file, and what helps."""


class FlexmbsWarning(UserWarning):
    """Base class of every warning of flexmbs: ``warnings.simplefilter("error", fm.FlexmbsWarning)`` stops at them."""


class MeshWarning(FlexmbsWarning):
    """Something doubtful in a mesh file, or something that was left out of it."""


class BodyWarning(FlexmbsWarning):
    """Something doubtful found while a mesh is made into a body, or in a body."""


class BasisWarning(BodyWarning):
    """The modes of a flexible body do not show all of its deflection under loads at its markers."""


class CacheWarning(FlexmbsWarning):
    """Something kept from earlier runs is not used, so that it is computed or compiled again."""


class MechanismWarning(FlexmbsWarning):
    """Something in a mechanism that is computed as stated, although it is unusual or not physical."""


class ResultWarning(FlexmbsWarning):
    """Something about a run or its result that figures alone do not show, such as an early end."""

"""Errors and warnings of flexmbs. Each message states what is wrong, where, and how to correct it."""

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


class StudyError(FlexmbsError):
    """A study is stated inconsistently, or its folder belongs to another study or cannot be used."""


class SimulationError(FlexmbsError):
    """A run stopped before its end; everything computed up to then is saved.

    ``result``: of the finished part, if there is one.
    """

    result: Any


class ResultFolderError(SimulationError):
    """A result folder cannot be written or read, or holds a result that would be lost: which file, and the remedy."""


class UnknownNameError(MechanismError, KeyError):
    """A mechanism has no body or joint of that name; the message suggests near ones."""

    __str__ = Exception.__str__  # as below


class UnknownHistoryError(FlexmbsError, KeyError):
    """A result has no history of that name; the message suggests near ones."""

    __str__ = Exception.__str__  # that of KeyError shows a message in quotation marks


class FlexmbsWarning(UserWarning):
    """Base class of all warnings; ``warnings.simplefilter("error", fm.FlexmbsWarning)`` turns them into errors."""


class MeshWarning(FlexmbsWarning):
    """Doubtful content in a mesh file, or content that was skipped."""


class BodyWarning(FlexmbsWarning):
    """Doubtful properties of a body, or of the mesh from which it is made."""


class BasisWarning(BodyWarning):
    """The modes of a flexible body do not represent its full deflection under loads at its markers."""


class CacheWarning(FlexmbsWarning):
    """Cached data of earlier runs is not used and is computed or compiled again."""


class MechanismWarning(FlexmbsWarning):
    """A mechanism has unusual or non-physical properties; it is computed as stated."""


class CaseWarning(FlexmbsWarning):
    """A file of parameters has values that the case does not know."""


class StudyWarning(FlexmbsWarning):
    """Runs of a study failed, or the study has a property that its table alone does not show."""


class ResultWarning(FlexmbsWarning):
    """A run or its result has a property that the numbers alone do not show, such as an early end."""

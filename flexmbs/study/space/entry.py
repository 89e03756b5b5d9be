"""What a space can hold for a parameter: the interface of ranges, lists and distributions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flexmbs.case.parameters import Setting

FloatArray = NDArray[np.float64]


class Entry(ABC):
    """Values of one parameter as a function of a number u between 0 and 1, its quantile."""

    @abstractmethod
    def quantiles(self, u: FloatArray) -> Sequence[object]:
        """The value for each u, of shape (n,); it does not decrease with u (lists: the place in the list)."""

    @abstractmethod
    def levels(self, count: int) -> Sequence[object]:
        """Values for a grid: ``count`` of them, or fewer if there are no more."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The entry as plain data."""

    @abstractmethod
    def for_parameter(self, setting: Setting) -> Entry:
        """The entry as it is used for a parameter: its values have the parameter's type.

        Raises StudyError or CaseError, without the parameter's name, if the parameter cannot have these values.
        """

"""What every contact law has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod

PARAMETERS = 4  # numbers that a contact record keeps for its law


class ContactLaw(ABC):
    """Elastic force as a function of penetration; the classes of the laws check their parameters."""

    @abstractmethod
    def parameters(self) -> tuple[float, ...]:
        """Up to ``PARAMETERS`` numbers for the compiled force and energy, in their order."""

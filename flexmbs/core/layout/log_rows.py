"""Columns of a row of the log.

Time, positions, quaternions of the balls, velocities, accelerations, flags of the contacts (1 while touching) and of
switched constraints, what they remember (``State.contact_history``). This is the only place that knows: compiled code
asks :func:`column_starts` (core.stepping.write_log_rows), Python a :class:`LogRow`.
"""

from __future__ import annotations

from dataclasses import dataclass

TIME = 0  # the first column


def column_starts(n, balls):
    """First columns of q (n), quaternions (4 per ball), v (n), a (n) and contact flags, in a row of n coordinates."""
    q = TIME + 1
    reference = q + n
    v = reference + 4 * balls
    return q, reference, v, v + n, v + 2 * n


@dataclass(frozen=True)
class LogRow:
    """Columns of the rows of a mechanism's log: ``rows[:, layout.v]``.

    Attributes
    ----------
    n : coordinates, multipliers included
    balls, contacts : how many the mechanism has
    history : numbers that the laws of its contacts remember
    switches : constraints that are switched (core.layout.switch_tables)
    """

    n: int
    balls: int
    contacts: int
    history: int = 0
    switches: int = 0

    def _starts(self) -> tuple[int, ...]:
        return column_starts(self.n, self.balls)

    @property
    def q(self) -> slice:
        return slice(self._starts()[0], self._starts()[1])

    @property
    def reference(self) -> slice:
        return slice(self._starts()[1], self._starts()[2])

    @property
    def v(self) -> slice:
        return slice(self._starts()[2], self._starts()[3])

    @property
    def a(self) -> slice:
        return slice(self._starts()[3], self._starts()[4])

    @property
    def active(self) -> slice:
        return slice(self._starts()[4], self._starts()[4] + self.contacts)

    @property
    def contact_history(self) -> slice:
        return slice(self._starts()[4] + self.contacts + self.switches, self.width)

    @property
    def flags(self) -> slice:
        """Of the contacts, then of the switches."""
        return slice(self._starts()[4], self._starts()[4] + self.contacts + self.switches)

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return self._starts()[4] + self.contacts + self.switches + self.history

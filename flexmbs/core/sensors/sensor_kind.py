"""What every kind of sensor of a joint coordinate or of markers is: keyword, unit, and what compiled code calls."""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.core.layout.tables import Tables, Workspace
from flexmbs.machine_code.entry import Entry, interface
from flexmbs.machine_code.signature import Floats


@interface
def sensor_value(tables: Tables, number: int, q: Floats, v: Floats, a: Floats, work: Workspace) -> float:
    """Value of sensor ``number`` of ``tables.sensors`` in SI units; frames and signals in ``work`` are current."""


@dataclass(frozen=True)
class SensorKind:
    """A kind of sensor.

    Attributes
    ----------
    keyword : of ``System.sensor``
    unit : of its values; of a coordinate: what follows the unit of the coordinate
    value : entry of the interface above
    on : ``COORDINATE`` of a joint (its number is ``sensor.a``), or ``MARKERS``, b relative to a (``sensor.a``, ``.b``)
    components : 3, one number each (``sensor.component``), or 1
    must_turn : whether both markers must be able to turn
    of_accelerations : whether it is known with the accelerations only
    counts_turns : whether it is an angle about the axis of the sensor, to which whole turns are added
    """

    keyword: str
    unit: str
    value: Entry
    on: int
    components: int = 1
    must_turn: bool = False
    of_accelerations: bool = False
    counts_turns: bool = False

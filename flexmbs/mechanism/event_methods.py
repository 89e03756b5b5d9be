"""The methods of Mechanism for events and latches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flexmbs.common.errors import MechanismError
from flexmbs.core.laws.force.force_law import check_parameter
from flexmbs.core.laws.force.latch import LatchLaw
from flexmbs.mechanism.events import Action, AtTime, Condition, Event, Free, Lock, Set, actions, condition
from flexmbs.mechanism.geometry.rotations import as_number
from flexmbs.mechanism.joint import Joint, JointCoordinate
from flexmbs.mechanism.latches import Latch
from flexmbs.mechanism.sensor_kinds import make_sensor
from flexmbs.mechanism.sensors import Crossing, Sensor, Variable


class EventMethods:
    """Mixed into :class:`flexmbs.mechanism.mechanism.Mechanism`, which has what is declared here."""

    _check_name: Callable[[str], None]
    _coordinate: Callable[[object, str], tuple[Joint, str]]
    variable: Callable[..., Variable]
    function: Callable[..., Sensor]

    def _start_events(self) -> None:
        self.events: dict[str, Event] = {}
        self.latches: dict[str, Latch] = {}

    def event(
        self, when: Condition, do: Action | Sequence[Action], name: str | None = None, *, repeats: bool = True, armed: bool = True
    ) -> Event:
        """Do something when a sensor crosses a value, or at a time; a step ends exactly there (docs/events.md).

        Parameters
        ----------
        when : ``sensor >= value`` (crosses it upwards), ``sensor <= value`` (downwards), ``fm.Crossing(sensor, value,
            direction)``, or a time in s. A condition of several sensors is a function of them (``System.function``)
        do : one action or several, in their order: ``fm.Lock``, ``fm.Free``, ``fm.Set``, ``fm.Restart``, ``fm.Stop``,
            ``fm.Arm``, ``fm.Disarm``. What they refer to may be stated later, by its name
        repeats : whether it happens again whenever the sensor crosses the value again
        armed : False: it happens only after ``fm.Arm(event)``

        Events of one instant are carried out in the order in which they are stated, those that their actions cause
        after them, at the same instant.
        """
        name = name or f"event {len(self.events) + 1}"
        self._check_name(name)
        where = f"event '{name}'"
        self.events[name] = Event(name, condition(when, where), actions(do, where), bool(repeats), bool(armed))
        return self.events[name]

    def latch(
        self,
        joint: JointCoordinate,
        at: float = 0.0,
        coordinate: str | None = None,
        direction: str | None = None,
        *,
        gap: Sensor | None = None,
        stiffness: float | None = None,
        damping: float | None = None,
        unlock: Condition | Event | None = None,
        breaks_at: float | None = None,
        name: str | None = None,
    ) -> Latch:
        """Lock a joint when its coordinate (or ``gap``) gets to a value: by a plastic impact, or compliantly.

        Without ``stiffness`` velocities jump by the balance of momentum of the whole mechanism, and the coordinate is
        held; several latches that close at one instant are solved together. The impulse, the time and the energy lost
        are in the result's events.

        Parameters
        ----------
        joint : joint, or (joint, "coordinate")
        at : m or rad; of ``gap`` its value, which it reaches from above
        direction : "rising", "falling" or "both", in which the coordinate gets there; None: from where it starts
        gap : a sensor that closes the latch in place of the coordinate, such as a distance
        stiffness, damping : N/m, N s/m or N m/rad, N m s/rad: a spring and damper about ``at`` (with ``gap``, about 0)
            holds it compliantly, without a jump
        unlock : a time (s), a crossing, or an event that frees it
        breaks_at : N or N m; a larger force in the lock frees it
        """
        name = name or f"latch {len(self.latches) + 1}"
        self._check_name(name)
        where = f"latch '{name}'"
        given = joint if coordinate is None else (joint, coordinate)
        chosen, along = self._coordinate(given, where)
        if along in chosen.drivers:
            raise MechanismError(
                f"{where}: '{along}' of joint '{chosen.name}' is prescribed, so that a lock would contradict its driver"
            )
        value = as_number(at, f"{where}: at")
        if gap is None:
            sensor = make_sensor(self, "coordinate", chosen, None, None, "z", along, None, None)
            way = approach(chosen.start.get(along, 0.0), value, direction, chosen.name, along, where)
        else:
            sensor, way = gap, direction or "falling"
        lock: Action = Lock((chosen, along))
        release: Action = Free((chosen, along))
        compliant = stiffness is not None or damping is not None
        k, c = (0.0 if given is None else given for given in (stiffness, damping))
        anchor = value if gap is None else 0.0
        if compliant:
            for what, number in (("stiffness", k), ("damping", c)):
                check_parameter(f"{where}: {what}", number, 0.0)
            closed = self.variable(f"{name}.closed")
            chosen.force(LatchLaw(anchor, float(k), float(c), closed), along, name=name)
            lock, release = Set(closed, 1.0), Set(closed, 0.0)
        event = self.events[name] = Event(name, Crossing(sensor, value, way), [lock], repeats=False)
        made = Latch(name, chosen, along, event, release)
        if breaks_at is not None:
            check_parameter(f"{where}: breaks_at", breaks_at, positive=True)
            force = made.force
            if compliant:
                x, rate = (make_sensor(self, kind, chosen, None, None, "z", along, None, None) for kind in ("coordinate", "rate"))
                inputs = (x, rate, closed)
                force = self.function(lambda t, x, rate, on: -on * (k * (x - anchor) + c * rate), inputs, name=f"{name}.force")
            limit = float(breaks_at)
            for sign, when in ((">", Crossing(force, limit, "rising")), ("<", Crossing(force, -limit, "falling"))):
                self.events[f"{name} breaks {sign}"] = Event(f"{name} breaks {sign}", when, [made.release], repeats=False)
        if unlock is not None:
            self._unlock(made, unlock)
        self.latches[name] = made
        return made

    def _unlock(self, latch: Latch, unlock: Condition | Event) -> None:
        if isinstance(unlock, Event):
            if self.events.get(unlock.name) is not unlock:
                raise MechanismError(f"latch '{latch.name}': event '{unlock.name}' belongs to another system")
            unlock.do.append(latch.release)
            return
        when = condition(unlock, f"latch '{latch.name}': unlock")
        repeats = not isinstance(when, AtTime)
        self.events[f"{latch.name} unlocks"] = Event(f"{latch.name} unlocks", when, [latch.release], repeats=repeats)


def approach(start: float, at: float, direction: str | None, joint: str, along: str, where: str) -> str:
    """The direction in which a coordinate gets from its start to ``at``; MechanismError if it starts there or beyond."""
    if direction is None and start == at:
        raise MechanismError(
            f"{where}: '{along}' of joint '{joint}' starts at its latch ({at:g}); lock it from the start, "
            "system.event(when=0.0, do=fm.Lock(joint)), or give direction="
        )
    way = direction or ("rising" if start < at else "falling")
    if (way == "rising" and start > at) or (way == "falling" and start < at):
        raise MechanismError(
            f"{where}: '{along}' of joint '{joint}' starts at {start:g}, which has passed the latch at {at:g} ({way}); "
            "give a start value before it, or the other direction"
        )
    return way

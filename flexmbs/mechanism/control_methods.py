"""The methods of Mechanism for sensors, user functions, user states and controllers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import MechanismError
from flexmbs.mechanism.forces import QuantityLike, quantity
from flexmbs.mechanism.geometry.rotations import as_number, as_positive, as_vector
from flexmbs.mechanism.joint_type import DirectionLike
from flexmbs.mechanism.markers import Marker
from flexmbs.mechanism.sensor_kinds import make_sensor
from flexmbs.mechanism.sensors import Controller, Sensor, State, UserFunction, UserInputs, Variable, user_function


class SignalMethods:
    """Mixed into :class:`flexmbs.mechanism.mechanism.Mechanism`, which has what is declared here."""

    _check_name: Callable[[str], None]

    def _start_signals(self) -> None:
        self.sensors: dict[str, Sensor] = {}
        self.states: dict[str, State] = {}
        self.functions: dict[str, UserFunction] = {}

    def sensor(
        self,
        kind: str,
        of: object = None,
        relative_to: Marker | None = None,
        *,
        component: str | int | None = None,
        axis: DirectionLike = "z",
        coordinate: str | None = None,
        at: ArrayLike | None = None,
        name: str | None = None,
    ) -> Sensor:
        """A sensor; named ones are histories of the result under their name.

        kind                                        of
        "coordinate", "rate", "acceleration"        a joint (``coordinate`` where it has several): rad or m
        "reaction force", "reaction moment"         a joint or a constraint: on its second marker's body, world axes, N
                                                    and N m. A force, function or controller that depends on the
                                                    reaction of a joint cuts the joint (with a MechanismWarning)
        "position", "velocity", "acceleration"      a marker, as seen from marker ``relative_to`` (ground), in its axes
        "rotation", "angular velocity",             a marker, likewise: rotation vector (rad, at most pi), rad/s, rad/s2
        "angular acceleration"
        "angle", "angle rate"                       a marker, turned against ``relative_to`` about its ``axis``, over any
                                                    number of turns (as in :meth:`torsion_spring`)
        "inclination"                               a marker: angle between its ``axis`` and that of ``relative_to``
        "distance", "distance rate"                 a marker, from marker ``relative_to``
        "specific force"                            a marker: acceleration minus gravity in its own axes, m/s2, as an
                                                    accelerometer there shows it
        "strain"                                    a marker: (distance - length) / length from marker ``relative_to``
                                                    on the same body, a strain gauge
        "stress"                                    a flexible body: Pa at the surface point nearest to ``at`` (m, body
                                                    frame), ``component`` "xx", "yy", "zz", "yz", "xz" or "xy"
        "modal coordinate", "modal rate"            a flexible body; ``component``: number (from 0) or label of a mode
        "kinetic energy", "gravity energy",         nothing: of the whole mechanism, J
        "elastic energy", "total energy"
        "time"                                      nothing: s

        ``component`` "x", "y" or "z" takes one number of a vector; without it all three come.
        """
        made = make_sensor(self, kind, of, relative_to, component, axis, coordinate, at, name)
        if name is not None:
            self._check_name(name)
            self.sensors[name] = made
        return made

    def function(
        self,
        function: Callable[..., object],
        inputs: UserInputs = (),
        outputs: int = 1,
        name: str | None = None,
        compiled: bool | None = None,
    ) -> Sensor:
        """A user function f(t, *inputs) of time (s) and sensors, as a sensor of its ``outputs`` numbers.

        It must depend on its arguments only: it is called many times per step, including at states that are rejected.
        Its outputs are the histories "NAME" or "NAME.0", "NAME.1" ...

        Parameters
        ----------
        inputs : sensors; each is one argument, a float or (with several numbers) an array
        compiled : None: compiled by numba if possible, otherwise called in Python; False: never compiled; True:
            compiled, or an error. Compiled functions use the values that outer variables have at the start of a run
        """
        name = name or f"function {len(self.functions) + 1}"
        self._check_name(name)
        self.functions[name] = user_function(f"function '{name}'", function, inputs, outputs, compiled)
        return self.functions[name].sensor()

    def state(
        self,
        name: str,
        rate: Callable[..., object] | None = None,
        inputs: UserInputs = (),
        start: ArrayLike = 0.0,
        compiled: bool | None = None,
    ) -> State:
        """Unknowns x of the user with x' = rate(t, x, *inputs), integrated together with the mechanism.

        Returns a sensor of x: an input or a force wherever sensors can be; history "NAME" (or "NAME.0", ...).

        Parameters
        ----------
        rate : function that returns as many numbers as x has (a float for one); it may be given later, by
            ``set_rate``, so that states can depend on each other
        start : x at t = 0, a number or several
        """
        self._check_name(name)
        first = np.atleast_1d(start)
        first = as_vector(first, f"state '{name}': start", len(first))
        made = self.states[name] = State(name, "", (), start=first)
        if rate is not None:
            try:
                self.set_rate(made, rate, inputs, compiled)
            except MechanismError:
                del self.states[name]
                raise
        return made

    def set_rate(self, state: State, rate: Callable[..., object], inputs: UserInputs = (), compiled: bool | None = None) -> State:
        """Give a state its rate x' = rate(t, x, *inputs) after it was made."""
        where = f"state '{state.name}'"
        if isinstance(state, Variable):
            raise MechanismError(f"variable '{state.name}' is held between events and has no rate; use system.state")
        if state.rule:
            raise MechanismError(f"{where}: its rate has already been given")
        chosen = (inputs,) if isinstance(inputs, Sensor) else tuple(inputs)
        state.rule.append(user_function(where, rate, (state, *chosen), state.size, compiled))
        return state

    def variable(self, name: str, start: float = 0.0) -> Variable:
        """A number that events set (``fm.Set``), held in between: a factor of a force, a command, a count.

        Returns a sensor of it, for forces, motors, functions and controllers; history "NAME".
        """
        self._check_name(name)
        made = Variable(name, "", (), start=np.array([as_number(start, f"variable '{name}': start")]))
        self.states[name] = made
        return made

    def lag(self, name: str, source: QuantityLike, time_constant: float, start: float = 0.0) -> State:
        """First-order lag x' = (source - x) / time_constant (s) of a number, function of time, or sensor."""
        where = f"lag '{name}'"
        followed = quantity(source, where)
        constant = as_positive(time_constant, f"{where}: time_constant (s)")
        made = self.state(name, start=as_number(start, f"{where}: start"))
        made.rule.append((followed, constant))
        return made

    def controller(
        self,
        name: str,
        function: Callable[..., object],
        inputs: UserInputs,
        period: float,
        outputs: int = 1,
        start: ArrayLike = 0.0,
        first_sample: float = 0.0,
    ) -> Controller:
        """A sampled controller: function(t, *inputs) is called once every ``period`` (s); outputs are held in between.

        Steps end exactly at the samples. The function may have memory (for example an object with ``__call__``): Python
        calls it in order of time, once per sample. Controllers sampled at the same time see the same state.
        Returns a sensor of the outputs; history "NAME" (or "NAME.0", ...).

        Parameters
        ----------
        inputs : sensors; each is one argument, a float or an array
        outputs : how many numbers it returns
        start : outputs before the first sample
        first_sample : s
        """
        self._check_name(name)
        where = f"controller '{name}'"
        period = as_positive(period, f"{where}: period (s)")
        rule = user_function(where, function, inputs, outputs, False)
        first = as_number(first_sample, f"{where}: first_sample (s)", 0.0)
        held = np.asarray(start, dtype=float)
        held = as_vector(np.full(rule.outputs, held) if held.ndim == 0 else held, f"{where}: start", rule.outputs)
        made = Controller(name, "", (), start=held, rule=[rule], period=period, first=first)
        self.states[name] = made
        return made

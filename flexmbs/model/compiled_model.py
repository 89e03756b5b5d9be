"""The compiled mechanism: flat tables for the kernels, and the names used in the mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from flexmbs.core.layout.log_rows import LogRow
from flexmbs.core.layout.tables import Tables, history_size
from flexmbs.mechanism.rigid_body import RigidBody
from flexmbs.mechanism.sensors import UserFunction
from flexmbs.mechanism.time_signals import CompiledSignals, Signal
from flexmbs.model.compile_forces import RecordColumn
from flexmbs.model.coordinate_limits import CoordinateEnd
from flexmbs.model.inertia_layout import InertiaLayout
from flexmbs.model.loop_closure_report import LoopClosure
from flexmbs.model.spanning_tree import SpanningTree
from flexmbs.reduction.flexible_body import FlexibleBody


@dataclass(frozen=True)
class Model:
    """Everything a run needs; arrays are read-only.

    Attributes
    ----------
    tables : Tables of the kernels
    q, v : (n,) start values of the local coordinates (three zeros per ball) and their rates; multipliers behind them
    reference : (balls, 4) start quaternions (w, x, y, z)
    coordinate_names, stored_names, rate_names, stored_units : see model.coordinate_names; the first with multipliers
    coordinate_count : local coordinates without the multipliers
    tree : spanning tree: the joint that carries each body, and the joints that close loops
    constraint_names : of the records of ``tables.constraints``
    switch_names, event_names, turn_names : of the records of ``tables.switches``, ``tables.events``, ``tables.turns``
    prescribing : names of those that the user prescribes in time
    coordinate_index : "joint.coordinate" -> local coordinate
    ends : where curves and surfaces end
    given, given_rates : (n,) whether the user stated the start value, the start rate
    held : (n,) whether the start value must stay when loops are closed
    condensed_units : (n,) s2, 1 / w^2 of modes to be condensed (analysis.run.condensed_modes), 0 for all others
    balls : first local coordinate of each ball
    body_names : ground first, in the order of the tables
    modal : body name -> slice of its modal coordinates in the local coordinates
    layouts : flexible body -> what is stored of its inertia
    marker_index : (body, marker) -> row of ``tables.markers``
    signals, signal_list : the C functions of the functions of time, and these in the order of ``tables.signals``
    user_functions : of the records of ``tables.functions``; None: one that hands its input on
    lags : records of ``tables.states`` that start at the value they follow
    record_columns : histories of what ``Workspace.record`` holds
    closing : misalignment and bending involved in closing the loops (None: none)
    """

    tables: Tables
    q: np.ndarray
    v: np.ndarray
    reference: np.ndarray
    coordinate_names: tuple[str, ...]
    coordinate_count: int
    tree: SpanningTree
    constraint_names: tuple[str, ...]
    switch_names: tuple[str, ...]
    prescribing: frozenset[str]
    coordinate_index: Mapping[str, int]
    ends: tuple[CoordinateEnd, ...]
    given: np.ndarray
    given_rates: np.ndarray
    held: np.ndarray
    condensed_units: np.ndarray
    stored_names: tuple[str, ...]
    stored_units: tuple[str, ...]
    rate_names: tuple[str, ...]
    balls: tuple[int, ...]
    body_names: tuple[str, ...]
    bodies: Mapping[str, FlexibleBody | RigidBody]
    modal: Mapping[str, slice]
    layouts: Mapping[str, InertiaLayout]
    marker_index: Mapping[tuple[str, str], int]
    contact_names: tuple[str, ...]
    signals: CompiledSignals
    signal_list: tuple[Signal, ...]
    user_functions: tuple[UserFunction | None, ...] = ()
    lags: tuple[int, ...] = ()
    record_columns: tuple[RecordColumn, ...] = ()
    event_names: tuple[str, ...] = ()
    turn_names: tuple[str, ...] = ()
    closing: LoopClosure | None = None

    @property
    def is_driven(self) -> np.ndarray:
        """(coordinate_count,) bool: coordinates that drivers prescribe."""
        return self.tables.coordinates["signal"][: self.coordinate_count] >= 0

    @property
    def driven_coordinates(self) -> np.ndarray:
        """Numbers of the coordinates that drivers prescribe."""
        return np.flatnonzero(self.is_driven)

    @property
    def free_coordinates(self) -> np.ndarray:
        """Numbers of the coordinates that no driver prescribes."""
        return np.flatnonzero(~self.is_driven)

    @property
    def state_coordinates(self) -> np.ndarray:
        """(n,) bool: coordinates without a position, whose velocities are user states."""
        return self.tables.coordinates["state"] != 0

    @property
    def resting_rates(self) -> np.ndarray:
        """(n,) velocities at rest: zero, but user states, lags and held outputs are as they start."""
        return np.where(self.state_coordinates, self.v, 0.0)

    @property
    def recorded_contacts(self) -> int:
        """How many contacts have histories: the first ones, without those of groups."""
        return int(np.count_nonzero(self.tables.contacts["group"] < 0))

    def contact_name(self, c: int, pair: int) -> str:
        """Name of contact ``c``, in a group with the bodies of the ``pair`` that it serves."""
        g = int(self.tables.contacts["group"][c])
        if g < 0:
            return self.contact_names[c]
        start, end = (int(self.tables.groups[name][g]) for name in ("start", "end"))
        owners = {row: marker if body == "ground" else body for (body, marker), row in self.marker_index.items()}
        names = (owners[self.tables.features["marker"][start + i]] for i in divmod(int(pair), end - start))
        return f"{self.contact_names[c].rpartition('[')[0]}: {' - '.join(names)}"

    @property
    def log_row(self) -> LogRow:
        """Columns of the rows in which the step loop logs its steps."""
        history = history_size(self.tables)
        switches = len(self.tables.switches)
        return LogRow(len(self.coordinate_names), len(self.balls), len(self.contact_names), history, switches)

    @property
    def stored_columns(self) -> np.ndarray:
        """For each stored coordinate its column in a log row [q, quaternions of the balls]."""
        n = len(self.coordinate_names)
        columns: list[int] = []
        skip = {start: i for i, start in enumerate(self.balls)}
        k = 0
        while k < self.coordinate_count:
            if k in skip:
                columns += [n + 4 * skip[k] + part for part in range(4)]
                k += 3
            else:
                columns.append(k)
                k += 1
        return np.array(columns, dtype=np.int64)

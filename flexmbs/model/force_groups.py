"""Coordinates and multipliers coupled by the forces, user functions and states of a model."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flexmbs.core.layout import force_tables as f
from flexmbs.core.layout.tables import Tables


def force_groups(tables: Tables, paths: list[np.ndarray]) -> Iterator[np.ndarray]:
    """Coordinates coupled by each force; ``paths``: for each body, the coordinates that move it."""
    groups = _Groups(tables, paths)
    for element in tables.elements:
        ends = [np.array([element["a"]])] if element["geometry"] == f.COORDINATE_ELEMENT else groups.ends(element)
        bristles = np.arange(element["bristle"], element["bristle"] + element["bristles"])
        yield np.concatenate([*ends, *groups.behind(element["signal"]), bristles])
    for bushing in tables.bushings:
        yield np.concatenate(groups.ends(bushing))
    for load in tables.loads:
        sources = [part for field in ("sx", "sy", "sz") for part in groups.behind(load[field])]
        yield np.concatenate([groups.marker(load["marker"]), *sources])
    for load in tables.spread_loads:
        yield np.concatenate([paths[load["body"]], *groups.behind(load["signal"])])
    for state in tables.states:
        yield np.concatenate([np.array([state["coordinate"]]), *groups.behind(state["signal"])])


class _Groups:
    def __init__(self, tables: Tables, paths: list[np.ndarray]):
        self.tables, self.paths = tables, paths
        self.owner = np.repeat(np.arange(len(tables.functions)), tables.functions["outputs"])

    def marker(self, number: int) -> np.ndarray:
        return self.paths[self.tables.markers["body"][number]]

    def ends(self, record) -> list[np.ndarray]:
        return [self.marker(record["a"]), self.marker(record["b"])]

    def behind(self, row: int) -> list[np.ndarray]:
        """Coordinates on which a row of ``Workspace.signal`` depends; none for functions of time."""
        output = int(row) - len(self.tables.signals)
        if output < 0:
            return []
        # outputs are numbered in the order of the functions
        function = self.tables.functions[self.owner[output]]
        if function["sampled"]:
            return []
        inputs = self.tables.inputs[function["input_start"] : function["input_end"]]
        return [part for number in inputs for part in self.sensor(self.tables.sensors[number])]

    def sensor(self, sensor) -> list[np.ndarray]:
        kind, tables = sensor["kind"], self.tables
        if kind == f.SIGNAL_VALUE:
            return self.behind(sensor["a"])
        if kind == f.COORDINATE:
            return [np.array([sensor["a"]])]
        if kind == f.MODAL_SUM:
            return [np.arange(sensor["b"], sensor["b"] + sensor["count"])]
        if kind == f.ENERGY:
            return [np.arange(len(tables.coordinates))]
        if kind in (f.REACTION, f.NORMAL_LOAD):
            constraint = tables.constraints[sensor["a"] - len(tables.bodies)]
            rows = np.arange(constraint["row"], constraint["row"] + constraint["rows"])
            axes = tables.axes["coordinate"][constraint["start"] : constraint["end"]]
            return [rows, *self.ends(constraint), axes]
        return self.ends(sensor)

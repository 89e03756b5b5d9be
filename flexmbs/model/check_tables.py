"""Checks of every index and offset in the tables before they are passed to compiled code.

The kernels check nothing: an invalid marker index, or an offset beyond the end of the pool, would make them access
foreign memory. The checks are array operations over each table and take less than a millisecond for a small mechanism.
"""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.layout import force_tables as f
from flexmbs.core.layout import friction_tables as j
from flexmbs.core.layout import tables as t
from flexmbs.core.layout.records import NONE
from flexmbs.core.layout.switch_tables import ARM, DISARM, EVENT_MEMORY, FREE, FRICTION_HOLD, HOLD, LEAVE, LOCK, REBOUND, SET
from flexmbs.core.mechanics.signals import COUNT, HARMONIC_SIZE, TERMS, TIMES
from flexmbs.core.mechanics.splines import CURVE_HEADER, CURVE_INTERVAL, PATCHES_U, PATCHES_V, SURFACE_HEADER, SURFACE_PATCH
from flexmbs.model.check_surfaces import check_surfaces


class _Tables:
    """The limits of indices, and the comparisons."""

    def __init__(self, tables: t.Tables) -> None:
        self.tables, self.pool = tables, tables.pool
        self.markers, self.coordinates = len(tables.markers), len(tables.coordinates)
        self.signals = len(tables.signals) + int(tables.functions["outputs"].sum())
        self.record = t.record_size(tables)
        self.modes, self.forms = tables.bodies["modes"], tables.bodies["form_end"] - tables.bodies["form_start"]
        self.places = tables.bodies["place_end"] - tables.bodies["place_start"]

    def within(self, what: str, values, end, start=0) -> None:
        """start <= value < end for all of them."""
        bad = (values < start) | (values >= end)
        if not bad.any():
            return
        at = int(np.argmax(bad))
        first, last = (int(np.broadcast_to(limit, bad.shape)[at]) for limit in (start, end))
        raise MechanismError(
            f"tables: {what} of record {at} is {values[at]}; expected {first} to {last - 1}. This is a defect in "
            "flexmbs or in a saved state"
        )

    def fields(self, table: str, start=0, records: np.ndarray | slice = slice(None), **ends) -> None:
        """start <= value < end for fields of the ``records`` of a table."""
        for name, end in ends.items():
            self.within(f"{name} of {table}", getattr(self.tables, table)[name][records], end, start)

    def room(self, what: str, at, size) -> None:
        """``size`` numbers from offset ``at`` on lie in the pool."""
        self.within(f"{what} (offset in the pool)", at, len(self.pool) + 1 - size)

    def spans(self, what: str, start, end, count) -> None:
        """0 <= start <= end <= count."""
        self.within(f"end of {what}", end, count + 1)
        self.within(f"start of {what}", start, end + 1)

    def counted(self, what: str, at: np.ndarray, number: int = 0) -> np.ndarray:
        """Counts stored in the pool at ``at + number``, at least 1."""
        self.room(what, at + number, 1)
        counts = self.pool[at + number]
        self.within(f"{what} (count in the pool)", counts, len(self.pool) + 1, 1)
        if np.any(counts % 1.0 != 0.0):
            raise MechanismError(f"tables: {what} (count in the pool) is not a whole number")
        return counts.astype(np.int64)


def check_tables(tables: t.Tables) -> None:
    """MechanismError naming the first invalid entry of ``tables``."""
    c = _Tables(tables)
    for name in ("pool", "gravity"):
        if not np.all(np.isfinite(getattr(tables, name))):
            at = int(np.argmin(np.isfinite(getattr(tables, name))))
            raise MechanismError(f"tables: number {at} of {name} is not finite; check masses, stiffnesses, positions")
    for check in (_check_bodies, _check_fields, _check_axes, _check_signals, _check_contacts, _check_elements, _check_loads):
        check(c)
    for check in (_check_sensors, _check_constraints, _check_switches, _check_joint_frictions, _check_unknowns):
        check(c)


def _check_bodies(c: _Tables) -> None:
    tables, bodies = c.tables, c.tables.bodies[1:]
    moving = slice(1, None)  # all but ground
    c.fields("bodies", records=moving, parent_marker=c.markers, own_marker=c.markers, modes=c.coordinates + 1)
    c.fields("markers", body=len(tables.bodies))
    own = np.arange(1, len(tables.bodies))
    c.within("body of parent_marker", tables.markers["body"][bodies["parent_marker"]], own)
    c.within("body of own_marker", tables.markers["body"][bodies["own_marker"]], own + 1, own)
    c.spans("axes of bodies", bodies["axis_start"], bodies["axis_end"], len(tables.axes))
    c.fields("bodies", records=moving, modal_start=c.coordinates + 1 - bodies["modes"])
    for name, table in (("block", tables.blocks), ("pair", tables.pairs)):
        c.spans(f"{name}s of bodies", bodies[f"{name}_start"], bodies[f"{name}_end"], len(table))
    n, rank, forms, places = bodies["modes"], bodies["rank"], c.forms[1:], c.places[1:]
    pairs, blocks = bodies["pair_end"] - bodies["pair_start"], bodies["block_end"] - bodies["block_start"]
    c.within("places of bodies", places, len(c.pool) + 1)
    c.spans("places of bodies", bodies["place_start"], bodies["place_end"], int(np.maximum(places, 0).sum()))
    c.spans("forms of bodies", bodies["form_start"], bodies["form_end"], bodies["place_end"])
    c.within("form_start of bodies", bodies["form_start"], bodies["place_end"] + 1, bodies["place_start"] + n)
    c.within("order_start of bodies", bodies["order_start"], len(tables.mode_order) + 1 - n)
    c.within("rank of bodies", rank, len(c.pool) + 1, 1)
    c.room("x_at of bodies", bodies["x_at"], 3 * rank)
    if np.any((t.COLUMNS * blocks != rank) & (blocks != 0)) or np.any((blocks != 0) != (n > 0)):
        raise MechanismError("tables: the blocks of a body do not hold its inertia basis")
    flexible = n > 0
    for name in ("stiffness_at", "damping_at"):
        c.room(f"{name} of bodies", bodies[name][flexible], n[flexible] ** 2)
        kind = name.removesuffix("at") + "kind"
        c.within(f"{kind} of bodies", bodies[kind], t.ZERO_MATRIX + 1)
    for name, size in (("form_at", pairs * forms), ("cubic_at", forms * n)):
        given = bodies[name] != -1
        c.room(f"{name} of bodies", bodies[name][given], size[given])
    plain = bodies["form_at"] == -1
    if np.any(forms[plain] != pairs[plain]):
        raise MechanismError("tables: the number of forms of a body differs from its number of pairs")
    if not np.all(np.isfinite(bodies["root_mass"])):
        raise MechanismError("tables: the square root of a body's mass is not finite")


def _check_fields(c: _Tables) -> None:
    """Pairs refer to products of modes of their own body, runs to places of it; markers have their fields."""
    tables, bodies = c.tables, c.tables.bodies[1:]
    n = c.modes[1:]
    pairs, sizes = _owned(bodies["pair_start"], bodies["pair_end"])
    c.within("product of pairs", tables.pairs["product"][pairs], np.repeat(n**2, sizes))
    order, sizes = _owned(bodies["order_start"], bodies["order_start"] + n)
    c.within("mode_order", tables.mode_order[order], np.repeat(n, sizes))
    blocks, sizes = _owned(bodies["block_start"], bodies["block_end"])
    _check_runs(c, tables.blocks[blocks], np.repeat(c.places[1:], sizes))
    moving = tables.markers[tables.markers["flexible"] != 0]
    c.room("fields_at of markers", moving["fields_at"], 6 * c.places[moving["body"]])


def _owned(start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All indices of the spans of bodies, one body after the other, and how many each has."""
    sizes = end - start
    return np.repeat(start - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum()), sizes


def _check_runs(c: _Tables, blocks: np.ndarray, places: np.ndarray) -> None:
    """Runs of blocks lie within the ``places`` of their bodies, and their coefficients in the pool."""
    runs = c.tables.runs
    c.within("count of runs", runs["count"], len(c.pool) + 1)
    for start, end in ((blocks["run"], blocks["ends"][:, 0]), *(blocks["ends"].T[k : k + 2] for k in range(2))):
        c.spans("runs of blocks", start, end, len(runs))
        own, sizes = _owned(start, end)
        c.within("first of runs", runs["first"][own], np.repeat(places, sizes) + 1 - runs["count"][own])
    counted = np.concatenate([[0], np.cumsum(runs["count"])])
    c.room("at of blocks", blocks["at"], t.COLUMNS * (counted[blocks["ends"][:, 2]] - counted[blocks["run"]]))


def _check_axes(c: _Tables) -> None:
    axes = c.tables.axes
    kind, at = axes["kind"], axes["at"]
    balls = kind == t.BALL
    c.within("kind of axes", kind, t.SURFACE + 1)
    c.within("coordinate of axes", axes["coordinate"], c.coordinates - 2 * balls)
    c.within("ball of axes", axes["ball"][balls], int(balls.sum()))
    curves, surfaces = at[(kind == t.CURVE) | (kind == t.INVERSE_CURVE)], at[kind == t.SURFACE]
    c.within("second of axes", axes["second"][kind == t.SURFACE], c.coordinates)
    if len(curves):
        c.room("at of axes", curves, CURVE_HEADER + 1 + (1 + CURVE_INTERVAL) * c.counted("curve", curves))
    if len(surfaces):
        m, n = c.counted("surface", surfaces, PATCHES_U), c.counted("surface", surfaces, PATCHES_V)
        c.room("at of axes", surfaces, SURFACE_HEADER + 2 + m + n + SURFACE_PATCH * m * n)


def _check_signals(c: _Tables) -> None:
    signals = c.tables.signals
    kind, own = signals["kind"], np.arange(len(signals))
    c.within("kind of signals", kind, t.PRODUCT + 1)
    combined = kind >= t.SUM
    for name in ("first", "second"):
        c.within(f"{name} of signals", signals[name][combined], own[combined])
    c.room("at of signals", signals["at"][kind == t.HARMONIC], HARMONIC_SIZE)
    pieces = signals["at"][kind == t.PIECES]
    if len(pieces):
        count, terms = c.counted("pieces", pieces, COUNT), c.counted("pieces", pieces, TERMS)
        c.room("at of signals", pieces, TIMES + count + 1 + count * terms)


def _check_contacts(c: _Tables) -> None:
    contacts, history = c.tables.contacts, t.history_size(c.tables) + 1
    c.fields("contacts", a=c.markers, b=c.markers, kind=t.POINT_ON_SURFACE + 1)
    _check_contact_geometry(c)
    _check_groups(c)
    c.room("at of contacts", contacts["at"], contacts["parameters"])
    c.fields("contacts", parameters=len(c.pool) + 1, jumps=2, always=2, rigid=2, separation=t.AT_ZERO_FORCE + 1)
    c.fields("contacts", history=history)
    c.within("history_at of contacts", contacts["history_at"] + contacts["history"], history)
    for name in ("force", "energy"):
        if np.any(contacts[name] == 0):
            raise MechanismError(f"tables: a contact has no function for its {name}. This is a defect in flexmbs")
    if np.any((contacts["begin"] == 0) & (contacts["history"] > 0) & (contacts["rigid"] == 0)):
        raise MechanismError("tables: a contact has a history that nothing begins. This is a defect in flexmbs")


def _check_contact_geometry(c: _Tables) -> None:
    contacts = c.tables.contacts
    by_address = contacts["kind"] >= t.SHAPE_PAIR
    if np.any(by_address & (contacts["geometry"] == 0)):
        raise MechanismError("tables: a contact has no geometry. This is a defect in flexmbs")
    c.fields("contacts", numbers=len(c.pool) + 1, friction_parameters=len(c.pool) + 1)
    c.room("numbers_at of contacts", contacts["numbers_at"], contacts["numbers"])
    c.room("friction_at of contacts", contacts["friction_at"], contacts["friction_parameters"])
    ends = contacts["scratch_at"] + contacts["scratch"]
    c.within("scratch of contacts", contacts["scratch"][contacts["kind"] < t.SURFACES], 1)
    c.spans("scratch of contacts", contacts["scratch_at"], ends, int(contacts["scratch"].sum()))
    check_surfaces(c.tables)
    recorded = contacts["friction_record"] != NONE
    c.fields("contacts", records=recorded, friction_record=c.record + 1 - f.FRICTION_RECORD)
    _check_bristles(c, "contacts", contacts)


def _check_groups(c: _Tables) -> None:
    tables, features, groups = c.tables, c.tables.features, c.tables.groups
    c.fields("features", marker=c.markers, body=len(tables.bodies))
    c.fields("contacts", NONE, group=len(groups))
    c.spans("features of groups", groups["start"], groups["end"], len(features))
    c.spans("spheres of groups", groups["start"], groups["plane_start"], len(features))
    c.spans("contacts of groups", groups["slot_start"], groups["slot_end"], len(tables.contacts))
    c.spans("excluded pairs of groups", groups["excluded_start"], groups["excluded_end"], len(tables.excluded))


def _check_elements(c: _Tables) -> None:
    elements, turns, history = c.tables.elements, c.tables.turns, t.history_size(c.tables)
    c.fields("turns", a=c.markers, b=c.markers, at=history + 1 - t.TURN_MEMORY)
    c.spans("terms of turns", turns["start"], turns["end"], len(c.tables.terms))
    on_coordinate = elements["geometry"] == f.COORDINATE_ELEMENT
    c.fields("elements", geometry=f.ANGLE_ELEMENT + 1, at=c.record + 1 - f.ELEMENT_RECORD, slides=f.STICKS + 1)
    c.fields("elements", records=on_coordinate, a=c.coordinates)
    c.fields("elements", records=~on_coordinate, a=c.markers, b=c.markers)
    c.fields("elements", NONE + (elements["geometry"] == f.ANGLE_ELEMENT), turn=len(turns))
    c.fields("elements", NONE, signal=c.signals)
    c.fields("elements", parameters=len(c.pool) + 1)
    c.room("parameters_at of elements", elements["parameters_at"], elements["parameters"])
    _check_bristles(c, "elements", elements)
    if np.any((elements["force"] == 0) & (elements["slides"] != f.STICKS)):
        raise MechanismError("tables: an element has no force law. This is a defect in flexmbs or in a saved state")


def _check_bristles(c: _Tables, what: str, records: np.ndarray) -> None:
    """Bristles of friction are user states."""
    count = records["bristles"]
    c.within(f"bristles of {what}", count, t.MAX_BRISTLES + 1)
    first = records["bristle"][count > 0]
    c.within(f"bristle of {what}", first, c.coordinates + 1 - count[count > 0])
    if np.any(c.tables.coordinates["state"][first] == 0):
        raise MechanismError(f"tables: a bristle of {what} is no user state. This is a defect in flexmbs")


def _check_loads(c: _Tables) -> None:
    c.fields("bushings", a=c.markers, b=c.markers, at=c.record + 1 - f.BUSHING_RECORD, turn=len(c.tables.turns))
    c.fields("loads", marker=c.markers, sx=c.signals, sy=c.signals, sz=c.signals)
    c.fields("spread_loads", body=len(c.tables.bodies), signal=c.signals)
    spread = c.tables.spread_loads
    n = c.modes[spread["body"]]
    c.room("field_at of spread_loads", spread["field_at"], (1 + n) * (6 + n))


def _check_sensors(c: _Tables) -> None:
    tables, sensors, functions = c.tables, c.tables.sensors, c.tables.functions
    kind = sensors["kind"]
    components = np.where(kind == f.REACTION, 6, np.where(kind == f.ENERGY, 4, 3))
    c.fields("sensors", kind=f.MODAL_SUM + 1, at=c.record, component=components)
    c.fields("sensors", NONE, turn=len(tables.turns))
    coordinates, markers, sums = kind == f.COORDINATE, kind == f.MARKERS, kind == f.MODAL_SUM
    c.fields("sensors", records=np.isin(kind, (f.REACTION, f.NORMAL_LOAD)), a=len(tables.bodies) + len(tables.constraints))
    c.fields("sensors", records=coordinates, a=c.coordinates)
    c.fields("sensors", records=kind == f.SIGNAL_VALUE, a=c.signals)
    c.fields("sensors", records=sums, count=c.coordinates + 1, b=c.coordinates + 1 - sensors["count"][sums])
    c.room("weights of sensors", sensors["a"][sums], sensors["count"][sums])
    if np.any(sensors["value"][coordinates | markers] == 0):
        raise MechanismError("tables: a sensor has no function. This is a defect in flexmbs or in a saved state")
    c.fields("sensors", records=markers, a=c.markers)
    c.fields("sensors", records=markers | (kind == f.NORMAL_LOAD), b=c.markers)
    c.spans("inputs of functions", functions["input_start"], functions["input_end"], len(tables.inputs))
    c.within("inputs", tables.inputs, len(sensors))
    c.fields("functions", outputs=c.record + 1, at=c.record + 1 - functions["outputs"], time=len(tables.signals))
    c.fields("functions", output=c.signals - len(tables.signals) + 1 - functions["outputs"])
    c.fields("states", coordinate=c.coordinates)
    c.fields("states", NONE, signal=c.signals)
    c.fields("samplers", function=len(functions))
    c.fields("samplers", coordinate=c.coordinates + 1 - functions["outputs"][tables.samplers["function"]])


def _check_constraints(c: _Tables) -> None:
    tables, constraints = c.tables, c.tables.constraints
    kind = constraints["kind"]
    c.fields("constraints", kind=t.CABLE + 1, a=c.markers, b=c.markers, component=3)
    c.fields("constraints", 1, rows=7)
    c.fields("constraints", row=c.coordinates + 1 - constraints["rows"])
    c.fields("constraints", NONE, signal=c.signals, switch=len(tables.switches))
    closing = constraints[kind == t.CLOSURE]
    c.spans("axes of constraints", closing["start"], closing["end"], len(tables.axes))
    summed = constraints[(kind == t.COUPLING) | (kind == t.CABLE)]
    c.spans("terms of constraints", summed["start"], summed["end"], len(tables.terms))
    c.spans("terms of couplers", tables.couplers["start"], tables.couplers["end"], len(tables.terms))
    c.fields("terms", coordinate=max(c.coordinates, c.markers))
    of_coordinates = constraints[kind == t.COUPLING], tables.turns
    for group, count in (*((group, c.coordinates) for group in of_coordinates), (constraints[kind == t.CABLE], c.markers)):
        for start, end in zip(group["start"], group["end"], strict=True):
            c.within("coordinate of terms", tables.terms["coordinate"][start:end], count)


def _check_switches(c: _Tables) -> None:
    tables, switches = c.tables, c.tables.switches
    c.fields("switches", kind=FRICTION_HOLD + 1)
    c.fields("switches", 1, rows=7)
    c.fields("switches", row=c.coordinates + 1 - switches["rows"])
    held = switches["kind"] == HOLD
    c.spans("terms of switches", switches["start"][held], switches["end"][held], len(tables.terms))
    c.fields("switches", records=held, anchor_at=t.history_size(tables))
    c.fields("switches", records=switches["kind"] == FRICTION_HOLD, start=len(tables.joint_frictions))
    c.fields("events", NONE, sensor=len(tables.sensors))
    c.fields("events", memory_at=t.history_size(tables) + 1 - EVENT_MEMORY)
    for kinds, count in (
        ((LOCK, FREE, REBOUND, LEAVE), len(switches)),
        ((SET,), c.coordinates),
        ((ARM, DISARM), len(tables.events)),
    ):
        c.within("target of actions", tables.actions["target"][np.isin(tables.actions["kind"], kinds)], count)
    c.fields("actions", NONE, sensor=len(tables.sensors))
    c.spans("actions of events", tables.events["action_start"], tables.events["action_end"], len(tables.actions))


def _check_joint_frictions(c: _Tables) -> None:
    tables, frictions = c.tables, c.tables.joint_frictions
    motions, load = frictions["motions"], frictions["load"]
    c.fields("joint_frictions", motions=3, load=j.POINT + 1, switch=len(tables.switches))
    own = tables.switches[frictions["switch"]]
    rows = np.where(motions == 0, 3, motions)
    if np.any(own["rows"] != rows) or np.any(own["start"] != np.arange(len(frictions))):
        raise MechanismError("tables: the switch of a joint friction is not its own. This is a defect in flexmbs")
    c.fields("joint_frictions", element=len(tables.elements), a=c.markers, b=c.markers)
    c.fields("joint_frictions", records=motions > 0, first=c.coordinates)
    c.fields("joint_frictions", records=motions > 1, second=c.coordinates)
    c.fields("joint_frictions", records=load == j.GIVEN, signal=c.signals)
    c.fields("joint_frictions", records=load != j.GIVEN, reaction=len(tables.bodies) + len(tables.constraints))
    size = np.where(motions == 0, j.BALL_HISTORY, j.ANCHOR + motions)
    c.fields("joint_frictions", size, history=size + 1)
    c.fields("joint_frictions", history_at=t.history_size(tables) + 1 - size)


def _check_unknowns(c: _Tables) -> None:
    tables = c.tables
    c.fields("coordinates", NONE, signal=c.signals)
    c.within("condensed", tables.condensed, c.coordinates)
    c.within("massless", tables.massless, c.coordinates)
    c.within("free", tables.free, c.coordinates)
    if len(np.unique(tables.free)) != len(tables.free):
        raise MechanismError("tables: a free unknown is listed twice")
    c.within("band", tables.band.reshape(1), max(len(tables.free), 1))
    c.within("shift_columns", tables.shift_columns, len(tables.free))
    c.within("pattern_rows", tables.pattern_rows, len(tables.free))
    for name, count in (("shift_start", len(tables.shift_columns)), ("pattern_start", len(tables.pattern_rows))):
        start = getattr(tables, name)
        c.spans(name, start[:-1], start[1:], count)
    c.within("pattern_start", np.array([len(tables.pattern_start)]), len(tables.free) + 2)
    c.within("shift_split", tables.shift_split.reshape(1), max(len(tables.shift_start), 1))

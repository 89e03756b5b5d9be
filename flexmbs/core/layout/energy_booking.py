"""Where the energy ledger keeps its numbers: one *flow* per thing that can supply or take energy.

A flow is the energy (J) that something has supplied to the mechanism since the start of the run, negative where it has
taken energy.  Their order: coordinates (of driven ones the work of the driver, of multipliers that of a prescribing
constraint), loads, spread loads, elements, bushings, couplers, bodies (modal damping), contacts (normal
force), friction of contacts, impacts of rigid contacts, locks of switches.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.layout.force_tables import COORDINATE_ELEMENT
from flexmbs.core.layout.friction_tables import GIVEN
from flexmbs.core.layout.tables import BALL, Tables, active_size, lengths
from flexmbs.machine_code.blocks import Block

#: Groups of flows in their order, after those of the coordinates.
GROUPS = ("loads", "spread_loads", "elements", "bushings", "couplers", "bodies", "contacts", "friction", "impacts", "locks")
_LIKE = {"friction": "contacts", "impacts": "contacts", "locks": "switches"}  # tables of the same length


def flow_starts(tables: Tables) -> dict[str, int]:
    """First flow of each group by its name; under "flows" how many there are."""
    starts, at = {}, len(tables.coordinates)
    for group in GROUPS:
        starts[group] = at
        at += len(getattr(tables, _LIKE.get(group, group)))
    return {**starts, "flows": at}


class EnergyBooking(Block):
    """What is booked, and the arrays with which it is computed (core.stepping.book_energy)."""

    fields = {
        "start_of": ("i8", 1),  # first flow of each group
        "booked": ("i8", 1),  # (flows,) 1: it can differ from zero
        "always": ("i8", 0),  # 1: something is booked that acts at all times; else only contacts
        "needs_residual": ("i8", 0),  # 1: drivers, prescribing constraints, functions of sensors
        # what the quadrature may miss between two rows, in parts of all that has flowed; where it does not, smaller pieces
        "resolved": ("f8", 0),
        "needs_frames": ("i8", 0),  # 1: something acts on markers
        "exact": ("i8", 0),  # 1: the multipliers between two rows are needed at all times; 0: while rigid contacts slide
        "total": ("f8", ("flows",)),  # J since the start of the run
        "stored": ("f8", 0),  # J in all contacts
        "kept": ("f8", ("contacts",)),  # J in each of them at the row booked last
        "power": ("f8", ("flows",)),  # W at a point between two rows
        "node_power": ("f8", (3, "flows")),  # at the nodes of the quadrature
        "flow": ("f8", ("flows",)),  # J from one row to the next
        "coarse": ("f8", ("flows",)),  # by half as many nodes
        "slow_rate": ("f8", ("contacts",)),  # gap rate without the motion of condensed modes
        "active": ("i8", ("flags",)),  # of the row at the start: contacts, then switches
        "reference": ("f8", ("balls", 4)),  # of the row at the start
        "start": ("f8", (3, "n")),  # q, v, a of the rows at both ends, in the chart of the first
        "end": ("f8", (3, "n")),
        "point": ("f8", (3, "n")),  # between them
        "residual": ("f8", ("n",)),
        # independent multipliers where a driver, friction in joints or that of rigid contacts works on a mechanism with
        # constraints (core.equations.row_multipliers)
        "multipliers": ("i8", 1),  # (m,) their coordinates
        "acts": ("i8", 1),  # (n,) 0: a multiplier of a rigid contact that is not closed, or does not stick along its row
        "joint_point": ("f8", ("bodies", 3)),
        "unit": ("f8", ("n",)),
        "pushed": ("f8", ("m", "n")),  # what a multiplier of value 1 adds to the residual
        "normal": ("f8", ("m", "m")),
        "pivots": ("i8", ("m",)),
        "change": ("f8", ("m",)),
    }
    parts = {
        "q": ("point", 0),
        "v": ("point", 1),
        "a": ("point", 2),
        "end_q": ("end", 0),
        "end_v": ("end", 1),
        "end_a": ("end", 2),
        "start_q": ("start", 0),
        "start_v": ("start", 1),
        "start_a": ("start", 2),
        **{group: ("start_of", index) for index, group in enumerate(GROUPS)},
    }


def make_booking(tables: Tables, booked: np.ndarray, resolved: float) -> EnergyBooking:
    """Arrays for the flows of ``tables`` of which those with ``booked`` (flows,) != 0 are wanted; ``resolved``: see there."""
    n, contacts = len(tables.coordinates), len(tables.contacts)
    first = flow_starts(tables)
    prescribed = bool(np.any(booked[:n]))
    forces = bool(np.any(booked[first["loads"] : first["bushings"]]))
    on_markers = [*booked[first["loads"] : first["elements"]], *booked[first["bushings"] : first["couplers"]]]
    on_lines = booked[first["elements"] : first["bushings"]][tables.elements["geometry"] != COORDINATE_ELEMENT]
    sticks = len(tables.joint_frictions) > 0
    exact = prescribed or bool(np.any(tables.joint_frictions["load"] != GIVEN))
    rubs = bool(np.any(booked[first["friction"] :][:contacts][tables.contacts["rigid"] != 0]))
    multipliers = tables.free[tables.coordinates["multiplier"][tables.free] != 0] if exact or rubs else np.zeros(0, int)
    sizes = {"flows": len(booked), "flags": active_size(tables), "m": len(multipliers)}
    return EnergyBooking.zeros(
        lengths(tables) | sizes | {"balls": int(np.count_nonzero(tables.axes["kind"] == BALL))},
        start_of=np.array([first[group] for group in GROUPS]),
        booked=booked,
        always=np.any(booked[: first["contacts"]]),
        needs_residual=prescribed or sticks or forces and len(tables.functions) + len(tables.condensed) > 0,
        needs_frames=np.any(on_markers) or np.any(on_lines),
        exact=exact,
        resolved=resolved,
        multipliers=multipliers,
        acts=np.ones(n),
    )

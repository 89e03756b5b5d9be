"""The woodpecker toy: a bird on a spring at a sleeve that hops down a pole, with impacts, sliding and sticking.

Parameters of Glocker (1995) and Leine, van Campen and Glocker, J. Vibration and Control 9 (2003) 25-78. Angles are
small: heights and distances from the pole are sums of the height y of the sleeve and of the angles phi_M of the sleeve
and phi_S of the bird. Here each such sum is the displacement of a body that slides up or across, coupled to the turning
of sleeve and bird: a contact is a point of a body that slides up beside a plane of one that slides across. Masses and
moments of inertia are distributed over these bodies so that together they are those of sleeve and bird.

Figures are those of the limit cycle, from just after an impact of the beak to the next one. The cycle is found by
Newton's method for a fixed point of the motion from impact to impact; so it need not be stable.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import flexmbs as fm

BEAK, MINUS, PLUS = CONTACTS = "beak", "sleeve_minus", "sleeve_plus"  # contacts 1 to 3
IN_FILES = {
    "mM": "sleeve_mass",
    "JM": "sleeve_inertia",
    "mS": "bird_mass",
    "JS": "bird_inertia",
    "cphi": "stiffness",
    "rO": "pole_radius",
    "rM": "sleeve_radius",
    "hM": "sleeve_half_height",
    "lM": "spring_at",
    "lG": "bird_at",
    "hS": "beak_height",
    "lS": "beak_reach",
    "g": "gravity",
    "mu": "friction",
    "e_N": "restitution",
    "e_T": "tangential_restitution",
}
TILTED = 0.9  # start of the motion that leads to the cycle: the sleeve is turned so far in its play, and the bird falls
FALL = (-0.2788, -0.3411, 0.0, -7.4583)  # with this phi_S, and these rates
TURN, MORE = "sleeve_turn.angle", "bird_turn.angle"
SLIPS = {BEAK: "beak_up.displacement.rate", MINUS: "edge_up.displacement.rate", PLUS: "edge_up.displacement.rate"}
LEAST_SLIP = 1e-8  # m/s, that tells the sense of sliding
PLOTS = {
    "Height": ("sleeve.displacement", "beak_up.displacement"),
    "Angles": (TURN, MORE),
    "Velocity": ("sleeve.displacement.rate",),
    "Gaps": tuple(f"{name}.gap" for name in CONTACTS),
}
UNITS = {"period": "s", "drop_per_period": "m", "mean_velocity": "m/s", "energy_lost_per_cycle_J": "J", "impact_losses": "J"}
ITERATIONS, CONVERGED = 20, 1e-10  # of Newton's method for the cycle; residual in parts of SIZES
SIZES = np.array([0.1, 0.1, 10.0, 10.0])  # of phi_M, y', phi_M', phi_S'
CHANGE = 1e-6  # of these, to differentiate the motion from impact to impact
WIDE_CHANGE = 1e-4  # the same with central differences


@dataclass(frozen=True)
class Parameters:
    sleeve_mass: float = fm.parameter(0.0003, "kg", "mass of the sleeve")
    sleeve_inertia: float = fm.parameter(5e-9, "kg m2", "moment of inertia of the sleeve")
    bird_mass: float = fm.parameter(0.0045, "kg", "mass of the bird")
    bird_inertia: float = fm.parameter(7e-7, "kg m2", "moment of inertia of the bird")
    stiffness: float = fm.parameter(0.0056, "N m/rad", "of the spring between sleeve and bird")
    pole_radius: float = fm.parameter(0.0025, "m", "radius of the pole, rO")
    sleeve_radius: float = fm.parameter(0.0031, "m", "inner radius of the sleeve, rM")
    sleeve_half_height: float = fm.parameter(0.0058, "m", "half the height of the sleeve, hM")
    spring_at: float = fm.parameter(0.01, "m", "from the middle of the sleeve to the spring, lM")
    bird_at: float = fm.parameter(0.015, "m", "from the spring to the centre of the bird, lG")
    beak_height: float = fm.parameter(0.02, "m", "of the beak above the centre of the bird, hS")
    beak_reach: float = fm.parameter(0.0201, "m", "of the beak towards the pole, lS")
    gravity: float = fm.parameter(9.81, "m/s2", "downwards")
    friction: tuple = fm.parameter((0.3, 0.3, 0.3), "", "coefficients of beak and both edges of the sleeve")
    restitution: tuple = fm.parameter((0.5, 0.0, 0.0), "", "Newton's, of the same")
    tangential_restitution: tuple = fm.parameter((0.0, 0.0, 0.0), "", "of the same")
    parameters: str | None = fm.parameter(None, "", f"JSON file with values of {', '.join(IN_FILES)}")
    start: tuple | None = fm.parameter(
        None, "m, rad, m/s, rad/s", "y, phi_M, phi_S and their rates; none: just after the impact of the beak"
    )
    multipliers: tuple | None = fm.parameter(None, "", "of the return map; none: as found with the cycle")
    settling: float = fm.parameter(2.5, "s", "of the motion from which the cycle is sought")
    cycles: int = fm.parameter(1, "", "periods of the run", minimum=1)
    t_end: float | None = fm.parameter(None, "s", "end time; none: a little after these periods")
    rtol: float = fm.parameter(1e-9, "", "relative tolerance")
    atol: float = fm.parameter(1e-12, "", "absolute tolerance")


@dataclass(frozen=True)
class Cycle:
    """Start (y, phi_M, phi_S and their rates), period (s), eigenvalues of the motion from impact to impact."""

    start: tuple
    period: float
    multipliers: np.ndarray


def resolve(p: Parameters) -> Parameters:
    """Read the file of parameters; find the cycle, unless a start is given."""
    p = fm.with_parameter_file(p, IN_FILES)
    if p.start is None:
        cycle = limit_cycle(p)
        multipliers = sorted((float(value.real) for value in cycle.multipliers), key=abs, reverse=True)
        p = replace(p, start=cycle.start, multipliers=tuple(multipliers))
        p = replace(p, t_end=p.t_end or (p.cycles + 0.01) * cycle.period)
    return p if p.t_end is not None else replace(p, t_end=1.0)


def build(p: Parameters, start: tuple | None = None) -> fm.System:
    """From y, phi_M, phi_S and their rates, those of the parameters unless given."""
    system = fm.System(gravity=(0.0, -p.gravity, 0.0))
    start = p.start if start is None else start
    M, S = p.sleeve_inertia, p.bird_inertia
    edge = min(M / (6.0 * p.sleeve_radius**2), 0.25 * p.sleeve_mass)
    beak = min(S / (6.0 * p.beak_reach**2), 0.25 * p.bird_mass)
    across_M, across_S = M / (3.0 * p.sleeve_half_height**2), S / (3.0 * p.beak_height**2)
    sleeve_turn = system.add(disc(2.0 / 3.0 * M - 2.0 * edge * p.sleeve_radius**2), name="sleeve_disc")
    bird_turn = system.add(disc(2.0 / 3.0 * S - 2.0 * beak * p.beak_reach**2), name="bird_disc")
    phi, phi_rate = start[1], start[4]
    turn = system.revolute(system.ground.frame, sleeve_turn["origin"], axis="z", angle=phi, rate=phi_rate, name="sleeve_turn")
    more = system.revolute(
        sleeve_turn["origin"], bird_turn["origin"], axis="z", angle=start[2] - phi, rate=start[5] - phi_rate, name="bird_turn"
    )
    more.spring(stiffness=p.stiffness)
    slides = {
        "sleeve": ("y", p.sleeve_mass - 2.0 * edge, 0.0, 0.0),
        "edge_up": ("y", edge, p.sleeve_radius, 0.0),
        "far_edge_up": ("y", edge, -p.sleeve_radius, 0.0),
        "bird": ("y", p.bird_mass - 2.0 * beak, p.spring_at, p.bird_at),
        "beak_up": ("y", beak, p.spring_at, p.bird_at - p.beak_reach),
        "tail_up": ("y", beak, p.spring_at, p.bird_at + p.beak_reach),
        "edge_across": ("x", across_M, p.sleeve_half_height, 0.0),
        "beak_across": ("x", across_S, 0.0, p.beak_height),
    }
    bodies = {}
    for name, (axis, mass, by_sleeve, by_bird) in slides.items():
        bodies[name] = slide(system, name, axis, mass, (by_sleeve, by_bird), (turn, more), start)
    touch(system, p, bodies)
    return system


def disc(inertia: float) -> fm.RigidBody:
    """A body that turns about z."""
    return fm.RigidBody(1e-3, (inertia,) * 3, surface=fm.RigidBody.box(1.0, (4e-3, 4e-3, 1e-3)).surface)


def slide(system, name, axis, mass, lever, turns, start):
    """A body that slides along ``axis``, by ``lever`` times the angles of sleeve and bird; along y with the sleeve."""
    box = fm.RigidBody.box(1.0, (1e-3, 1e-3, 1e-3))
    body = system.add(fm.RigidBody(mass, (1e-9,) * 3, surface=box.surface), name=f"{name}_slider")
    up = float(axis == "y")
    place, rate = (up * values[0] + lever[0] * values[1] + lever[1] * values[2] for values in (start[:3], start[3:]))
    joint = system.prismatic(system.ground.frame, body["origin"], axis=axis, displacement=place, rate=rate, name=name)
    terms = [(joint, 1.0), (turns[0], -lever[0] - lever[1]), (turns[1], -lever[1])]
    if up and name != "sleeve":
        terms.append((system.joints["sleeve"], -1.0))
    terms = [term for term in terms if term[1] != 0.0]
    if len(terms) > 1:
        system.couple(*terms, name=f"{name}_with_angles")
    return body


def touch(system, p, bodies):
    """The contacts: points of bodies that slide up, planes of bodies that slide across."""
    play = p.sleeve_radius - p.pole_radius
    reach = p.spring_at + p.bird_at - p.beak_reach - p.pole_radius
    for k, (name, point, at, plane, normal) in enumerate(
        [
            (BEAK, "beak_up", reach, "beak_across", 1.0),
            (MINUS, "edge_up", -play, "edge_across", -1.0),
            (PLUS, "edge_up", play, "edge_across", 1.0),
        ]
    ):
        law = fm.Rigid(p.restitution[k], p.friction[k], tangential_restitution=p.tangential_restitution[k])
        surface = fm.Plane(bodies[plane]["origin"], normal=(normal, 0.0, 0.0))
        system.contact(fm.Point(bodies[point].marker(name, (at, 0.0, 0.0))), surface, law=law, name=name)


def state_at(result: fm.Result, row: int) -> tuple[list[float], list[float]]:
    """(y, phi_M, phi_S) and their rates in a row of the histories."""
    found = []
    for suffix in ("", ".rate"):
        y, turn, more = (result[f"{name}{suffix}"][row] for name in ("sleeve.displacement", TURN, MORE))
        found.append([float(y), float(turn), float(turn + more)])
    return found[0], found[1]


def rows_at(result: fm.Result, time: float) -> tuple[int, int]:
    """Rows just before and just behind an event."""
    rows = np.flatnonzero(result.t == time)
    return int(rows[0]), int(rows[-1])


def start_of(p: Parameters, x: np.ndarray) -> tuple:
    """The start with phi_M, y', phi_M', phi_S' = ``x`` while the beak touches the pole, y = 0."""
    touching = (p.spring_at + p.bird_at - p.beak_reach - p.pole_radius) / p.beak_height
    return (0.0, float(x[0]), touching, *(float(value) for value in x[1:]))


def beaten(result: fm.Result) -> list[tuple[float, np.ndarray]]:
    """Times of the impacts of the beak, with phi_M, y', phi_M', phi_S' just behind them."""
    found = []
    for event in result.impacts(BEAK):
        if event.time > 0.0:
            q, u = state_at(result, rows_at(result, event.time)[1])
            found.append((event.time, np.array([q[1], *u])))
    return found


def next_impact(p: Parameters, x: np.ndarray) -> tuple[float, np.ndarray]:
    """Time and state of the impact of the beak that follows an impact with state ``x`` behind it."""
    for span in (0.2, 1.0):
        result = build(p, start_of(p, x)).simulate(span, rtol=p.rtol, atol=p.atol, progress=False)
        impacts = beaten(result)
        if impacts:
            return impacts[0]
    raise fm.CaseError("woodpecker_toy: the beak does not hit the pole again within 1 s: there is no cycle to be found")


def limit_cycle(p: Parameters) -> Cycle:
    """By Newton's method, whose matrix is renewed when it does not reduce the residual tenfold.

    CaseError if it is not found.
    """
    play = p.sleeve_radius - p.pole_radius
    start = (0.0, -TILTED * play / p.sleeve_half_height, *FALL)
    fall = build(p, start).simulate(p.settling, rtol=1e-6, atol=1e-9, progress=False)
    impacts = beaten(fall)
    if not impacts:
        raise fm.CaseError(f"woodpecker_toy: the beak does not hit the pole within {p.settling:g} s")
    x, last, J = impacts[-1][1], np.inf, None
    for _ in range(ITERATIONS):
        period, after = next_impact(p, x)
        rest = (after - x) / SIZES
        size = np.abs(rest).max()
        if J is None or size > 0.1 * last:
            J = derivative(p, x, after)
        if size < CONVERGED:
            return Cycle(start_of(p, x), period, np.linalg.eigvals(central_derivative(p, x)))
        x = x + SIZES * np.linalg.solve(np.eye(4) - J, rest)
        last = size
    raise fm.CaseError(
        f"woodpecker_toy: no cycle was found in {ITERATIONS} iterations (residual {last:.1e}); state start= to run without one"
    )


def derivative(p: Parameters, x: np.ndarray, after: np.ndarray) -> np.ndarray:
    """(4, 4), of the state behind the next impact by that behind the last, both in parts of SIZES."""
    columns = []
    for k in range(4):
        moved = x.copy()
        moved[k] += CHANGE * SIZES[k]
        columns.append((next_impact(p, moved)[1] - after) / SIZES / CHANGE)
    return np.array(columns).T


def central_derivative(p: Parameters, x: np.ndarray) -> np.ndarray:
    """As :func:`derivative`, by central differences: more digits of the multipliers for twice the runs."""
    columns = []
    for k in range(4):
        moved = [x.copy(), x.copy()]
        moved[0][k] += WIDE_CHANGE * SIZES[k]
        moved[1][k] -= WIDE_CHANGE * SIZES[k]
        columns.append((next_impact(p, moved[0])[1] - next_impact(p, moved[1])[1]) / SIZES / (2.0 * WIDE_CHANGE))
    return np.array(columns).T


def sense(slip: float) -> str:
    return "sticks" if abs(slip) < LEAST_SLIP else "slides up" if slip > 0.0 else "slides down"


def contact_state(result: fm.Result, event: fm.EventRecord) -> str:
    """State of a contact behind an event, in the words of the reference."""
    if event.mode != "sliding":
        return "sticks" if event.mode == "sticking" else "free"
    slip = result[SLIPS[event.name]][rows_at(result, event.time)[1] :]
    moving = slip[np.abs(slip) > LEAST_SLIP]
    return sense(moving[0]) if len(moving) > 0 else "sticks"


def name_of(event: fm.EventRecord) -> str:
    """What happens, in the words of the reference."""
    if event.kind == "impact":
        return "impact"
    if event.mode == "open":
        return "normal force reaches zero"
    return "starts to slide" if event.mode_before == "sticking" else "sliding velocity reaches zero"


def cycle_events(result: fm.Result) -> list[dict[str, object]]:
    """Events up to the next impact of the beak, as the reference lists them."""
    states, found = dict.fromkeys(CONTACTS, "free"), []
    end = next((time for time, _state in beaten(result)), result.t[-1])
    hit = {(event.time, event.name) for event in result.impacts()}
    for event in result.events:
        if not 0.0 < event.time <= end:
            continue
        states[event.name] = contact_state(result, event)
        if event.kind != "impact" and (event.time, event.name) in hit:
            continue  # a contact that closes with its impact
        begin, behind = rows_at(result, event.time)
        q, before = state_at(result, begin)
        entry = {"t": event.time, "event": name_of(event), "contact": CONTACTS.index(event.name) + 1}
        entry |= {"states_after": list(states.values()), "q": q, "u_after": state_at(result, behind)[1]}
        if event.kind == "impact":
            entry |= {
                "u_before": before,
                "normal_impulse": event.normal_impulse,
                "tangential_impulse": event.friction_impulse[1],
                "impact_status": sense(event.slip_after[1]),
                "energy_change": -event.energy_lost,
            }
        found.append(entry)
    return found


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """Of the cycle that begins at the start, under the names of the reference."""
    impacts = beaten(result)
    period = impacts[0][0] if impacts else None
    found: dict[str, object] = {"period": period, "drop_per_period": None, "mean_velocity": None}
    if impacts:
        begin, end = result["sleeve.displacement"][[0, rows_at(result, period)[1]]]
        found |= {"drop_per_period": float(begin - end), "mean_velocity": float((end - begin) / period)}
        weight = (p.sleeve_mass + p.bird_mass) * p.gravity
        found["energy_lost_per_cycle_J"] = weight * float(begin - end)
    q, u = state_at(result, 0)
    return {
        **found,
        "start_state": {"q": q, "u": u},
        "multipliers_of_the_return_map": list(p.multipliers or ()),
        "leading_multiplier": p.multipliers[0] if p.multipliers else None,
        "impact_losses": sum(event.energy_lost for event in result.impacts() if 0.0 < event.time <= (period or np.inf)),
        "events": cycle_events(result),
    }

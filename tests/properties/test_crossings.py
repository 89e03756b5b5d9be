"""Where features meet: a covering array of pairs, and a sample of triples, over everything that is registered.

Joint kinds, laws of contact and friction and integrators come from the registries of the package, so that a new one enters
by its registration (and numbers in ``joint_examples`` or ``crossing_scenes.LAWS``). What has no registry is listed in
``crossing_scenes.FACTORS``: kinds of stops, play, locks, bodies, drivers, controllers and states, fm.Moreau, and what is done.

A test is named by its combination: levels that are not plain. SOME run in every run of the tests, others every day; to
repeat those of a day set FLEXMBS_CROSSINGS to the number that ``pytest`` shows behind ``seed=``. ``-m slow`` runs all.
One combination by itself:

    check(levels_of("joint=screw,law=Hertz,do=statics"), pathlib.Path("/tmp/folder"))
"""

import os
from datetime import date
from fnmatch import fnmatch
from itertools import combinations

import numpy as np
import pytest
from constraint_checks import end_state
from crossing_scenes import CONTRADICTIONS, FACTORS, MEANINGLESS, Scene, levels_of, name_of

import flexmbs as fm

T_END = 0.1
RTOL = {"generalised_alpha": 1e-4}  # of order 2; of others PLAIN
PLAIN = 1e-5
MOST_STEPS = 20000
# Of rtol: what a run may differ by from another that states the same (0.5 are seen without hits), and what its balance
# may be off by. Errors are multiplied where bodies hit each other (docs/clearance.md: by about ten where a pin rattles in
# its bore); beyond LARGEST there is nothing to compare.
AGREE, BALANCE = 5.0, 30.0
PER_HIT, LARGEST = 1.5, 0.1
MOST = 4  # features of a combination, beside its joint
SOME = 60

pytestmark = pytest.mark.filterwarnings("ignore::flexmbs.common.errors.FlexmbsWarning")

# Ends of linearize that are no failures; drivers turn and move what contacts and stops on ground then act on
LEGITIMATE = "leave no degree of freedom to vibrate", "have no eigenvalues", "into each other"

# Combinations whose errors are larger than rtol explains, though they shrink with it: by which factor
LOOSE = {
    "law=ElasticFoundation": 160.0,  # points of a surface join inside steps, without an event (docs/contact.md)
    "joint=curve_on_curve": 80.0,  # absolute coordinates: 3660 rtol at 1e-5, 12 at 1e-7
    "joint=cam_roller": 80.0,
    "integrator=bdf": 4.0,  # order 1 behind each event: 11 rtol with two laws at once
    "integrator=explicit": 40.0,  # with compliant contacts, of which it knows no more than their ends: up to 700 rtol
}

# What fails today, by levels that meet (patterns); "hangs" is skipped. Whoever mends a cause deletes its line.
KNOWN = {
    "integrator=bdf,stop=plastic,law=[PE]*": "bdf: a stop 'happens for ever' where a compliant contact pushes too",
    "joint=universal,law=Rigid-poisson,stop=plastic": "a stop and a rigid contact: 'happens for ever'",
    "joint=telescopic_shaft,law=Rigid*,friction=dry-reaction": "contacts 'open and close for ever'",
    "do=linearize,joint=follow_curve": "reduced and absolute: other frequencies of the same equilibrium, with contact",
    "do=quasi-static,joint=curve_on_curve": "no slow deflection is found, by 1e-8",
    "do=quasi-static,friction=coefficients,driver=motor": "no slow deflection is found: the sign of friction changes on the grid",
    "joint=cam_roller,law=Rigid-newton,stop=compliant,driver=carrier-position": "'no contact forces were found' at a foot",
}


class TooManySteps(Exception):
    pass


def watch(progress: fm.Progress) -> None:
    if progress.steps > MOST_STEPS:
        raise TooManySteps(progress)


LEVELS = [f"{factor}={level}" for factor in FACTORS for level in FACTORS[factor]]
OWNER = np.array([list(FACTORS).index(level.split("=")[0]) for level in LEVELS])
PLAIN_LEVEL = np.append(True, OWNER[1:] != OWNER[:-1]) & (OWNER > 0)  # the joint counts apart


def together() -> np.ndarray:
    """(levels, levels) whether two levels can be in one combination."""
    can = OWNER[:, None] != OWNER
    for one, others in (*CONTRADICTIONS.items(), *MEANINGLESS.items()):
        for other in others:
            i, j = LEVELS.index(one), LEVELS.index(other)
            can[i, j] = can[j, i] = False
    return can


def pairwise(seed: int) -> list[str]:
    """Combinations of at most MOST features in which every pair of levels meets.

    Greedy: each begins with a pair that is missing, and takes the features that add most others.
    """
    rng = np.random.default_rng(seed)
    can, rows = together(), []
    missing = can.copy()
    while missing.any():
        chosen = list(divmod(rng.choice(np.flatnonzero(missing)), len(LEVELS)))
        while len(chosen) < len(FACTORS):
            fits = can[:, chosen].all(axis=1) & ~np.isin(OWNER, OWNER[chosen])
            forced = [f for f in set(OWNER[fits]) if not (fits & PLAIN_LEVEL)[OWNER == f].any()]  # its plain level does not fit
            if len(set(OWNER[fits])) + len(chosen) < len(FACTORS):
                break
            features = np.count_nonzero(~PLAIN_LEVEL[chosen])
            allowed = fits & (np.isin(OWNER, forced) if forced else PLAIN_LEVEL if features > MOST else fits)
            gain = missing[:, chosen].sum(axis=1) + 0.5 * rng.random(len(LEVELS)) - 0.6 * PLAIN_LEVEL
            chosen.append(int(np.argmax(np.where(allowed, gain, -1.0))))
        else:
            missing[np.ix_(chosen, chosen)] = False
            rows.append(name_of(dict(LEVELS[i].split("=") for i in sorted(chosen))))
            continue
        missing[chosen[0], chosen[1]] = missing[chosen[1], chosen[0]] = False  # a third level contradicts them
    return rows


def triples(seed: int, count: int) -> list[str]:
    """Any joint with three features at random, all else plain."""
    rng, can, found = np.random.default_rng(seed), together(), {}
    features = np.array(LEVELS)[~PLAIN_LEVEL & (OWNER > 0)]
    while len(found) < count:
        name = ",".join([f"joint={rng.choice(FACTORS['joint'])}", *rng.choice(features, 3, replace=False)])
        indices = [LEVELS.index(f"{factor}={level}") for factor, level in levels_of(name).items()]
        if all(can[i, j] for i, j in combinations(indices, 2)):
            found[name_of(levels_of(name))] = None
    return list(found)


def tolerance(levels: dict[str, str]) -> float:
    return RTOL.get(levels["integrator"], PLAIN)


def integrator(name: str):
    return fm.Moreau(step=1e-3) if name == "moreau" else name


def run(scene: Scene, part: float = 1.0, t_end: float = T_END, **more):
    rtol = part * tolerance(scene.levels)
    return scene.system.simulate(
        t_end, rtol=rtol, stop_on_deformation=False, integrator=integrator(scene.levels["integrator"]), progress=watch, **more
    )


STATIC = ("statics", "linearize", "equilibrium")


def sticks(levels) -> bool:
    """Whether friction may hold the mechanism in more than one position."""
    contact = levels["slip"] != "none" and levels["law"].startswith("Rigid")
    return contact or levels["play"] == "rigid" or levels["friction"].startswith("dry")


STARTS = {"equilibrium": {"from_equilibrium": True}, "quasi-static": {"quasi_static_start": True}}


def outcome(levels, part: float = 1.0, **variant) -> tuple[np.ndarray, fm.Result | None]:
    """What is compared of a combination, and the result of a run in time."""
    scene, do = Scene(levels, **variant), levels["do"]
    if do in ("assemble", "statics"):
        return end_state(getattr(scene.system, do)()), None
    if do == "linearize":
        return np.sort(np.abs(scene.system.linearize().frequencies)), None
    if do == "kinematics":
        return end_state(scene.system.kinematics(T_END, steps=10)), None
    result = run(scene, part, **STARTS.get(do, {}))
    return end_state(result), result


def check_result(result: fm.Result, moreau: bool, rtol: float) -> None:
    assert result.status == "finished"
    for name, array in result.trajectory.arrays().items():
        if array.dtype.kind == "f" and name not in ("contact_end",):
            assert np.all(np.isfinite(array)), f"{name} is not finite"
    scale = max(result["energy.kinetic"].max(), 1e-3)
    if not moreau:
        ledger = result.energy_ledger()
        scale = ledger.scale
        assert ledger.largest_balance <= BALANCE * rtol * ledger.scale, f"balance {ledger.largest_balance:.3g} J of {scale:.3g} J"
    lost = {event.time: 0.0 for event in result.events}
    for event in result.events:
        lost[event.time] += event.energy_lost
    gained = -min(lost.values(), default=0.0)
    assert gained <= rtol * scale, f"impacts gain {gained:.3g} J of {scale:.3g} J"


def near(found, expected, rtol: float, what: str) -> None:
    assert found.shape == expected.shape, f"{what}: {found.shape} {expected.shape}"
    off = np.abs(found - expected).max(initial=0.0) / max(1.0, np.abs(expected).max(initial=0.0))
    assert off <= AGREE * rtol or AGREE * rtol > LARGEST, f"{what}: off by {off / rtol:.3g} rtol"


def hits(result: fm.Result | None) -> int:
    return 0 if result is None else len(result.contacts) + sum(event.kind in ("impact", "lock") for event in result.events)


def check(levels, folder) -> None:
    """What must hold for a combination; ``folder`` takes its files."""
    do, moreau, rtol = levels["do"], levels["integrator"] == "moreau", tolerance(levels)
    try:
        state, result = outcome(levels)
    except fm.SimulationError as error:
        assert any(end in str(error) for end in LEGITIMATE), str(error)
        return
    assert np.all(np.isfinite(state))
    if result is not None:
        check_result(result, moreau, rtol)
    rtol *= PER_HIT ** min(hits(result), 100) * max(LOOSE.get(f"{f}={levels[f]}", 1.0) for f in levels)
    if do == "store":
        run(Scene(levels), out=folder / "stored")
        stored = fm.load(folder / "stored")
        assert stored.status == "finished"
        for name in result.names:
            assert np.array_equal(stored[name], result[name], equal_nan=True), f"{name} changes when stored"
        assert repr(stored.events) == repr(result.events)
    if do == "page":
        assert result.to_html(folder / "page.html").stat().st_size > 1000
    if do == "resume":
        run(Scene(levels), t_end=0.4 * T_END, out=folder / "parts")
        near(end_state(run(Scene(levels), out=folder / "parts", resume=True)), state, rtol, "resumed")
    if moreau or do in STATIC and sticks(levels):
        return  # no tolerance; one of many equilibria
    other = "absolute" if levels["coordinates"] == "reduced" else "reduced"
    if not (other == "absolute" and levels["integrator"] == "explicit"):
        near(outcome(levels, coordinates=other)[0], state, rtol, other)
    if Scene(levels, floor=False).one_axis:
        near(outcome(levels, swapped=True)[0], state, rtol, "markers exchanged")
    if result is not None:
        near(outcome(levels, 0.1)[0], state, rtol, "rtol / 10")


def with_marks(names: list[str], start: str = "") -> list:
    """Parameters of tests, whose ids begin with ``start``; what is KNOWN to fail is expected to."""
    found = []
    for name in names:
        levels = [f"{factor}={level}" for factor, level in levels_of(name).items()]
        reasons = [why for key, why in KNOWN.items() if all(any(fnmatch(x, want) for x in levels) for want in key.split(","))]
        marks = [pytest.mark.skip(reason=why) if why.startswith("hangs") else pytest.mark.xfail(reason=why) for why in reasons[:1]]
        found.append(pytest.param(name, id=start + name, marks=marks))
    return found


ARRAY = [*pairwise(0), *triples(0, 150)]
SEED = int(os.environ.get("FLEXMBS_CROSSINGS", date.today().toordinal()))
CHOSEN = np.random.default_rng(SEED).choice(ARRAY, SOME, replace=False).tolist()


@pytest.mark.parametrize("name", with_marks(CHOSEN, f"seed={SEED},"))
def test_some_crossings(name, tmp_path):
    check(levels_of(name), tmp_path)


def test_every_pair_of_levels_meets():
    missing = together()
    for name in ARRAY:
        indices = [LEVELS.index(f"{factor}={level}") for factor, level in levels_of(name).items()]
        missing[np.ix_(indices, indices)] = False
    assert not missing.any(), [(LEVELS[i], LEVELS[j]) for i, j in np.argwhere(missing) if i < j]


@pytest.mark.slow
@pytest.mark.parametrize("name", with_marks(ARRAY))
def test_all_crossings(name, tmp_path):
    check(levels_of(name), tmp_path)


@pytest.mark.parametrize("name", with_marks([f"{one},{other}" for one, others in CONTRADICTIONS.items() for other in others]))
def test_contradictions_are_refused_by_name(name):
    levels = levels_of(name)
    if "slip" in name and levels["law"] == "none":
        levels["law"] = "Hertz"
    with pytest.raises(fm.MechanismError) as caught:
        outcome(levels)
    names = ("'", "fm.", "quasi_static_start", "user states", "degrees of freedom")
    assert any(name in str(caught.value) for name in names), str(caught.value)

"""Starting from saved states: what is kept, what is compared, what is refused."""

import long_runs
import numpy as np
import pytest

import flexmbs as fm
from flexmbs.analysis.run.saved_state_comparison import saved_choice


def swinging(length=1.0, stop=False):
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    rod = system.add(fm.RigidBody.rod(1.0, length), name="rod")
    system.revolute(system.ground["origin"], rod["origin"], name="hinge", angle=0.1)
    tip = rod.marker("tip", position=(1.0, 0.0, 0.0))
    if stop:
        floor = fm.Plane(system.ground["origin"], normal=(0.0, 1.0, 0.0))
        system.contact(fm.Point(tip), floor, law=fm.Hertz(1e6), name="floor")
    return system


def stopped_at(time):
    def progress(now):
        if now.time > time:
            raise KeyboardInterrupt

    return progress


def test_finished_run_goes_on_to_a_later_end(tmp_path):
    swinging().simulate(0.5, out=tmp_path, rtol=1e-9, atol=1e-12)
    longer = swinging().simulate(1.0, out=tmp_path, rtol=1e-9, atol=1e-12, resume=True)
    whole = swinging().simulate(1.0, rtol=1e-9, atol=1e-12)
    assert longer.t[0] == 0.0 and longer.t[-1] == 1.0 and 0.5 in longer.t and np.all(np.diff(longer.t) > 0.0)
    # one step more, cut at 0.5 s: the same within the tolerance, not in every digit
    assert longer["hinge.angle"][-1] == pytest.approx(whole["hinge.angle"][-1], abs=1e-7)


def test_resuming_a_finished_run_leaves_it_as_it_is(tmp_path):
    first = swinging().simulate(0.5, out=tmp_path)
    arrays = first.trajectory.arrays()
    again = swinging().simulate(0.5, out=tmp_path, resume=True)
    assert again.status == "finished"
    assert all(np.array_equal(array, getattr(again.trajectory, name)) for name, array in arrays.items())


def test_resuming_an_empty_folder_begins(tmp_path):
    result = swinging().simulate(0.5, out=tmp_path / "new", resume=True)
    assert result.t[0] == 0.0 and result.status == "finished"


def test_start_with_the_same_settings_keeps_the_memory_of_the_method():
    first = swinging().simulate(0.5, rtol=1e-9, atol=1e-12)
    on, off = (swinging().simulate(1.0, start=first.final_state, rtol=rtol, atol=1e-12) for rtol in (1e-9, 2e-9))
    assert on.t[0] == off.t[0] == 0.5
    # with memory the first step is that of the run before; without, one of a start
    assert on.t[1] - 0.5 > 3.0 * (off.t[1] - 0.5)


def test_start_inside_a_contact():
    """Other tolerances begin the method anew; the episode of a contact that touches goes on."""
    options = {"max_step": 1e-4}
    whole = swinging(stop=True).simulate(0.6, **options)
    contact = whole.contacts[0]
    inside = 0.5 * (contact.start + contact.end)
    first = swinging(stop=True).simulate(inside, **options)
    assert np.isnan(first.contacts[0].end)
    second = swinging(stop=True).simulate(0.6, start=first, rtol=1e-7, **options)
    found = second.contacts[0]
    assert found.start == contact.start
    assert found.end == pytest.approx(contact.end, rel=1e-5)
    assert found.impulse == pytest.approx(contact.impulse, rel=1e-4)
    assert found.peak_force == pytest.approx(contact.peak_force, rel=1e-4)


def test_controllers_and_user_states_go_on():
    def controlled():
        system = swinging()
        hinge = system.joints["hinge"]
        angle = system.sensor("coordinate", hinge)
        held = system.controller("brake", lambda t, x: -5.0 * x, period=0.03, inputs=(angle,))
        system.torque(system.bodies["rod"]["origin"], lambda t, u: (0.0, 0.0, u), inputs=(held,), name="motor")
        system.state("sum", lambda t, own, x: x, inputs=(angle,), start=1.0)
        return system

    options = {"rtol": 1e-9, "atol": 1e-12}
    whole = controlled().simulate(1.0, **options)
    part = controlled().simulate(0.5, **options)
    further = controlled().simulate(1.0, start=part, rtol=1.1e-9, atol=1e-12)
    for name in ("hinge.angle", "sum", "brake"):
        assert further[name][-1] == pytest.approx(whole[name][-1], abs=1e-7), name


@pytest.mark.parametrize(
    ("build", "options", "message"),
    [
        (lambda: swinging(0.9), {}, "body 'rod'"),
        (lambda: swinging(stop=True), {}, "contacts"),
        (long_runs.four_bar, {}, "coordinates only saved: .* only now: "),
        (swinging, {"rtol": 1e-5}, "rtol: saved 1e-06, now 1e-05"),
        (swinging, {"max_step": 0.01}, "max_step: saved inf, now 0.01"),
    ],
)
def test_another_run_is_not_resumed(build, options, message, tmp_path):
    swinging().simulate(0.5, out=tmp_path)
    with pytest.raises(fm.MechanismError, match=f"cannot be resumed.*{message}"):
        build().simulate(1.0, out=tmp_path, resume=True, **options)
    assert fm.load(tmp_path).status == "finished"


def test_impossible_starts(tmp_path):
    result = swinging().simulate(0.5, out=tmp_path)
    with pytest.raises(fm.MechanismError, match="has no first.angle, .*; it has hinge.angle"):
        long_runs.four_bar().simulate(1.0, start=result)
    with pytest.raises(fm.MechanismError, match="t_end = 0.5 s must be later than"):
        swinging().simulate(0.5, start=result)
    with pytest.raises(fm.MechanismError, match="the same folder: use resume=True"):
        swinging().simulate(1.0, start=tmp_path, out=tmp_path)
    with pytest.raises(fm.MechanismError, match="resume=True continues the run in the folder"):
        swinging().simulate(1.0, resume=True)
    with pytest.raises(fm.SimulationError, match="no saved state here"):
        fm.load_state(tmp_path / "nothing")
    driven = swinging()
    driven.joints["hinge"].prescribe(lambda t: 0.1 + t)
    with pytest.raises(fm.MechanismError, match="driver of 'hinge.angle' prescribes 0.6 at t = 0.5 s"):
        driven.simulate(1.0, start=result)


def test_state_is_saved_and_looked_at(tmp_path):
    result = swinging().simulate(0.5)
    state = fm.load_state(result.final_state.save(tmp_path / "here"))
    assert state.t == 0.5 and state["hinge.angle"] == result["hinge.angle"][-1]
    assert state["hinge.angle.rate"] == result["hinge.angle.rate"][-1]
    assert set(state.arrays) == set(result.final_state.arrays)
    assert all(np.array_equal(state.arrays[name], array) for name, array in result.final_state.arrays.items())
    with pytest.raises(KeyError, match="hinge.angle"):
        state["hing.angle"]


@pytest.mark.parametrize("in_folder", [True, False])
def test_every_tenth_step(in_folder, tmp_path):
    whole = swinging(stop=True).simulate(0.6, max_step=1e-4)
    folder = tmp_path if in_folder else None
    few = swinging(stop=True).simulate(0.6, max_step=1e-4, store_every=10, out=folder)
    kept = np.isin(whole.t, few.t)
    events = [time for contact in whole.contacts for time in (contact.start, contact.end)]
    expected = np.isin(whole.t, [*whole.t[::10], *events, 0.6])
    assert np.array_equal(kept, expected) and len(events) >= 4
    assert np.array_equal(few["hinge.angle"], whole["hinge.angle"][kept])
    assert repr(few.contacts) == repr(whole.contacts)  # the last one is open: its end is not a number


def test_every_tenth_step_of_an_interrupted_run(tmp_path):
    whole = swinging().simulate(2.0, max_step=1e-4, store_every=10)
    with pytest.raises(KeyboardInterrupt):
        swinging().simulate(2.0, max_step=1e-4, store_every=10, out=tmp_path, progress=stopped_at(0.7))
    resumed = swinging().simulate(2.0, max_step=1e-4, store_every=10, out=tmp_path, resume=True)
    assert np.array_equal(resumed.t, whole.t)
    assert np.array_equal(resumed.trajectory.q, whole.trajectory.q)


def test_replaced_result_is_not_mixed_up(tmp_path):
    first = swinging().simulate(0.5, out=tmp_path)
    read = fm.load(tmp_path)
    swinging(0.9).simulate(0.5, out=tmp_path, force=True)
    with pytest.raises(fm.SimulationError, match="replaced by another run"):
        read["hinge.angle"]
    assert np.array_equal(first["hinge.angle"], swinging().simulate(0.5)["hinge.angle"])  # still in memory, as a whole


def test_least_reactions_are_those_of_a_run_in_memory(tmp_path):
    """The spreading of redundant reactions works chunk by chunk."""
    memory, disk = (long_runs.run("four_bar", 0.1, out) for out in (None, tmp_path))
    names = [name for name in memory.names if ".reaction." in name]
    assert names
    for name in names:
        # rounding of the largest reaction
        assert disk[name] == pytest.approx(memory[name], abs=1e-9 * np.abs(memory.trajectory.reaction).max())


def test_a_saved_state_without_its_choice_of_unknowns_is_damaged():
    with pytest.raises(fm.MechanismError, match="the saved state is damaged: it lacks tables.band, tables.free"):
        saved_choice({})

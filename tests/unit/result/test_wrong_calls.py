"""Methods of a result that are called wrongly say what is wrong and what would be right."""

import pytest

import flexmbs as fm
from flexmbs.view.animate import fitting


@pytest.fixture(scope="module")
def result():
    system = fm.System()
    rod = system.add(fm.RigidBody.rod(1.0, 1.0), name="rod")
    system.revolute(system.ground["origin"], rod["origin"], name="hinge")
    return system.simulate(0.1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda r: r.largest_von_mises("rodd"), "no body named 'rodd'. Did you mean rod?"),
        (lambda r: r.section_forces(["rod"], 0.0), "no body named"),
        (lambda r: r.stress("rod", 0.0), "body 'rod' is rigid"),
        (lambda r: r.displacement("rod"), r"displacement: missing .*'time'; it is called as displacement\(body, time\)"),
        (lambda r: r.stress("rod", tim=0.0), "stress: there is no argument 'tim'; did you mean 'time'?"),
        (lambda r: r.plot("hinge.angle", titel="x"), "plot: there is no argument 'titel'"),
        (lambda r: r.animate("rod.png", zom=2), "animate: there is no option 'zom'. Did you mean zoom?"),
        (lambda r: r.rotation("rodd"), "near names: rod"),
        (lambda r: r.impacts("floor"), "nothing named 'floor' has events"),
        (lambda r: r.final_state["hinge.angl"], "hinge.angle"),
    ],
)
def test_wrong_call(result, call, words):
    with pytest.raises(fm.FlexmbsError, match=words):
        call(result)


def test_view_of_a_longer_run(result):
    """A case's VIEW may begin where a run that was made shorter ends: the whole run is shown."""
    assert fitting(result, {"start": 0.1, "end": 2.0, "zoom": 2.0}) == {"zoom": 2.0}
    assert fitting(result, {"start": 0.05, "end": 2.0}) == {"start": 0.05}

"""Spaces: names, components of tuples, fixed values, storage."""

import json

import pytest
from study_parameters import Parameters

import flexmbs as fm


def test_names_units_and_descriptions_are_those_of_the_case():
    space = fm.Space(Parameters, {"length": (0.5, 1.0), "axis[1]": (0, 1), "seed": fm.RunSeeds()})
    assert (space.names, space.seed_names, len(space)) == (("length", "axis[1]"), ("seed",), 2)
    assert space.units == {"length": "m", "axis[1]": ""}
    assert space.helps["length"] == "length of the rod"
    assert str(space) == "length [m]: 0.5 to 1\naxis[1]: 0 to 1\nseed: seeds"
    assert space.problem() == {"num_vars": 2, "names": ["length", "axis[1]"], "bounds": [[0, 1], [0, 1]]}


def test_values_of_one_run():
    space = fm.Space(Parameters, {"length": (0.5, 1.0), "modes": [2, 4]})
    assert space.values([0.5, 0.9], run=0, seed=0) == {"length": 0.75, "modes": 4}


def test_components_replace_those_of_the_default_or_of_the_fixed_value():
    space = fm.Space(Parameters, {"axis[0]": (0, 1), "axis[1]": [5, 6]})
    assert space.values([0.5, 0.0], 0, 0) == {"axis": (0.5, 5.0, 1.0)}
    space = fm.Space(Parameters, {"axis[0]": (0, 1)}, fixed={"axis": (1, 2, 3)})
    assert space.values([0.5], 0, 0) == {"axis": (0.5, 2.0, 3.0)}
    space = fm.Space(Parameters, {"start[1]": (0, 1)}, fixed={"start": (1, 2)})
    assert space.values([0.5], 0, 0) == {"start": (1.0, 0.5)}


@pytest.mark.parametrize(
    ("entries", "fixed", "message"),
    [
        ({"lenght": (0.5, 1)}, {}, r"no parameter 'lenght'. Did you mean length\? There are: length, density"),
        ({"axes[0]": (0, 1)}, {}, r"no parameter 'axes'. Did you mean axis"),
        ({"axis[3]": (0, 1)}, {}, r"axis\[3\]: axis has 3 components, axis\[0\] to axis\[2\]"),
        ({"length[0]": (0.5, 1)}, {}, r"the parameter length has no components; write length"),
        ({"start[0]": (0, 1)}, {}, r"start has no value of which a component could be varied"),
        ({"axis": [(0, 0, 1), (0, 1)]}, {}, r"parameter 'axis' must be 3 numbers"),
        ({"axis": [(0, 0, 1), (0, 1, 0)], "axis[0]": (0, 1)}, {}, r"axis is varied as a whole, so its component"),
        ({"axis[1]": (0, 1), "axis[01]": (0, 2)}, {}, r"axis\[01\] is varied twice"),
        ({"axis[1]": fm.Normal(0, 1), "length": (0.5, 1)}, {"length": 1}, r"length is varied, and also fixed to 1.0"),
        ({"seed": fm.RunSeeds()}, {"seed": 1}, r"seed is varied, and also fixed to 1"),
        ({"seed": (0, 1)}, {"lenght": 1}, r"fixed values: no parameter 'lenght' \(did you mean 'length'\?\)"),
        ({"seed": (0, 1)}, {"length": 9}, r"fixed values: parameter 'length' \[m\] must be at most 2"),
    ],
)
def test_wrong_spaces_are_refused(entries, fixed, message):
    with pytest.raises(fm.StudyError, match=message):
        fm.Space(Parameters, entries, fixed)


def test_stored_spaces_are_the_same():
    entries = {
        "length": (0.1, 0.7),
        "stiffness": fm.Range(1e9, 3e11, log=True),
        "modes": (2, 9),
        "density": fm.Normal(7850, 50),
        "axis[1]": (0, 1),
        "stop": [True, False],
        "start": [None, (0, 1)],
        "seed": fm.RunSeeds(),
    }
    space = fm.Space(Parameters, entries, fixed={"damping": 0.01, "mesh": "a.inp"})
    again = fm.Space.from_json(Parameters, json.loads(json.dumps(space.to_json())))
    assert again == space
    assert list(fm.RandomSample(100).points(again, 5)) == list(fm.RandomSample(100).points(space, 5))


def test_spaces_that_differ_are_told_apart():
    space = fm.Space(Parameters, {"length": (0.1, 0.7)})
    assert space == fm.Space(Parameters, {"length": fm.Range(0.1, 0.7)})
    assert space != fm.Space(Parameters, {"length": (0.1, 0.8)})
    assert space != fm.Space(Parameters, {"length": (0.1, 0.7)}, fixed={"modes": 4})
    # Text of a command line and values of a script are the same space.
    assert fm.Space(Parameters, {"modes": ["2", "4"]}) == fm.Space(Parameters, {"modes": [2, 4]})

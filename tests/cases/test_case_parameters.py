"""Parameters of cases from text and values: what is accepted and what is refused."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest

from flexmbs import CaseError, load_case, parameter
from flexmbs.case.parameters import from_values, number, settings_of, split_assignments

DATACLASS = "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Parameters:\n"


@dataclass(frozen=True)
class Parameters:
    mesh: str = parameter("bar.inp", "", "mesh file")
    length: float = parameter(1.0, "m", "length")
    thickness: float | None = parameter(None, "m", "thickness; none: of the mesh")
    modes: int = parameter(3, "", "modes")
    stop: bool = parameter(True, "", "whether there is a stop")
    axis: tuple = parameter((0.0, 0.0, 1.0), "", "axis")


def test_text_becomes_values():
    found = from_values(Parameters, {"mesh": "a.msh", "length": "2e-1", "thickness": "0.1/2", "modes": "4", "stop": "false"})
    assert found == Parameters("a.msh", 0.2, 0.05, 4, False)
    assert from_values(Parameters, {"thickness": "none"}).thickness is None


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"lenght": "1"}, "no parameter 'lenght' .did you mean 'length'.*parameters: mesh, length"),
        ({"length": "nan"}, r"'length' \[m\] must be a finite number, not nan"),
        ({"length": math.inf}, "must be a finite number"),
        ({"length": "long"}, r"'length' \[m\] must be a number, not 'long'"),
        ({"length": None}, "must be a number"),
        ({"modes": "2.5"}, "must be a whole number, not '2.5'"),
        ({"stop": "perhaps"}, "must be true or false"),
        ({"axis": "1,2"}, "'axis' must be 3 numbers, not '1,2'"),
        ({"axis": "1,2,up"}, "must be numbers such as 0,1,0, not '1,2,up'"),
        ({"axis": "1,2,inf"}, "must contain only finite numbers"),
        ({"axis": 1.0}, "must be numbers such as"),
    ],
)
def test_wrong_values(values, message):
    with pytest.raises(CaseError, match=message):
        from_values(Parameters, values)


@pytest.mark.parametrize("text", ["0,pi/2,-1e-3", "[0, pi/2, -1e-3]", "0 pi/2 -1e-3", [0, math.pi / 2, -1e-3]])
def test_vectors_are_numbers_in_a_row(text):
    assert from_values(Parameters, {"axis": text}).axis == (0.0, math.pi / 2, -1e-3)


def test_numbers_may_be_expressions_of_pi_and_nothing_else():
    assert number("pi/2") == pytest.approx(math.pi / 2, rel=1e-15)
    assert number("-(2 + 3)*10**-2") == pytest.approx(-0.05, rel=1e-15)
    for text in ("__import__('os')", "e", "1/0", "1,2", "9**9**9", ""):
        with pytest.raises(ValueError, match="is not a number"):
            number(text)


def test_assignments():
    assert split_assignments(["a=1", "b = x=y"]) == {"a": "1", "b": "x=y"}
    with pytest.raises(CaseError, match="write name=value"):
        split_assignments(["a"])


def test_settings_describe_every_parameter():
    thickness = settings_of(Parameters)[2]
    assert (thickness.name, thickness.kind, thickness.optional, thickness.unit) == ("thickness", float, True, "m")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "needs a frozen dataclass 'Parameters'"),
        ("x = (", "the case file raised SyntaxError"),
        (DATACLASS + "    a: float = 1.0\n", "missing: build, figures"),
        (DATACLASS + "    a: float = 1.0\ndef build(p): pass\ndef figures(r, p): pass\n", "needs a field t_end"),
        (
            DATACLASS + "    t_end: float = 1.0\nSIMULATION = {'integrater': 'bdf'}\ndef build(p): ...\ndef figures(r, p): ...\n",
            "SIMULATION: no option 'integrater' .did you mean 'integrator'",
        ),
        (DATACLASS + "    a: list = None\ndef analyse(p): pass\n", "parameter 'a': its type"),
    ],
)
def test_case_files_that_are_incomplete(tmp_path, text, message):
    path = tmp_path / "mine.py"
    path.write_text(text)
    with pytest.raises(CaseError, match=message):
        load_case(path)


def test_unknown_case():
    with pytest.raises(CaseError, match="did you mean 'spin_up_beam'"):
        load_case("spin_up_beams")

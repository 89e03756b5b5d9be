"""Exit codes of all commands: 2 for wrong use, 1 for what fails, 0 else; one message each, without a traceback."""

import pytest
from command_line import flexmbs

STOPPING = '''
"""A force that stops being a number."""
import math
from dataclasses import dataclass
import flexmbs as fm

@dataclass(frozen=True)
class Parameters:
    t_end: float = 0.2
    rtol: float = 1e-6
    angle: float = 0.0

def build(p):
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    body = system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), "block")
    system.revolute(system.ground["origin"], body["origin"], angle=p.angle, name="hinge")
    system.torque(body["origin"], (0.0, 0.0, lambda t: 1.0 if t < 0.1 else math.nan))
    return system

def figures(result, p):
    return {}
'''

WRONG_USE = {
    "no command of that name": ("rum",),
    "no case named": ("run",),
    "unknown case": ("run", "spin_up_beem"),
    "missing case file": ("run", "no/such/case.py"),
    "missing case file by a path without ending": ("run", "no/such/case"),
    "unknown option": ("run", "{case}", "--fast"),
    "unknown parameter": ("run", "{case}", "--set", "rtoll=1"),
    "no value": ("run", "{case}", "--set", "rtol"),
    "rtol as a percentage": ("run", "{case}", "--set", "rtol=10"),
    "negative end": ("run", "{case}", "--set", "t_end=-1"),
    "not a number": ("run", "{case}", "--set", "angle=nan"),
    "a billion loops": ("run", "n_four_bar", "--set", "loops=1e9"),
    "no loops": ("describe", "n_four_bar", "--set", "loops=0"),
    "describe a missing case": ("describe", "nowhere.py"),
    "describe with a wrong tolerance": ("describe", "{case}", "--set", "rtol=10"),
    "info of a missing file": ("info", "none.inp"),
    "info of a folder": ("info", "{folder}"),
    "info in unknown units": ("info", "{mesh}", "--units", "furlongs"),
    "modes of a missing file": ("modes", "none.inp"),
    "modes with no number": ("modes", "{mesh}", "--count", "many"),
    "modes in unknown units": ("modes", "{mesh}", "--units", "cm"),
    "modes with a wrong material": ("modes", "{mesh}", "--material", "steel"),
    "reduce a missing file": ("reduce", "none.inp", "-o", "{folder}/a.h5", "--interface", "a=ROOT"),
    "reduce without -o": ("reduce", "{mesh}"),
    "reduce at an unknown set": ("reduce", "{mesh}", "-o", "{folder}/a.h5", "--interface", "a=ROOTS"),
    "reduce to an unknown ending": ("reduce", "{mesh}", "-o", "{folder}/a.txt"),
    "reduce with a negative damping": ("reduce", "{mesh}", "-o", "{folder}/a.h5", "--damping", "-1"),
    "reduce with gaps in the damping": ("reduce", "{mesh}", "-o", "{folder}/a.h5", "--damping", "100:0.01"),
    "reduce with an unknown damping": ("reduce", "{mesh}", "-o", "{folder}/a.h5", "--damping", "100:0.01,2"),
    "view nothing": ("view", "no_such_folder"),
    "view a folder without a result": ("view", "{folder}"),
    "view a missing mesh": ("view", "none.inp", "--save", "{folder}/a.png"),
    "view a missing body": ("view", "none.h5", "--save", "{folder}/a.png"),
}
FAILURES = {
    "a run that stops": ("run", "{case}", "--no-view", "--out", "{folder}/out"),
    "a damaged mesh in info": ("info", "{damaged}"),
    "a damaged mesh in modes": ("modes", "{damaged}"),
    "a damaged mesh in reduce": ("reduce", "{damaged}", "-o", "{folder}/a.h5"),
    "a damaged mesh in view": ("view", "{damaged}", "--save", "{folder}/a.png"),
}
CODES = [pytest.param(words, 2, id=name) for name, words in WRONG_USE.items()]
CODES += [pytest.param(words, 1, id=name) for name, words in FAILURES.items()]


@pytest.mark.parametrize(("words", "code"), CODES)
def test_exit_code(words, code, tmp_path, meshes):
    (tmp_path / "stopping.py").write_text(STOPPING)
    (tmp_path / "damaged.inp").write_text("*NODE\n1, 0., 0., zero\n")
    places = {
        "case": tmp_path / "stopping.py",
        "damaged": tmp_path / "damaged.inp",
        "folder": tmp_path,
        "mesh": meshes / "pendulum_beam.inp",
    }
    shown = flexmbs(*(word.format(**places) for word in words), cwd=tmp_path, check=False)
    assert shown.returncode == code, shown.stderr
    assert shown.stderr.lower().count("error: ") == 1
    assert not (tmp_path / "runs").exists()


def test_a_missing_case_file_is_called_so():
    for name in ("missing.py", "folder/missing"):
        assert f"{name}: no such file (looked for " in flexmbs("run", name, check=False).stderr


def test_limits_of_parameters_are_in_the_help_and_in_the_message():
    assert "number of windows (1 to 2000)" in flexmbs("run", "n_four_bar", "--help").stdout
    refused = flexmbs("run", "n_four_bar", "--set", "loops=1e9", check=False)
    assert "parameter 'loops' must be at most 2000, not 1e9" in refused.stderr

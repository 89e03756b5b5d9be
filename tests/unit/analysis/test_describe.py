"""Description of a mechanism: entries, loops, groups, problems, text, JSON, picture."""

import json

import pytest
from planar_four_bar import bar, four_bar

import flexmbs as fm
from flexmbs.app.cli.main import cli


def test_entries_of_a_four_bar(tmp_path):
    system = four_bar(speed=1.0)
    system.spring_damper(system.ground["origin"], system.bodies["rocker"]["end"], 10.0, name="tie")
    system.force(system.bodies["coupler"]["end"], (1.0, 0.0, 0.0), name="push")
    found = system.describe()
    assert [body.name for body in found.bodies] == ["crank", "coupler", "rocker"]
    assert found.bodies[0].mass == pytest.approx(0.16)
    assert [(joint.name, joint.closes_loop) for joint in found.joints] == [("A", False), ("B", False), ("D", False), ("C", True)]
    assert found.joints[0].prescribed == ("angle",)
    assert [set(loop) for loop in found.loops] == [{"A", "B", "C", "D"}]
    assert {entry.name: entry.bodies for entry in found.forces} == {"push": ("coupler",), "tie": ("ground", "rocker")}
    text = str(found)
    for words in ("closes a loop", "angle (prescribed)", "= -3", "actual: 0 (1 without drivers)", "analysis: kinematic"):
        assert words in text
    plain = json.loads(json.dumps(found.as_dict()))
    assert plain["mobility"]["freedoms"] == 0
    assert plain["mobility"]["redundant"][0]["owner"] == "revolute 'C'"
    picture = found.save(tmp_path / "new" / "topology.png")
    assert picture.stat().st_size > 5000


def test_groups_that_move_as_one_and_their_reaction():
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    parts = [system.add(bar(0.5), name=name) for name in ("a", "b", "c", "d")]
    ends = [part.marker("end", position=(0.5, 0.0, 0.0)) for part in parts]
    system.revolute(system.ground["origin"], parts[0]["origin"], axis="y", name="hinge")
    system.fixed(ends[0], parts[1]["origin"], name="weld")
    system.fixed(ends[1], parts[2]["origin"], name="second weld")
    system.revolute(ends[2], parts[3]["origin"], axis="y", name="knee")
    found = system.describe()
    assert found.groups == (("a", "b", "c"),)
    assert "Move as one (fixed joints)\n  a, b, c" in str(found)
    assert "weld.reaction.force.z" in system.simulate(0.01).names


def test_mechanism_that_cannot_be_assembled_is_described_with_its_problem():
    system = four_bar()
    system.joints["A"].hold()
    system.joints["D"].hold()
    found = system.describe()
    assert found.mobility is None
    assert "stays open by 0.1245" in found.problem
    assert "Problem: the loops cannot be closed" in str(found)
    assert fm.System().describe().problem == "the system has no bodies"


def test_flexible_body_has_the_mass_properties_of_its_mesh():
    mesh = fm.read_mesh(fm.find_mesh("pendulum_beam.inp"))
    model = fm.assemble(mesh)
    flexible = fm.reduce(mesh, interfaces={"hinge": "ROOT"}, modes=fm.ClampedFree(at="hinge", bending=(2, 0)))
    system = fm.System()
    system.revolute(system.ground["origin"], system.add(flexible, name="beam")["hinge"])
    (entry,) = system.describe().bodies
    assert (entry.kind, entry.modes) == ("flexible", 2)
    assert entry.center == pytest.approx(model.center, abs=1e-9)
    assert entry.inertia[2][2] == pytest.approx(model.inertia[2][2], rel=1e-6)


@pytest.fixture
def runner():
    from click.testing import CliRunner

    return CliRunner()


def test_command(runner, tmp_path):
    picture = tmp_path / "topology.png"
    shown = runner.invoke(cli, ["describe", "flexible_double_pendulum_impact", "--save", str(picture)])
    assert shown.exit_code == 0, shown.output
    assert "2 bodies, 2 joints, 0 loops" in shown.output and "analysis: dynamic" in shown.output
    assert picture.stat().st_size > 5000


CASE = '''
"""A row of pendulums."""
from dataclasses import dataclass
import flexmbs as fm

@dataclass(frozen=True)
class Parameters:
    count: int = fm.parameter(2, "", "number of rods")
    t_end: float = fm.parameter(1.0, "s", "end time")

def build(p):
    system = fm.System()
    for k in range(p.count):
        rod = system.add(fm.RigidBody.rod(1.0, 1.0), name=f"rod {k}")
        system.revolute(system.ground["origin"], rod["origin"], name=f"hinge {k}")
    return system

def figures(result, p):
    return {}
'''


def test_command_with_a_file_and_a_parameter(runner, tmp_path):
    path = tmp_path / "row.py"
    path.write_text(CASE)
    shown = runner.invoke(cli, ["describe", str(path), "--set", "count=3", "--json"])
    assert shown.exit_code == 0, shown.output
    found = json.loads(shown.output)
    assert len(found["bodies"]) == 3
    assert found["mobility"]["freedoms"] == 3


def test_case_without_a_mechanism(runner):
    shown = runner.invoke(cli, ["describe", "composite_inertia"])
    assert isinstance(shown.exception, fm.CaseError)
    assert "has no mechanism to describe" in str(shown.exception)

"""The scripts of docs/rigid_contact.md."""

import re
from pathlib import Path

import pytest

import flexmbs as fm

PAGE = Path(__file__).parents[2] / "docs" / "rigid_contact.md"


def test_the_scripts_run(capsys):
    bounce, stack = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), flags=re.DOTALL)
    exec(compile(bounce, str(PAGE), "exec"), {})
    first = capsys.readouterr().out.splitlines()[0].split()
    assert abs(float(first[0]) - (2.0 * 0.25 / 9.81) ** 0.5) < 1e-9 and first[1] == "impact"
    exec(compile(stack, str(PAGE), "exec"), {})
    assert abs(float(capsys.readouterr().out)) < 1e-12


@pytest.mark.parametrize("impact", ["newton", "poisson"])
def test_a_row_of_balls_is_hit_at_once_or_one_after_another(impact):
    """Five equal balls without loss: touching ones are hit as one of four times the mass; a gap of 1 um makes a sequence."""
    for gap, speeds in ((0.0, [-0.6, 0.4, 0.4, 0.4, 0.4]), (1e-6, [0.0, 0.0, 0.0, 0.0, 1.0])):
        system, steel = fm.System(gravity=(0.0, 0.0, 0.0)), fm.RigidBody.sphere(7850.0, 0.05)
        places = [-0.05, *(0.1 + (0.1 + gap) * k for k in range(4))]
        row = [system.add(steel, f"ball {k}", position=(x, 0, 0), velocity=(k == 0, 0, 0)) for k, x in enumerate(places)]
        for one, two in zip(row, row[1:], strict=False):
            law = fm.Rigid(restitution=1.0, impact=impact)
            system.contact(fm.Sphere(one.frame, 0.05), fm.Sphere(two.frame, 0.05), law=law)
        result = system.simulate(0.1)
        assert [result[f"ball {k}.free.x.rate"][-1] for k in range(5)] == pytest.approx(speeds, abs=1e-9)
    assert str(system.describe()).count("take it at once, not one after another") == 1


def test_contacts_of_one_body_with_one_other_are_not_said_to_be_hit_at_once():
    system = fm.System()
    box = system.add(fm.RigidBody.box(800.0, (0.2, 0.1, 0.06)), "box", position=(0.0, 0.0, 0.03))
    floor = fm.Plane(system.ground["origin"], (0.0, 0.0, 1.0))
    system.contact(fm.Box(box.frame, (0.2, 0.1, 0.06)), floor, law=fm.Rigid(), name="floor")
    assert "rigid contact" in str(system.describe()) and "at once" not in str(system.describe())

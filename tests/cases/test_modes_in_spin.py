"""`flexmbs modes --spin` says in which frame its frequencies are."""

import json

import pytest
from click.testing import CliRunner

import flexmbs as fm
from flexmbs.app.cli.modes import modes_command

FILE = str(fm.find_mesh("pendulum_beam.inp"))


@pytest.mark.parametrize(("spin", "frame"), [((), "stationary"), (("--spin", "60"), "rotating at 60 rad/s")])
def test_the_frame_is_said(spin, frame):
    common = [FILE, "--fix", "ROOT", "--count", "2", *spin]
    text = CliRunner().invoke(modes_command, common)
    found = json.loads(CliRunner().invoke(modes_command, [*common, "--json"]).stdout)
    assert text.exit_code == 0 and found["frame"].startswith(frame)
    assert (frame in text.stdout) == bool(spin)
    assert "mode  frequency, Hz" in text.stdout

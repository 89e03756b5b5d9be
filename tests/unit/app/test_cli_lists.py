"""How values of a list are told from the argument of a command."""

import pytest

from flexmbs.app.cli.command_options import spread

REPEATED = ["--fix", "A", "--fix", "B"]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["FILE", "--fix", "A", "B"], ["FILE", *REPEATED]),
        (["FILE", "--fix", "A", "--fix", "B"], ["FILE", *REPEATED]),
        (["--fix", "A", "B", "FILE"], [*REPEATED, "FILE"]),
        (["--fix", "A", "FILE"], ["--fix", "A", "FILE"]),
        (["--fix", "A", "B", "--json", "FILE"], [*REPEATED, "--json", "FILE"]),
        (["--fix", "A", "B", "--count", "3", "FILE"], [*REPEATED, "--count", "3", "FILE"]),
        (["--fix=A", "B", "--", "FILE"], ["--fix=A", "--fix", "B", "--", "FILE"]),
        (["FILE", "--fix", "-A", "--axis", "-1,0,0"], ["FILE", "--fix", "-A", "--axis", "-1,0,0"]),
        (["FILE", "--count=3", "OTHER"], ["FILE", "--count=3", "OTHER"]),
        ([], []),
    ],
)
def test_values_of_a_list(given, meant):
    assert spread(given, {"--fix"}, {"--fix", "--count", "--axis"}) == meant

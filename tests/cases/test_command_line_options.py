"""Arguments and options of every command, as ``--help`` names them: none is lost or renamed unseen."""

import click
import pytest

from flexmbs.app.cli.main import cli

# Command -> its arguments and options: names and value, with "*" where it may be repeated.
NAMED = {
    "cases": "-h, --help",
    "compare": (
        "DIR1 DIR2 [DIR...] [NAME...]; --save FILE; --force; --start SECONDS; --end SECONDS; --degrees; --title TEXT; -h, --help"
    ),
    "describe": "CASE; --set NAME=VALUE*; --json; --save FILE; -h, --help",
    "export": (
        "DIR; --to [vtkhdf|glb|csv|parquet|mat|netcdf|uff]; --out FILE; --start FLOAT; --end FLOAT; --times N|steps; --body "
        "NAME*; --field [displacement|von_mises|stress]*; --history NAME*; --size-limit MB; --force; -h, --help"
    ),
    "info": (
        "FILE; --units U; --allow-outside-includes; --material E,NU,RHO; --thickness T; --section SHAPE:SIZES; --json; -h, --help"
    ),
    "modes": (
        "FILE; --units U; --allow-outside-includes; --fix SET ...*; --count INTEGER; --max-hz FLOAT; --material E,NU,RHO; "
        "--thickness T; --section SHAPE:SIZES; --spin W; --axis X,Y,Z; --json; -h, --help"
    ),
    "reduce": (
        "FILE; -o, --output BODY.h5; --interface NAME=SET[:rbe2|:rbe3] ...*; --modes INTEGER; --max-hz FLOAT; --basis "
        "[craig-bampton|clamped-free|free-free]; --at NAME; --frequency-tolerance TOLERANCE|none; --hex20 [file|full|reduced]; "
        "--damping ZETA|A,B|adams|HZ:ZETA,...|material; --second-order full|none|TOLERANCE; --no-cache; --name TEXT; --units U; "
        "--allow-outside-includes; --material E,NU,RHO; --thickness T; --section SHAPE:SIZES; --json; -h, --help"
    ),
    "report": "DIR; --out FILE.html; --title TEXT; --force; -h, --help",
    "run": (
        "[CASE]; --set NAME=VALUE*; --out DIR; --no-view; --view NAME=VALUE*; --store-every N; --output-step SECONDS; "
        "--storage-limit MB; --resume; --force; --verbose; -h, --help"
    ),
    "study export": "STUDY; --to FILE; --figure NAME*; --list NAME*; --force; -h, --help",
    "study failed": "STUDY; --run INDEX; --count INTEGER RANGE; -h, --help",
    "study new": (
        "SCRIPT.py; --case CASE; --vary NAME=VALUES*; --set NAME=VALUE*; --sampler NAME; --runs INTEGER; --levels N; --seed "
        "INTEGER; --keep [results|figures]; --yes; -h, --help"
    ),
    "study pack": "STUDY; -h, --help",
    "study plot": (
        "STUDY; [NAME ...]; --kind [scatter|parallel|effects|histogram|surface|histories]; --response FIGURE; --color NAME; "
        "--title TEXT; --save FILE; -h, --help"
    ),
    "study report": "STUDY; --save FILE.html; --limit 'FIGURE<VALUE'*; --history NAME*; --force; -h, --help",
    "study run": (
        "STUDY; --workers INTEGER; --shard K/N; --dask [ADDRESS]; --wall-time SECONDS; --memory GB; --retries "
        "INTEGER; --on-error [skip|stop|nan]; --retry-failed; --accept-versions; -h, --help"
    ),
    "study status": "STUDY; -h, --help",
    "study table": "STUDY; --figure NAME*; --list NAME*; -h, --help",
    "verify": "[NAME ...]; --list; --json; -h, --help",
    "view": (
        "PATH; --save FILE; --scale FLOAT; --color [body|displacement|von_mises|principal_max|principal_min]; --mode "
        "K; --set NAME*; --time FLOAT; --start FLOAT; --end FLOAT; --duration FLOAT; --fps INTEGER; --color-range LOW,HIGH; "
        "--color-map NAME; --background COLOR; --hide NAME*; --camera SIDE; --camera-position X,Y,Z; --camera-target X,Y,Z; "
        "--follow BODY; --zoom FLOAT; --title TEXT; --slow-motion auto|FACTOR; --force-scale [linear|sqrt|log]; --stick-speed "
        "SPEED; --size WIDTHxHEIGHT; --frames INTEGER; --history NAME*; --size-limit MB; --force; --units U; "
        "--allow-outside-includes; -h, --help"
    ),
}


def commands(group=cli, path=""):
    """Full name -> command, of all that are no groups."""
    found = {}
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        full = f"{path} {name}".strip()
        found |= commands(command, full) if isinstance(command, click.Group) else {full: command}
    return found


def named(command):
    root = cli.make_context("flexmbs", ["cases"], resilient_parsing=True)
    context = click.Context(command, parent=root)
    shown = []
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            shown.append(parameter.make_metavar(context))
        else:
            shown.append(parameter.get_help_record(context)[0] + ("*" if parameter.multiple else ""))
    # not command.get_params(context): click keeps the first help option that it makes, whatever the context
    return "; ".join([*shown, *([", ".join(context.help_option_names)] if command.add_help_option else [])])


def test_all_commands_are_named_here():
    assert set(commands()) == set(NAMED)


@pytest.mark.parametrize("name", NAMED)
def test_options_and_arguments(name):
    assert named(commands()[name]).split("; ") == NAMED[name].split("; ")

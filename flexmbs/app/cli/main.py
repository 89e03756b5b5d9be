"""The command line: ``flexmbs cases``, ``run``, ``verify``, ``describe``, ``info``, ``modes``, ``reduce``, ``view``."""

from __future__ import annotations

import os
import sys
import warnings

import click

from flexmbs.app.cli.lazy_group import LazyGroup
from flexmbs.app.cli.terminal_text import plain
from flexmbs.common.atomic_files import reason
from flexmbs.common.errors import FlexmbsError, FlexmbsWarning, MeshError, SimulationError

COMMANDS = {
    "cases": ("flexmbs.app.cli.cases:cases_command", "List the cases that come with flexmbs."),
    "describe": ("flexmbs.app.cli.describe:describe_command", "Bodies, joints, loops, degrees of freedom of a case."),
    "info": ("flexmbs.app.cli.info:info_command", "Show what is in a mesh file."),
    "modes": ("flexmbs.app.cli.modes:modes_command", "Natural frequencies of the mesh in a file."),
    "reduce": ("flexmbs.app.cli.reduce:reduce_command", "Reduce the mesh in a file to a flexible body."),
    "run": ("flexmbs.app.cli.run:run_command", "Run a case: one that comes with flexmbs, or your own file."),
    "verify": ("flexmbs.app.cli.verify:verify_command", "Compute problems with known solutions and compare."),
    "view": ("flexmbs.app.cli.view:view_command", "Show a result, a reduced body or a mesh file."),
}


@click.group(cls=LazyGroup, commands_by_name=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Flexible multibody dynamics: run cases, look at their results and at mesh files."""


def _show_warning(message, category, filename, lineno, file=None, line=None) -> None:
    """Warnings of flexmbs in one line, as its errors; others as Python shows them."""
    if issubclass(category, FlexmbsWarning):
        click.echo(plain(f"warning: {message}"), err=True)
    else:
        click.echo(warnings.formatwarning(message, category, filename, lineno, line), err=True, nl=False)


def exit_code(error: FlexmbsError) -> int:
    """2: what was asked for cannot be (options, names, missing files, what a case states); 1: it failed.

    Failures are runs that stop, mesh files with wrong content, files that cannot be read or written, too little memory.
    """
    if isinstance(error.__cause__, FileNotFoundError | IsADirectoryError | NotADirectoryError):
        return 2
    failed = isinstance(error, SimulationError | MeshError) or isinstance(error.__cause__, OSError | MemoryError)
    return 1 if failed else 2


def main() -> None:
    """Entry point: errors of flexmbs end in one line, and the exit codes are those of ``exit_code``."""
    warnings.showwarning = _show_warning
    try:
        code = cli.main(standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.ClickException as error:
        error.message = plain(error.message)
        error.show()
        sys.exit(error.exit_code)
    except FlexmbsError as error:
        click.echo(plain(f"error: {error}"), err=True)
        sys.exit(exit_code(error))
    except BrokenPipeError:  # who reads the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        click.echo(plain(f"error: {where}{reason(error)}"), err=True)
        sys.exit(1)
    except MemoryError as error:
        click.echo(f"error: the memory ran out ({error}). A coarser mesh or fewer modes need less.", err=True)
        sys.exit(1)
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped; what was finished is saved ('flexmbs run ... --resume' goes on)", err=True)
        sys.exit(130)


if __name__ == "__main__":
    main()

"""The command line: ``flexmbs cases``, ``describe``, ``info``, ``modes``, ``reduce``, ``run``, ``study``, ..."""

from __future__ import annotations

import os
import sys
import warnings

import click

from flexmbs.app.cli.lazy_group import LazyGroup
from flexmbs.app.cli.terminal_text import plain, short_paths
from flexmbs.common.atomic_files import reason
from flexmbs.common.errors import FlexmbsError, FlexmbsWarning, MeshError, SimulationError

COMMANDS = {
    "cases": ("flexmbs.app.cli.cases:cases_command", "List the cases that come with flexmbs."),
    "compare": ("flexmbs.app.cli.compare:compare_command", "Compare the results of two or more runs."),
    "describe": ("flexmbs.app.cli.describe:describe_command", "Bodies, joints, loops, degrees of freedom of a case."),
    "export": ("flexmbs.app.cli.export:export_command", "Write a result for other programs: ParaView, Blender, MATLAB."),
    "info": ("flexmbs.app.cli.info:info_command", "Show the contents of a mesh file."),
    "modes": ("flexmbs.app.cli.modes:modes_command", "Natural frequencies of the mesh in a file."),
    "reduce": ("flexmbs.app.cli.reduce:reduce_command", "Reduce the mesh in a file to a flexible body."),
    "report": ("flexmbs.app.cli.report:report_command", "Write the report of a run: one HTML page."),
    "run": ("flexmbs.app.cli.run:run_command", "Run a case: one that comes with flexmbs or your own file."),
    "study": ("flexmbs.app.cli.study.group:study_command", "Many runs of a case with varied parameters."),
    "verify": (
        "flexmbs.app.cli.verify:verify_command",
        "Check this installation: compute problems with known solutions and compare.",
    ),
    "view": ("flexmbs.app.cli.view:view_command", "Show a result, a reduced body or a mesh file."),
}


@click.group(cls=LazyGroup, commands_by_name=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Flexible multibody dynamics: run cases, view their results, examine and reduce mesh files."""


def _show_warning(message, category, filename, lineno, file=None, line=None) -> None:
    """Warnings of flexmbs on one line, like its errors; others as Python shows them."""
    if issubclass(category, FlexmbsWarning):
        text = plain(f"warning: {short_paths(str(message))}\n")
    else:
        text = warnings.formatwarning(message, category, filename, lineno, line)
    if sys.stderr is not None:
        sys.stderr.write(text)  # which a bar that is drawn moves above itself


def exit_code(error: FlexmbsError) -> int:
    """2 for wrong use (options, names, missing files, invalid statements in a case), 1 for a failure.

    Failures are runs that stop, invalid content in mesh files, files that cannot be read or written, too little memory.
    """
    if isinstance(error.__cause__, FileNotFoundError | IsADirectoryError | NotADirectoryError):
        return 2
    failed = isinstance(error, SimulationError | MeshError) or isinstance(error.__cause__, OSError | MemoryError)
    return 1 if failed else 2


def _open_streams() -> None:
    """Closed standard streams lead nowhere: else the next file that is opened would get their numbers, and their texts."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  (for as long as the process)


def main() -> None:
    """Entry point. Errors of flexmbs end in one line; ``exit_code`` defines the exit codes."""
    _open_streams()
    warnings.showwarning = _show_warning
    try:
        code = cli.main(standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.ClickException as error:
        error.message = plain(error.message)
        error.show()
        sys.exit(error.exit_code)
    except FlexmbsError as error:
        click.echo(plain(f"error: {short_paths(str(error))}"), err=True)
        sys.exit(exit_code(error))
    except BrokenPipeError:  # the reader of the output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        click.echo(plain(f"error: {where}{reason(error)}"), err=True)
        sys.exit(1)
    except MemoryError as error:
        click.echo(f"error: out of memory{f' ({error})' if str(error) else ''}. Use a coarser mesh or fewer modes.", err=True)
        sys.exit(1)
    except ImportError as error:
        click.echo(plain(f"error: a library cannot be loaded, or not into the memory that is left: {error}"), err=True)
        sys.exit(1)
    except (click.Abort, KeyboardInterrupt) as error:
        said = str(error.__cause__ or error)  # of a study
        text = "interrupted; completed steps are saved ('flexmbs run ... --resume' continues)"
        click.echo(plain(said or text), err=True)
        sys.exit(130)


if __name__ == "__main__":
    main()

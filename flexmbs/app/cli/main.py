"""The command line: ``flexmbs cases``, ``describe``, ``info``, ``modes``, ``reduce``, ``run``, ``study``, ..."""

from __future__ import annotations

import os
import re
import sys
import warnings
from typing import NoReturn

import click

from flexmbs.common.atomic_files import reason
from flexmbs.common.errors import FlexmbsError, FlexmbsWarning, MeshError, SimulationError
from flexmbs.common.installed_data import meshes_folder
from flexmbs.common.lazy_import import load

_HERE = "flexmbs.app.cli"
# Name -> "module:command", first sentence of its help.
COMMANDS = {
    "cases": (f"{_HERE}.run:cases_command", "List the cases that come with flexmbs."),
    "compare": (f"{_HERE}.results:compare_command", "Compare the results of two or more runs."),
    "describe": (f"{_HERE}.run:describe_command", "Bodies, joints, loops, degrees of freedom of a case."),
    "export": (f"{_HERE}.results:export_command", "Write a result for other programs: ParaView, Blender, MATLAB."),
    "info": (f"{_HERE}.mesh_file:info_command", "Show the contents of a mesh file."),
    "modes": (f"{_HERE}.modes:modes_command", "Natural frequencies of the mesh in a file."),
    "reduce": (f"{_HERE}.reduce:reduce_command", "Reduce the mesh in a file to a flexible body."),
    "report": (f"{_HERE}.results:report_command", "Write the report of a run: one HTML page."),
    "run": (f"{_HERE}.run:run_command", "Run a case: one that comes with flexmbs or your own file."),
    "study": (f"{_HERE}.main:study_command", "Many runs of a case with varied parameters."),
    "verify": (f"{_HERE}.verify:verify_command", "Check this installation: compute problems with known solutions and compare."),
    "view": (f"{_HERE}.view:view_command", "Show a result, a reduced body or a mesh file."),
}
STUDY_COMMANDS = {
    "new": (f"{_HERE}.study_script:new_command", "Write the script of a study of a case."),
    "run": (f"{_HERE}.study:run_command", "Run what is missing of a study: here, on a Dask cluster, or one shard of it."),
    "status": (f"{_HERE}.study:status_command", "How many runs are finished, failed, going on, missing."),
    "table": (f"{_HERE}.study:table_command", "Parameters and figures of all runs."),
    "plot": (f"{_HERE}.study:plot_command", "Plot figures against parameters."),
    "failed": (f"{_HERE}.study:failed_command", "Why runs failed."),
    "export": (f"{_HERE}.study:export_command", "Write the table as CSV, JSON lines or Parquet."),
    "report": (f"{_HERE}.study:report_command", "Write one HTML page with everything."),
    "pack": (f"{_HERE}.study:pack_command", "Put the folders of finished runs into one file."),
}
WORD, LINE = 200, 4000  # most characters shown of a text without blanks, and of a line


class LazyGroup(click.Group):
    """A group whose ``commands`` are "module:command" and help, by name: a module is imported when its command runs."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load(self.commands[cmd_name][0]) if cmd_name in self.commands else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of --help, from the table."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.commands[name][1]) for name in self.list_commands(ctx)])


@click.group(cls=LazyGroup, commands=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Flexible multibody dynamics: run cases, view their results, examine and reduce mesh files."""


@click.group("study", cls=LazyGroup, commands=STUDY_COMMANDS)
def study_command() -> None:
    """Many runs of one case with varied parameters. Begin with 'flexmbs study new'."""


def plain(text: str) -> str:
    r"""``text`` made safe for a terminal: control characters as \x07, long words and lines shortened in the middle."""
    shown = [one if one in "\n\t" or one.isprintable() else one.encode("unicode_escape", "surrogatepass").decode() for one in text]
    text = re.sub(rf"\S{{{WORD + 1},}}", lambda found: _cut(found[0], WORD), "".join(shown))
    return "\n".join(_cut(line, LINE) for line in text.split("\n"))


def short_paths(text: str) -> str:
    """``text`` with paths below the current folder relative to it, and meshes of flexmbs by their file name."""
    for folder in (meshes_folder(), os.getcwd()):
        text = text.replace(f"{folder}{os.sep}", "")
    return text


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    half = most // 2 - 20
    return f"{text[:half]} ... {len(text) - 2 * half} characters ... {text[-half:]}"


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


def _end(text: str, code: int = 1) -> NoReturn:
    click.echo(plain(text), err=True)
    sys.exit(code)


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
        _end(f"error: {short_paths(str(error))}", exit_code(error))
    except BrokenPipeError:  # the reader of the output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        _end(f"error: {f'{error.filename}: ' if error.filename else ''}{reason(error)}")
    except MemoryError as error:
        _end(f"error: out of memory{f' ({error})' if str(error) else ''}. Use a coarser mesh or fewer modes.")
    except ImportError as error:
        _end(f"error: a library cannot be loaded, or not into the memory that is left: {error}")
    except (click.Abort, KeyboardInterrupt) as error:
        said = str(error.__cause__ or error)  # of a study
        _end(said or "interrupted; completed steps are saved ('flexmbs run ... --resume' continues)", 130)


if __name__ == "__main__":
    main()

"""The command line in this process: what ``flexmbs WORDS`` prints, and its exit code."""

import contextlib
import io
import subprocess
import sys
import warnings
from pathlib import Path
from unittest import mock

from flexmbs.app.cli.main import main


def flexmbs(*words, check: bool = True, cwd: Path | str = ".") -> subprocess.CompletedProcess[str]:
    """Run a command in the folder ``cwd``; ``check`` demands exit code 0."""
    out, err, code = io.StringIO(), io.StringIO(), None
    with (
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(sys, "argv", ["flexmbs", *map(str, words)]),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("default")
        try:
            main()
        except SystemExit as ended:
            code = ended.code
    assert code == 0 or not check, err.getvalue()
    return subprocess.CompletedProcess(sys.argv, code, out.getvalue(), err.getvalue())

"""A process that compiles: lines ``module <tab> file`` come in, the module's name goes out when its file is written."""

from __future__ import annotations

import gc
import importlib
import sys
from pathlib import Path

from flexmbs.machine_code.entry import ENTRIES
from flexmbs.machine_code.object_code import link_late, object_file
from flexmbs.machine_code.translations import keep_translations


def main() -> None:
    """Compile until there is nothing more to do."""
    answers, sys.stdout = sys.stdout, sys.stderr
    link_late()
    keep_translations()
    gc.disable()  # the process is short-lived, and makes many objects that live as long as it
    for line in sys.stdin:
        module, path = line.rstrip("\n").split("\t")
        importlib.import_module(module)
        Path(path).write_bytes(object_file(ENTRIES[module]))
        print(module, file=answers, flush=True)


if __name__ == "__main__":
    main()

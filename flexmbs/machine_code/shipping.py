"""Puts object files of all entries into a wheel, and proves in a process of its own that they can be loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from flexmbs.machine_code.build import object_files
from flexmbs.machine_code.manifest import write_shipped
from flexmbs.machine_code.object_cache import complete
from flexmbs.machine_code.sources import PACKAGE, keys
from flexmbs.machine_code.target_processor import baseline

#: Set for the wheels of a release: everything is compiled, whatever the cache folder has.
FRESH_VARIABLE = "FLEXMBS_SHIP_FRESH"
_LOAD = """
import sys
from pathlib import Path
from flexmbs.machine_code.load_objects import Library
from flexmbs.machine_code.manifest import read_shipped
from flexmbs.machine_code.sources import keys
from flexmbs.machine_code.target_processor import baseline
wanted = keys()
found, why = read_shipped(wanted, baseline(), Path(sys.argv[1]))
assert len(found) == len(wanted), why
Library(found, baseline())
"""


def ship(folder: Path) -> None:
    """Write the object files of all entries and their manifest into ``folder``."""
    wanted, target = keys(), baseline()
    if os.environ.get(FRESH_VARIABLE, "0") not in ("", "0"):
        made = object_files(list(wanted), target, "a wheel of a release is built")
    else:
        made = complete({}, wanted, target, "a wheel is built")
    write_shipped(folder, made, wanted, target)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")])}
    subprocess.run([sys.executable, "-c", _LOAD, str(folder.resolve())], env=environment, check=True)
    size = sum(len(content) for content in made.values())
    print(f"flexmbs: {len(made)} object files, {size / 1e6:.1f} MB", file=sys.stderr)

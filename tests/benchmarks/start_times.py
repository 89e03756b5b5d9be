"""Cold and warm start of ``flexmbs run flexible_pendulum_impact --no-view``, each in a process of its own.

    python tests/benchmarks/start_times.py [--json FILE]

Cold: an empty folder of compiled kernels, as on the first run after an installation.  "First step" is the time from
starting the command until the start values are stored and the first step is about to be taken.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMMAND = ["run", "flexible_pendulum_impact", "--no-view"]
WHOLE = "from flexmbs.cli import main; main()"
# the command itself, stopped at its first step
TO_FIRST_STEP = """
import os, time
from flexmbs.cli import main
import flexmbs.analysis.dynamics as dynamics
def stop(run):
    print("first step", time.time(), "compiled in", run.compile_seconds, flush=True)
    os._exit(0)
dynamics._Run._store_start = stop
main()
"""


def run(program: str, cache: Path, out: Path) -> tuple[float, str, str]:
    """Wall seconds, what was printed and what was said on stderr."""
    environment = {**os.environ, "FLEXMBS_CACHE": str(cache), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", program, *COMMAND, "--out", str(out)]
    begin = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, cwd=out.parent)
    return time.perf_counter() - begin, done.stdout, done.stderr


def to_first_step(cache: Path, out: Path) -> tuple[float, float]:
    """Seconds to the first step, seconds of compiling or loading the kernels among them."""
    begin = time.time()
    _wall, printed, _said = run(TO_FIRST_STEP, cache, out)
    words = [line for line in printed.splitlines() if line.startswith("first step")][-1].split()
    return float(words[2]) - begin, float(words[5])


def start_times() -> dict:
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        cache = base / "kernels"
        wall, printed, said = run(WHOLE, cache, base / "cold")
        stats = json.loads((base / "cold" / "summary.json").read_text())["stats"]
        announced = [line for line in (said + printed).splitlines() if "compiling" in line]
        warm = [run(WHOLE, cache, base / f"warm {i}")[0] for i in range(3)]
        first = [to_first_step(cache, base / f"first {i}") for i in range(5)]
    found = {
        "cold_command_seconds": wall, "compile_seconds": stats["compile_seconds"], "announced": announced,
        "warm_command_seconds": min(warm), "warm_first_step_seconds": min(seconds for seconds, _load in first),
        "warm_load_seconds": min(load for _seconds, load in first),
    }  # fmt: skip
    for name, value in found.items():
        print(f"(e) {name:<26} {value if isinstance(value, list) else format(value, '.2f')}")
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="write the times to this file")
    chosen = parser.parse_args()
    times = start_times()
    if chosen.json:
        chosen.json.write_text(json.dumps(times, indent=2) + "\n")

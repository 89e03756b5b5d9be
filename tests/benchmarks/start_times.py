"""Cold and warm start of ``flexmbs run flexible_pendulum_impact --no-view``, each in a process of its own.

    python tests/benchmarks/start_times.py [--json FILE]

Cold: an empty folder of compiled kernels, as on the first run after an installation.  "First steps" is the time of the
whole command for a run of a microsecond.
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
# ends behind its first steps
FIRST_STEPS = ["--set", "t_end=1e-6"]
PROGRAM = "from flexmbs.app.cli.main import main; main()"


def run(cache: Path, out: Path, options: list[str]) -> tuple[float, dict, str]:
    """Wall seconds of the command, its statistics, and what it said."""
    environment = {**os.environ, "FLEXMBS_CACHE": str(cache), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", PROGRAM, *COMMAND, *options, "--out", str(out)]
    begin = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, cwd=out.parent)
    wall = time.perf_counter() - begin
    return wall, json.loads((out / "summary.json").read_text())["stats"], done.stderr + done.stdout


def start_times(cache: Path | None = None, warm_runs: int = 3, short_runs: int = 5) -> dict:
    """The times, printed too; with a ``cache`` folder of kernels the first run is as cold as that is."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        kernels = cache or base / "kernels"
        wall, stats, said = run(kernels, base / "cold", [])
        announced = [line for line in said.splitlines() if "compiling" in line]
        warm = [run(kernels, base / f"warm {i}", [])[0] for i in range(warm_runs)]
        short = [run(kernels, base / f"short {i}", FIRST_STEPS)[:2] for i in range(short_runs)]
    found = {
        "cold_command_seconds": wall, "compile_seconds": stats["compile_seconds"], "announced": announced,
        "warm_command_seconds": min(warm), "warm_first_steps_seconds": min(seconds for seconds, _ in short),
        "warm_load_seconds": min(stats["compile_seconds"] for _, stats in short),
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

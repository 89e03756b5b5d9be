"""How long a newcomer waits: installing, the first run, later runs; each command in a process of its own.

    python tests/benchmarks/start_times.py [--clone] [--animation] [--json FILE]

Without --clone the present environment is measured as it is. With it a copy of the clone is built into a wheel, which
is installed into an environment of its own (other packages come from the index; what pip has kept of them it takes).
"First" is the first run in that environment, with an empty cache folder. "First steps" is the whole command for a run
of a microsecond. Of later and short runs the quickest counts.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

CASE = "flexible_pendulum_impact"
COMMAND = ["run", CASE, "--no-view"]
ANIMATED = ["run", CASE]
# ends behind its first steps
FIRST_STEPS = ["--set", "t_end=1e-6"]
PROGRAM = "from flexmbs.app.cli.main import main; main()"
CLONE = Path(__file__).resolve().parents[2]
NOT_IN_A_CLONE = shutil.ignore_patterns(".git", "build", "dist", "*.egg-info", "__pycache__", "runs", ".venv")


def seconds_of(command: list[str], cache: Path, folder: Path) -> tuple[float, str]:
    """Wall seconds of a command, and what it said."""
    environment = {**os.environ, "FLEXMBS_CACHE": str(cache), "OMP_NUM_THREADS": "1", "PYTHONPATH": ""}
    begin = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=folder)
    wall = time.perf_counter() - begin
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stderr}")
    return wall, done.stderr + done.stdout


def run(python: str, cache: Path, out: Path, words: list[str]) -> tuple[float, dict, list[str]]:
    """Wall seconds of the command line, its statistics, and what it said about compiling."""
    wall, said = seconds_of([python, "-c", PROGRAM, *words, "--out", str(out)], cache, out.parent)
    stats = json.loads((out / "summary.json").read_text())["stats"]
    return wall, stats, [line for line in said.splitlines() if line.startswith("flexmbs: compil")]


def start_times(
    python: str = sys.executable, later_runs: int = 3, short_runs: int = 5, animation: bool = False
) -> dict[str, object]:
    """The times in the environment of an interpreter, printed too."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        cache = base / "cache"
        wall, stats, announced = run(python, cache, base / "first", COMMAND)
        later = [run(python, cache, base / f"later {i}", COMMAND)[0] for i in range(later_runs)]
        short = [run(python, cache, base / f"short {i}", [*COMMAND, *FIRST_STEPS])[:2] for i in range(short_runs)]
        found = {
            "first_command_seconds": wall,
            "first_load_seconds": stats["compile_seconds"],
            "announced": announced,
            "later_command_seconds": min(later),
            "first_steps_seconds": min(seconds for seconds, _ in short),
            "load_seconds": min(stats["compile_seconds"] for _, stats in short),
            "import_seconds": _quickest([python, "-c", "import flexmbs"], cache, base),
            "bare_python_seconds": _quickest([python, "-c", "pass"], cache, base),
            "help_seconds": _quickest([python, "-c", PROGRAM, "--help"], cache, base),
        }
        if animation:
            found["animation_seconds"] = run(python, cache, base / "animated", ANIMATED)[0]
    for name, value in found.items():
        print(f"(e) {name:<26} {value if isinstance(value, list) else format(value, '.2f')}")
    return found


def _quickest(command: list[str], cache: Path, folder: Path, runs: int = 5) -> float:
    return min(seconds_of(command, cache, folder)[0] for _ in range(runs))


def installed(base: Path) -> tuple[str, dict[str, object]]:
    """Interpreter of an environment into which a copy of the clone was installed, and how long that took."""
    clone, environment = base / "clone", base / "environment"
    shutil.copytree(CLONE, clone, ignore=NOT_IN_A_CLONE)
    venv.create(environment, with_pip=True)
    python = str(environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    wheel, _ = seconds_of([*pip, "wheel", "--no-deps", "--wheel-dir", str(base), str(clone)], base / "none", base)
    (path,) = base.glob("*.whl")
    install, _ = seconds_of([*pip, "install", str(path)], base / "none", base)
    size = path.stat().st_size / 1e6
    found = {"build_wheel_seconds": wheel, "wheel_megabytes": size, "install_wheel_seconds": install}
    for name, value in found.items():
        print(f"(e) {name:<26} {value:.2f}")
    return python, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clone", action="store_true", help="build a wheel of the clone, install it, and measure that")
    parser.add_argument("--animation", action="store_true", help="measure a run with its animation too")
    parser.add_argument("--json", type=Path, help="write the times to this file")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        python, times = installed(Path(folder)) if chosen.clone else (sys.executable, {})
        times |= start_times(python, animation=chosen.animation)
    if chosen.json:
        chosen.json.write_text(json.dumps(times, indent=2) + "\n")


if __name__ == "__main__":
    main()

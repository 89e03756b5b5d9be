"""What other libraries make of damaged mesh files: the figures of decision 7.

    pip install mapdl-archive && python docs/decisions/measure_foreign_readers.py 300

reads as many damaged copies of the project's own .cdb files, each in a process of its own.
"""

import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from mutations import damaged, own_files  # noqa: E402

READ = "import sys, mapdl_archive as m; a = m.Archive(sys.argv[1]); a.nnum, a.enum, a.node_components, a.grid"


def main() -> None:
    sources = [path for path in own_files("ansys") if path.suffix == ".cdb"]
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(int(sys.argv[1])):
            source = sources[number % len(sources)]
            copy = Path(folder) / "damaged.cdb"
            copy.write_bytes(damaged(source.read_bytes(), number))
            outcomes[_outcome(copy)] += 1
    print(dict(outcomes))


def _outcome(path: Path) -> str:
    try:
        run = subprocess.run([sys.executable, "-W", "ignore", "-c", READ, path], capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "hangs"
    if run.returncode < 0:
        return f"killed by signal {-run.returncode}"
    return "read" if run.returncode == 0 else run.stderr.decode().strip().splitlines()[-1].split(":")[0]


if __name__ == "__main__":
    main()

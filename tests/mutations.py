"""Damaged copies of mesh files, and a worker process that reads them one after the other.

``python tests/mutations.py run FORMAT COUNT`` reads COUNT damaged copies of the project's own small files of one format
and prints what came of them; ``all`` stands for every format. Every copy must end as a Mesh or a MeshError within
seconds and without gigabytes: anything else is a defect and is printed with the number that reproduces it.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

DATA = Path(__file__).parent / "data" / "mesh"
#: Format -> the files of the project that are damaged.
SUFFIXES = {
    "abaqus": (".inp",),
    "nastran": (".bdf", ".dat", ".nas", ".inp"),
    "ansys": (".cdb", ".dat", ".inp"),
    "gmsh": (".msh",),
    "unv": (".unv", ".uff"),
    "med": (".med",),
    "exodus": (".e", ".exo", ".g"),
    "vtk": (".vtk", ".vtu"),
    "medit": (".mesh",),
}
SECONDS_AT_MOST = 10.0
BYTES_AT_MOST = 4 << 30  # of address space; a claimed gigabyte in a file of some kB must not be allocated
_NUMBER = re.compile(rb"[-+]?\d+\.?\d*(?:[eEdD][-+]?\d+)?")
_WORD = re.compile(rb"[A-Za-z*$/][A-Za-z_*$/ ]{1,20}")
_ODD_NUMBERS = (
    b"0",
    b"-1",
    b"1",
    b"2",
    b"7",
    b"-0.0",
    b"1000000000",
    b"2147483648",
    b"9223372036854775807",
    b"99999999999999999999",
    b"1e308",
    b"1e999",
    b"-1e-320",
    b"nan",
    b"inf",
    b"",
    b"1.5",
    b"1.5.5",
    b"1-",
    b"--1",
    b"0x10",
    b"1d400",
    b"1+400",
    b"abc",
    b"1_0",
    b"\xc2\xb2",
    b"1,2",
    b"1 2",
)
_ODD_LINES = (
    b"",
    b"*",
    b"**",
    b"$",
    b",,,,,,,,",
    b"-1",
    b"    -1",
    b"*NODE",
    b"*INCLUDE, INPUT=missing.inp",
    b"INCLUDE 'x.bdf'",
    b"1, 2, 3, 4, 5, 6, 7, 8, 9",
    b"*ELSET, ELSET=A, GENERATE\n1, 1000000000, 1",
    b"\x00\x01\x02",
    b"9" * 400,
    b"x" * 5000,
    b"+",
    b"=",
    b"/EOF",
    b"ENDDATA",
    b"GRID,1",
    b"\xff\xfe\xfa",
)


def own_files(name: str) -> list[Path]:
    """The project's own small files of one format."""
    return sorted(path for path in (DATA / name).rglob("*") if path.suffix in SUFFIXES[name])


def damaged(data: bytes, seed: int) -> bytes:
    """A copy of ``data`` with one to four damages, the same for the same seed."""
    choose = random.Random(seed)
    for _ in range(choose.choice((1, 1, 1, 2, 4))):
        data = choose.choice((_bytes, _bytes, _lines, _lines, _numbers, _numbers, _numbers, _words, _cut))(data, choose)
    return data


def _bytes(data: bytes, choose: random.Random) -> bytes:
    for _ in range(choose.choice((1, 1, 2, 8))):
        at = choose.randrange(len(data) + 1)
        new = bytes(choose.randrange(256) for _ in range(choose.choice((0, 1, 1, 4))))
        data = data[:at] + new + data[at + choose.choice((0, 1, 1, 5)) :]
    return data


def _cut(data: bytes, choose: random.Random) -> bytes:
    at = choose.randrange(len(data) + 1)
    return choose.choice((data[:at], data[at:], data[:at] + data[at + choose.randrange(1, 400) :]))


def _lines(data: bytes, choose: random.Random) -> bytes:
    lines = data.split(b"\n")
    at, other = choose.randrange(len(lines)), choose.randrange(len(lines))
    what = choose.randrange(6)
    if what == 0:
        del lines[at]
    elif what == 1:
        lines.insert(other, lines[at])
    elif what == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif what == 3:
        lines.insert(at, choose.choice(_ODD_LINES))
    elif what == 4:
        lines[at] = lines[at] + lines[other]
    else:
        lines[at:at] = lines[other : other + choose.randrange(1, 30)]
    return b"\n".join(lines)


def _numbers(data: bytes, choose: random.Random) -> bytes:
    found = list(_NUMBER.finditer(data))
    if not found:
        return _bytes(data, choose)
    place = choose.choice(found)
    new = choose.choice((*_ODD_NUMBERS, choose.choice(found).group(), place.group() + b"0", b"-" + place.group()))
    return data[: place.start()] + new + data[place.end() :]


def _words(data: bytes, choose: random.Random) -> bytes:
    found = list(_WORD.finditer(data))
    if not found:
        return _bytes(data, choose)
    place, other = choose.choice(found), choose.choice(found).group()
    new = choose.choice((other, place.group().swapcase(), place.group()[:-1], place.group() + other, b""))
    return data[: place.start()] + new + data[place.end() :]


def read_all(name: str, first: int, count: int, folder: Path) -> None:
    """Read damaged copies number ``first`` to ``first + count``; prints one JSON line before and after each."""
    import resource

    import forked_reading

    resource.setrlimit(resource.RLIMIT_AS, (BYTES_AT_MOST, BYTES_AT_MOST))
    from flexmbs import MeshError, read_mesh
    from flexmbs.mesh.readers.exchange_formats import read_by_library
    from flexmbs.mesh.summary import summarize

    read_by_library._run = forked_reading.run  # a new process for each copy takes ten times as long

    sources = [(path, path.read_bytes()) for path in own_files(name)]
    for number in range(first, first + count):
        path, data = sources[number % len(sources)]
        copy = folder / f"damaged{path.suffix}"
        copy.write_bytes(damaged(data, number))
        print(json.dumps({"starts": number}), flush=True)
        start, note = time.perf_counter(), ""
        try:
            mesh = read_mesh(copy)
            outcome = "mesh"
            summarize(mesh)
        except MeshError as error:
            outcome, note = "MeshError", str(error)
            if copy.name not in note:
                outcome, note = "defect", f"MeshError without the name of the file: {note}"
        except BaseException as error:  # whatever else escapes is what is looked for
            outcome, note = "defect", f"{type(error).__name__}: {error}"
        seconds = time.perf_counter() - start
        if seconds > SECONDS_AT_MOST:
            outcome, note = "defect", f"{seconds:.1f} s"
        print(json.dumps({"number": number, "file": path.name, "outcome": outcome, "note": note[:400]}), flush=True)


def run(name: str, count: int, first: int = 0) -> tuple[Counter, list[dict]]:
    """Read ``count`` damaged copies in worker processes; outcomes, and the defects (crashes and hangs included)."""
    outcomes: Counter[str] = Counter()
    defects: list[dict] = []
    if not own_files(name):
        raise FileNotFoundError(f"no files of format {name} in {DATA / name}")
    done = first
    with tempfile.TemporaryDirectory() as folder:
        while done < first + count:
            lines, ended = _one_worker(name, done, first + count - done, folder)
            results = [line for line in lines if "outcome" in line]
            outcomes.update(line["outcome"] for line in results)
            defects += [line for line in results if line["outcome"] == "defect"]
            done += len(results)
            if done < first + count:  # the worker died or hung in the next one
                defects.append({"number": done, "outcome": "defect", "note": ended})
                outcomes["defect"] += 1
                done += 1
    return outcomes, defects


def _one_worker(name: str, first: int, count: int, folder: str) -> tuple[list[dict], str]:
    command = [sys.executable, __file__, "worker", name, str(first), str(count), folder]
    worker = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        out, err = worker.communicate(timeout=60.0 + 0.25 * count)
        ended = f"the process ended with code {worker.returncode}: {err[-300:]}"
    except subprocess.TimeoutExpired:
        worker.kill()
        out, err = worker.communicate()
        ended = "it hangs"
    return [json.loads(line) for line in out.splitlines() if line.startswith("{") and line.endswith("}")], ended


def main() -> None:
    if sys.argv[1] == "worker":
        read_all(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), Path(sys.argv[5]))
        return
    names = list(SUFFIXES) if sys.argv[2] == "all" else [sys.argv[2]]
    for name in names:
        start = time.perf_counter()
        outcomes, defects = run(name, int(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 0)
        print(f"{name}: {dict(outcomes)} in {time.perf_counter() - start:.0f} s")
        for defect in defects[:20]:
            print("  ", defect)


if __name__ == "__main__":
    main()

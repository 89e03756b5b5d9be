"""Damaged copies of body files and result folders, and a worker process that reads and uses them one after the other.

``python tests/body_mutations.py run h5 1000`` (``npz``, ``folder``) prints what came of them, by kind of damage. Every
copy must end as a body that a short run computes with, or as a FlexmbsError that names the file: anything else is a
defect and is printed with the number that reproduces it. Most damages leave the container whole (they are written with
h5py or NumPy), so that no check sum of zip or HDF5 stands in their way.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
from body_damages import damage_file

KINDS = ("h5", "npz", "folder")
DAMAGED_FILES = ("model.h5", "state.npz", "system.npz")  # of a result folder
SECONDS_OF_A_RUN, SECONDS_AT_MOST = 3.0, 30.0  # of processor time
BYTES_AT_MOST = 8 << 30  # of address space; a claimed terabyte in a file of some kB must not be allocated


def make_sources(kind: str, folder: Path) -> list[Path]:
    """Files or folders whose copies are damaged: bodies of beams and solids, with forms, from arrays, with a cubic."""
    import flexmbs as fm

    if kind == "folder":
        return [_result_folder(folder / "run")]
    found = []
    for name, body in _bodies().items():
        path = folder / f"{name}.{kind}"
        (fm.save_body if kind == "h5" else fm.write_npz)(body, path)
        found.append(path)
    if kind == "npz":
        found.append(folder / "plain.npz")
        np.savez(found[-1], **_plain_arrays(), marker_names=["1", "2"], marker_nodes=[1, 2])
    return found


def _bodies() -> dict[str, object]:
    import flexmbs as fm
    from flexmbs import ClampedFree, FreeFree, Material, SecondOrder, box_mesh, line_mesh, rectangle, reduce

    steel = Material("STEEL", 210e9, 0.3, 7850.0)
    line = line_mesh(1.0, 6, rectangle(0.004, 0.02), steel)
    box = box_mesh((0.5, 0.02, 0.03), (4, 1, 1), steel)
    sets = {"1": "ROOT", "2": "TIP"}
    few = SecondOrder(field_tolerance=1e-3)
    return {
        "blade": reduce(line, interfaces=sets, modes=ClampedFree("1", count=3), cache=False),
        "forms": reduce(line, interfaces=sets, modes=ClampedFree("1", count=4), second_order=few, cache=False),
        "block": reduce(box, interfaces=sets, modes=FreeFree(count=2), stress="nodes", cache=False),
        "arrays": fm.body_from_arrays(**_plain_arrays(), cubic=np.ones((1, 1))),
    }


def _plain_arrays() -> dict[str, np.ndarray]:
    """Four points of a bar that bends, and shortens with the square of it."""
    points = np.array([[0.0, 0.0, 0.0], [1.0, 0.2, 0.0], [0.5, -0.2, 0.1], [0.5, 0.0, -0.2]])
    modes = np.zeros((1, 4, 3))
    modes[0, 1:, 1] = 1.0, 0.4, 0.4
    quadratic = np.zeros((1, 4, 3))
    quadratic[0, 1:, 0] = -0.6, -0.2, -0.2
    rotations = np.zeros((1, 4, 3))
    rotations[0, 1:, 2] = 1.5, 1.0, 1.0
    return {
        "points": points,
        "modes": modes,
        "K": np.array([[900.0]]),
        "M": np.array([0.2, 0.1, 0.1, 0.1]),
        "rotations": rotations,
        "pairs": np.array([[0, 0]]),
        "quadratic": quadratic,
    }


def _system(body, name: str = "bar"):
    import flexmbs as fm

    system = fm.System()
    part = system.add(body, name=name)
    first, last = list(body.markers)[0], list(body.markers)[-1]
    system.spherical(system.ground["origin"], part[first], name="hinge")
    if body.markers[last].has_rotation:
        system.force(part[last], (0.0, 1e-3, 0.0), name="push")
    return system


def _system_with_contact(body):
    """With a second body and a contact, whose state is saved too."""
    import flexmbs as fm

    system = _system(body)
    stone = system.add(fm.RigidBody.sphere(7850.0, 0.01), name="stone")
    system.spherical(system.ground.marker("far", position=(0.0, 0.0, 2.0)), stone["origin"], name="swing")
    plane = system.ground.marker("floor", position=(0.0, -3.0, 0.0))
    system.contact(fm.Sphere(stone["origin"], 0.01), fm.Plane(plane, (0, 1, 0)), law=fm.PowerLaw(1e7, 1.5), name="hit")
    return system


def _result_folder(folder: Path) -> Path:
    _system_with_contact(_bodies()["blade"]).simulate(0.002, out=folder)
    return folder


def use(path: Path, kind: str) -> None:
    """Read a body or a result and compute with it; ArithmeticError when what comes out in silence is not finite."""
    import flexmbs as fm

    if kind == "folder":
        result = fm.load(path)
        for name in result.names[:: max(1, len(result.names) // 20)]:
            result[name]
        result.displacement("bar", 0.001)
        body = next(body.flexible for body in result.structure.bodies if body.flexible is not None)
        _run(_system_with_contact(body), start=fm.load_state(path))
        return
    body = fm.load_body(path) if kind == "h5" else fm.read_npz(path)
    repr(body)
    q = np.full(body.mode_count, 1e-3)
    if body.has_stress:
        body.stress(q).von_mises.max(initial=0.0)
    if body.flexibility is not None:
        str(body.advice())
    if body.markers:
        _run(_system(body))


def _run(system, **more) -> None:
    from flexmbs import SimulationError

    begin: list[float] = []  # once everything is compiled

    def too_long(progress) -> None:
        begin.append(time.process_time())
        if begin[-1] - begin[0] > SECONDS_OF_A_RUN:
            raise SimulationError("the run takes too long")  # stiff and slow, but neither stuck nor silent

    start = more.get("start")
    result = system.simulate(0.001 if start is None else start.t + 0.0005, progress=too_long, **more)
    histories = result.t, result.trajectory.q, result.trajectory.body_position
    if not all(np.all(np.isfinite(array)) for array in histories):
        raise ArithmeticError("a finished run holds values that are not finite")


def copy_of(source: Path, folder: Path) -> Path:
    target = folder / f"damaged{source.suffix}"
    shutil.rmtree(target, ignore_errors=True)
    return Path(shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target))


def read_one(source: Path, kind: str, number: int, folder: Path) -> dict:
    """Damage copy ``number``, read and use it: what came of it."""
    from flexmbs import FlexmbsError, SimulationError

    choose = random.Random(number)
    copy = copy_of(source, folder)
    target = copy / choose.choice(DAMAGED_FILES) if kind == "folder" else copy
    damage, start, note = damage_file(target, choose), time.process_time(), ""
    try:
        with np.errstate(all="ignore"):
            use(copy, kind)
        outcome = kind
    except FlexmbsError as error:
        outcome, note = "error", str(error)
        if isinstance(error, SimulationError) and hasattr(error, "result") or "takes too long" in note:
            outcome = "run stopped by name"
        elif copy.name not in note and "saved state" not in note and "'bar" not in note:
            outcome, note = "defect", f"{type(error).__name__} without the name of the file: {note}"
    except BaseException as error:  # whatever else escapes is what is looked for
        outcome, note = "defect", f"{type(error).__name__}: {error}"
    if time.process_time() - start > SECONDS_AT_MOST:
        outcome, note = "defect", f"{time.process_time() - start:.1f} s"
    return {"number": number, "file": source.name, "damage": damage, "outcome": outcome, "note": note[:300]}


def work(kind: str, first: int, count: int, folder: Path) -> None:
    """Copies ``first`` to ``first + count``; prints one JSON line before and after each."""
    import resource

    sources = make_sources(kind, folder)
    for source in sources:
        use(source, kind)  # loads or compiles what runs need, so that times below are those of the copies
    resource.setrlimit(resource.RLIMIT_AS, (BYTES_AT_MOST, BYTES_AT_MOST))
    for number in range(first, first + count):
        print(json.dumps({"starts": number}), flush=True)
        print(json.dumps(read_one(sources[number % len(sources)], kind, number, folder)), flush=True)


def run(kind: str, count: int, first: int = 0) -> tuple[dict[str, Counter], list[dict]]:
    """Damaged copies in worker processes: outcomes by kind of damage; defects, crashes and hangs among them."""
    outcomes: dict[str, Counter] = {}
    defects: list[dict] = []
    done = first
    while done < first + count:
        lines, ended = _one_worker(kind, done, first + count - done)
        results = [line for line in lines if "outcome" in line]
        done += len(results)
        if not lines:
            raise RuntimeError(f"undamaged files cannot be used: {ended}")
        if done < first + count:  # the worker died or hung in the next one
            results.append({"number": done, "damage": "?", "outcome": "defect", "note": ended})
            done += 1
        for line in results:
            outcomes.setdefault(line["damage"], Counter())[line["outcome"]] += 1
        defects += [line for line in results if line["outcome"] == "defect"]
        if len(defects) > 200:
            break
    return outcomes, defects


def _one_worker(kind: str, first: int, count: int) -> tuple[list[dict], str]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "worker", kind, str(first), str(count), folder]
        worker = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            out, err = worker.communicate(timeout=400.0 + 3.0 * count)
            ended = f"the process ended with code {worker.returncode}: {err[-600:]}"
        except subprocess.TimeoutExpired:
            worker.kill()
            out, err = worker.communicate()
            ended = "it hangs"
    return [json.loads(line) for line in out.splitlines() if line.startswith("{") and line.endswith("}")], ended


def main() -> None:
    if sys.argv[1] == "worker":
        work(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), Path(sys.argv[5]))
        return
    start = time.perf_counter()
    outcomes, defects = run(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 0)
    total: Counter[str] = Counter()
    for damage, found in sorted(outcomes.items()):
        print(f"{sys.argv[2]}: {damage:20} {dict(found)}")
        total.update(found)
    print(f"{sys.argv[2]}: {dict(total)} in {time.perf_counter() - start:.0f} s")
    for defect in defects[:40]:
        print("  ", defect)


if __name__ == "__main__":
    main()

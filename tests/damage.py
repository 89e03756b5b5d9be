"""Damage done to copies of a result folder, chosen by a number, and whether reading it tells."""

import random
import shutil
from pathlib import Path

import numpy as np

import flexmbs as fm
from flexmbs import FlexmbsError

KINDS = ("bit", "bytes", "cut", "emptied", "removed", "renamed", "exchanged", "from another run", "longer")


def damage(folder: Path, other: Path, number: int) -> str:
    """Damage one file of a result; what was done.

    ``other`` is the folder of another run of the same system: "from another run" puts its file there.
    """
    choice = random.Random(number)
    kind = KINDS[number % len(KINDS)]
    files = sorted(path for path in folder.iterdir() if path.suffix in (".h5", ".npz"))
    path = choice.choice(files)
    content = bytearray(path.read_bytes())
    if kind == "bit":
        content[choice.randrange(len(content))] ^= 1 << choice.randrange(8)
    elif kind == "bytes":
        begin = choice.randrange(len(content))
        count = min(choice.randrange(1, 64), len(content) - begin)
        content[begin : begin + count] = choice.randbytes(count)
    elif kind == "cut":
        del content[choice.randrange(len(content)) :]
    elif kind == "emptied":
        content.clear()
    elif kind == "longer":
        content += choice.randbytes(choice.randrange(1, 4096))
    elif kind == "removed":
        path.unlink()
        return f"{path.name} removed"
    elif kind == "renamed":
        _rename(path, choice)
        return f"{path.name} renamed"
    elif kind == "exchanged":
        second = choice.choice([file for file in files if file.suffix == path.suffix])
        swapped = second.read_bytes()
        second.write_bytes(bytes(content))
        content = bytearray(swapped)
    else:
        alike = sorted(other.glob(f"{path.name.split('.')[0].split('_')[0]}*{path.suffix}"))
        content = bytearray(choice.choice(alike).read_bytes())
    path.write_bytes(bytes(content))
    return f"{path.name}: {kind}"


def _rename(path: Path, choice: random.Random) -> None:
    """Another number for a chunk, another name for what is no chunk."""
    if path.name.startswith("chunk_"):
        number = choice.randrange(1, 20)
        path.rename(path.with_name(f"{path.stem[:-6]}{number:06d}.npz"))
    else:
        path.rename(path.with_name(f"old_{path.name}"))


def verdict(folder: Path, whole: fm.Result) -> str:
    """ "right" when what is read is that of the undamaged folder, "told" when a FlexmbsError names folder and remedy.

    AssertionError for anything else. The part that a missing last chunk behind the state leaves is right too.
    """
    try:
        found = fm.load(folder)
        arrays = found.trajectory.arrays()
    except FlexmbsError as error:
        text = str(error)
        assert str(folder) in text and ("; " in text or "--out" in text) and len(text.splitlines()) == 1, text
        return "told"
    rows = len(found.t)
    assert 0 < rows <= len(whole.t) and (rows == len(whole.t) or found.status.startswith("interrupted"))
    for name, array in whole.trajectory.arrays().items():
        assert np.array_equal(arrays[name], array[:rows]), name
    for name in whole.names[:: max(len(whole.names) // 10, 1)]:
        assert np.array_equal(found[name], whole[name][:rows], equal_nan=True), name
    if rows == len(whole.t):
        assert (found.status, repr(found.contacts), found.stats) == (whole.status, repr(whole.contacts), whole.stats)
    try:
        state = found.final_state
    except FlexmbsError:
        return "right, state told"
    for name, array in whole.final_state.arrays.items():
        assert np.array_equal(array, state.arrays[name], equal_nan=True), name
    return "right"


def damaged_copy(source: Path, target: Path, other: Path, number: int) -> str:
    """A copy of a result folder with one damage."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    return damage(target, other, number)

"""``read_apart``: the content of a file as VTK or meshio read it in a process of its own.

Before, what no limit of time and memory would see: references out of the folder of the file, and counts of binary files.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from flexmbs.common.atomic_files import path_problem
from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools import hdf5
from flexmbs.mesh.readers.exchange_formats.library_process import TOO_LONG

# Processor time that a library gets; all read more than a megabyte per second in every format.
_SECONDS, _SECONDS_PER_MB = 2.0, 10.0
_WAIT = 60.0  # on the wall, for a busy machine
# Memory for the libraries themselves, and for each byte of the file: compressed numbers, texts as Python objects.
_BYTES, _BYTES_PER_BYTE = 1 << 30, 100
_XDMF, _HDF5 = (".xdmf", ".xmf"), (".h5m", ".hmf", ".cgns")
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "VTK_SMP_MAX_THREADS"), "1")  # each takes memory


def read_apart(library: str, path: Path) -> dict:
    """What "VTK" or "meshio" finds (``library_process.content_of``); whatever happens within it becomes a MeshError."""
    size = sum(file.stat().st_size for file in _checked_files(path))
    seconds = _SECONDS + _SECONDS_PER_MB * size / 1e6
    try:
        code, answer, messages = _run(library, path.absolute(), seconds, _BYTES + _BYTES_PER_BYTE * size)
    except subprocess.TimeoutExpired:
        raise MeshError(f"{path}: {library} does not finish; check the file, or convert it to another format.") from None
    except (OSError, TypeError) as error:
        raise MeshError(
            f"{path}: {library} reads files in a process of its own, which Python (sys.executable = {sys.executable!r}) does not"
            f" start: {error}. Convert the file to another format, or read it where Python is a program of its own."
        ) from error
    if code == 0 and answer:
        return pickle.loads(answer)  # written by the program
    reason = " ".join(messages.decode("utf-8", "replace").split())[-200:]
    if code == TOO_LONG:
        reason = f"it did not finish within {seconds:.0f} s of processor time"
    elif code < 0 or not reason:  # by a signal
        reason = f"exit code {code}: it crashed, or needs more memory or time than a file of this size may take"
    raise MeshError(f"{path}: {library} cannot read the file ({reason}); check it, or convert it to another format.")


def _run(library: str, path: Path, seconds: float, size: int) -> tuple[int, bytes, bytes]:
    """Exit code of the program within limits of processor time and bytes of memory, its answer, and what it says."""
    program = Path(__file__).with_name("library_process.py")
    command = [sys.executable, "-P", "-W", "ignore", str(program), library, str(path), str(seconds), str(size)]
    # It imports from where this process does, and nothing from the folder of the file.
    imports = {"PYTHONPATH": os.pathsep.join(os.path.abspath(place) for place in sys.path if place)}
    done = subprocess.run(
        command,
        cwd=path.parent,  # from where meshio looks for the binary data that XDMF names
        env=os.environ | _ONE_THREAD | imports,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_WAIT + 20.0 * seconds,
    )
    return done.returncode, done.stdout, done.stderr


def _checked_files(path: Path) -> list[Path]:
    """The file and those that it names; MeshError when one is outside of its folder, or cannot hold what is declared."""
    suffix = path.suffix.lower()
    if suffix in _XDMF:
        return [path, *_xdmf_data(path)]
    if suffix in _HDF5:
        with hdf5.opened(path):
            return [path]
    if suffix == ".stl":
        _check_stl(path)
    return [path]


def _check_stl(path: Path) -> None:
    """Binary STL states how many triangles of 50 bytes follow its first 80 bytes."""
    size = path.stat().st_size
    with open(path, "rb") as file:
        head = file.read(1024)
    if b"\x00" in head and size >= 84:
        count = int.from_bytes(head[80:84], "little")
        if 84 + 50 * count > size:
            what = f"{count} triangles are declared, but {size} bytes cannot hold them; the file is damaged or cut off"
            raise MeshError(f"{path}: byte 80: {what}.")


def _xdmf_data(path: Path) -> Iterator[Path]:
    """The files in which XDMF keeps its numbers, which must be beside it."""
    try:
        root = ElementTree.fromstring(path.read_bytes())  # as meshio sees it, in any encoding
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        raise MeshError(f"{path}: the XML is damaged or cut off ({error}).") from error
    folder = Path(os.path.realpath(path)).parent
    for node in root.iter():
        kind, where = node.get("Format", "XML"), f"{path}: {node.tag}"
        if kind == "XML":
            continue
        if len(node):
            raise MeshError(f"{where}: it contains other elements; expected the name of a file alone.")
        text = (node.text or "").strip()
        name, inside = (text, "") if kind == "Binary" else text.partition(":")[::2]
        data = folder / name
        if os.path.isabs(name) or not Path(os.path.realpath(data)).is_relative_to(folder):
            raise MeshError(f"{where}: {name} is outside the folder of the file; copy it there, and give its name alone.")
        if path_problem(data):
            raise MeshError(f"{where}: {name} {path_problem(data)}; expected a file with the numbers.")
        if kind == "HDF":
            try:
                with hdf5.opened(data) as file:  # meshio would take any size that it declares
                    hdf5.array(hdf5.needed(file, inside.strip("/"), data, kind="dataset"), data)
            except MeshError as error:
                raise MeshError(f"{where}: {error}") from error
        yield data

"""The program that lets VTK or meshio read a file, in a process of its own: their parsers can loop without end or crash.

Run as a script: library ("VTK", "meshio"), path, seconds of processor time, bytes of memory. It writes a pickled dict to
its standard output, and what went wrong to its standard error. It imports nothing of flexmbs.
"""

from __future__ import annotations

import os
import pickle
import re
import sys
import threading
import time

TOO_LONG = 97  # exit code
_POLYHEDRON = 42
_END = "end_of_file_reached"
_AT_END = re.compile(f"(?:keyword|attribute type): {_END}")


def main() -> None:
    """Read the file of the command line."""
    library, path, seconds, size = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no part of the answer
    limit(seconds, size)
    try:
        content = content_of(library, path)
    except (Exception, SystemExit) as error:  # parsers meet broken files with whatever they run into
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    pickle.dump(content, answer, protocol=pickle.HIGHEST_PROTOCOL)
    answer.close()


def content_of(library: str, path: str) -> dict:
    """What the library finds in a file: the fields of ``read_vtk.VtkContent``, or of ``read_with_meshio.MeshioContent``."""
    return (_vtk_content if library == "VTK" else _meshio_content)(path)


def limit(seconds: float, size: int) -> None:
    """End this process when it has used so much processor time (on the wall, the machine may be busy), or memory."""
    threading.Thread(target=_stop_after, args=(seconds,), daemon=True).start()
    try:
        import resource
    except ImportError:  # Windows
        return
    # Compiled code may let no other thread run: there the system ends the process, where it can.
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + seconds) + 1,) * 2)
    resource.setrlimit(resource.RLIMIT_DATA, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _stop_after(seconds: float) -> None:
    start = time.process_time()
    while time.process_time() - start < seconds:
        time.sleep(0.05)
    os._exit(TOO_LONG)


def _meshio_content(path: str) -> dict:
    import meshio

    mesh = meshio.read(path)
    return {
        "points": mesh.points,
        "cells": [(block.type, block.data) for block in mesh.cells],
        "point_data": dict(mesh.point_data),
        "cell_data": dict(mesh.cell_data),
        "point_sets": dict(mesh.point_sets),
        "cell_sets": dict(mesh.cell_sets),
    }


def _vtk_content(path: str) -> dict:
    """Raises ValueError with what VTK says: of a file that is damaged somewhere it hands on what came before."""
    import numpy as np
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonCore import vtkLogger, vtkOutputWindow, vtkStringOutputWindow

    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_OFF)
    window = vtkStringOutputWindow()
    vtkOutputWindow.SetInstance(window)
    with open(path, "rb") as file:
        data = file.read().removeprefix(b"\xef\xbb\xbf")
    if b"\n" not in data[:256] and b"\r" in data[:256]:
        data = data.replace(b"\r", b"\n")  # line ends of old Macintoshs
    reader = _vtk_reader(data)
    reader.ReadFromInputStringOn()
    reader.Update()
    # "ERROR: In file, line 1\nclass (address): what is wrong"
    messages = re.findall(r"(ERROR|Warning): In [^\n]*\n(?:\w+ \(\w+\): )?(.*?)\n\n", window.GetOutput(), re.DOTALL)
    errors = [text for kind, text in messages if kind == "ERROR" and not _AT_END.search(text)]
    if errors or not (reader.IsA("vtkXMLReader") or _AT_END.search(window.GetOutput())):
        raise ValueError(errors[0] if errors else "it is cut off within its last array")
    grid = reader.GetOutput()
    if grid.IsA("vtkPolyData"):
        arrays = [grid.GetVerts(), grid.GetLines(), grid.GetPolys(), grid.GetStrips()]
    else:
        arrays = [grid.GetCells()] if grid.GetNumberOfCells() else []
    points = grid.GetPoints()
    empty = np.empty(0, np.int64)
    content = {
        "points": vtk_to_numpy(points.GetData()) if points else np.empty((0, 3)),
        "connectivity": np.concatenate([empty, *(vtk_to_numpy(cells.GetConnectivityArray()) for cells in arrays)]),
        "sizes": np.concatenate([empty, *(np.diff(vtk_to_numpy(cells.GetOffsetsArray())) for cells in arrays)]),
        "types": np.array([grid.GetCellType(i) for i in range(grid.GetNumberOfCells())], np.int64),
        "warnings": [text for kind, text in dict.fromkeys(messages) if kind == "Warning" and "locate key" not in text],
    }
    for kind, attributes, count in (
        ("point", grid.GetPointData(), grid.GetNumberOfPoints()),
        ("cell", grid.GetCellData(), grid.GetNumberOfCells()),
    ):
        content[f"{kind}_data"] = values = _arrays(attributes, count)
        numbers = attributes.GetGlobalIds()
        content[f"{kind}_numbers"] = None if numbers is None else values.pop(_text(numbers.GetName()), None)
    if not reader.IsA("vtkXMLReader") and _POLYHEDRON not in content["types"]:  # which lists faces
        _check_declared(data, len(content["sizes"]), len(content["connectivity"]))
    return content


def _vtk_reader(data: bytes):
    """VTK's reader of an unstructured grid or polygonal data, with the content of the file."""
    from vtkmodules.vtkIOLegacy import vtkPolyDataReader, vtkUnstructuredGridReader
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader, vtkXMLUnstructuredGridReader

    xml = re.search(rb"<VTKFile\b[^>]*?\btype\s*=\s*[\"'](\w+)", data[:65536])
    if xml:
        readers = {b"UnstructuredGrid": vtkXMLUnstructuredGridReader, b"PolyData": vtkXMLPolyDataReader}
        if xml[1] not in readers:
            raise ValueError(f"the type {xml[1].decode()} is not supported; save it as an unstructured grid in one file")
        _check_pieces(data)
        reader = readers[xml[1]]()
        # Coordinates in text may have more digits than the type that is declared.
        text_points = rb"(<Points>\s*<DataArray\b(?![^>]*(?:binary|appended))[^>]*)Float32"
        reader.SetInputString(re.sub(text_points, rb"\1Float64", data))
        return reader
    is_text = re.search(rb"^[ \t]*ASCII\s*$", data[:1024], re.MULTILINE | re.IGNORECASE) is not None
    if is_text:
        data = re.sub(rb"^([ \t]*POINTS\s+\d+\s+)float\b", rb"\1double", data, count=1, flags=re.MULTILINE | re.IGNORECASE)
    for reader, kind in ((vtkUnstructuredGridReader(), "unstructured_grid"), (vtkPolyDataReader(), "polydata")):
        reader.ReadFromInputStringOn()
        # VTK does not say that binary data are cut off, but of a keyword that it does not know.
        content = data + (b"\n\n" if is_text else b"") + _END.encode() + b"\n"
        reader.SetBinaryInputString(content, len(content))
        for what in ("Scalars", "Vectors", "Normals", "Tensors", "ColorScalars", "TCoords", "Fields"):
            getattr(reader, f"ReadAll{what}On")()
        if reader.IsFileValid(kind):
            return reader
    raise ValueError(
        f"it starts with {data[:12]!r} and holds no unstructured grid or polygonal data; save it as a grid of that kind"
    )


def _check_pieces(data: bytes) -> None:
    """ValueError when an array is not in every piece: VTK would leave its values undefined there."""
    pieces = data.partition(b"<AppendedData")[0].split(b"<Piece")[1:]
    names = [re.findall(rb"\bName=\"[^\"]*\"", piece) for piece in pieces if b'NumberOfPoints="0"' not in piece]
    if any(sorted(own) != sorted(names[0]) for own in names):
        raise ValueError("its pieces hold different arrays; save it as one piece")


def _check_declared(data: bytes, cells: int, size: int) -> None:
    """ValueError when a legacy file declares another size of its cells than it has: VTK would read on behind them."""
    sections = re.findall(
        rb"^[ \t]*(?:CELLS|VERTICES|LINES|POLYGONS|TRIANGLE_STRIPS)\s+(\d+)\s+(\d+)", data, re.MULTILINE | re.IGNORECASE
    )
    declared = sum(int(count) for count, _ in sections), sum(int(length) for _, length in sections)
    # Up to version 4, the sizes of the cells stand before their nodes; then, there is one offset more than cells.
    if declared not in ((cells, cells + size), (cells + len(sections), size)):
        raise ValueError(f"it declares {declared[0]} cells with {declared[1]} numbers, but has {cells} with {size} nodes")


def _arrays(attributes, count: int) -> dict:
    """Name -> one integer for each point or cell, or None for an array that holds something else."""
    from vtkmodules.util.numpy_support import vtk_to_numpy

    arrays = {}
    for index in range(attributes.GetNumberOfArrays()):
        array = attributes.GetArray(index)  # None: of texts
        values = None if array is None or array.GetNumberOfComponents() > 1 else vtk_to_numpy(array)
        is_integer = values is not None and values.dtype.kind in "iu" and len(values) == count
        arrays[_text(attributes.GetArrayName(index))] = values if is_integer else None
    return arrays


def _text(name: str | bytes | None) -> str:
    """A name as VTK hands it on: as bytes where it is no UTF-8."""
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else name or ""


if __name__ == "__main__":
    main()

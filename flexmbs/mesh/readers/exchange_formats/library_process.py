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

import numpy as np

TOO_LONG = 97  # exit code
_POLYHEDRON = 42
_END = "end_of_file_reached"
_IN_TEXT = rb"(?![^>]*\"(?:binary|appended)\")"  # a DataArray
_AT_END = re.compile(f"(?:keyword|attribute type): {_END}")
# VTK's numbers of the types of cells that meshio names; of others the number is 0.
_TYPES = dict(
    entry.split(":")
    for entry in """
    vertex:1 line:3 triangle:5 polygon:7 quad:9 tetra:10 hexahedron:12 wedge:13 pyramid:14 penta_prism:15 hexa_prism:16
    line3:21 triangle6:22 quad8:23 tetra10:24 hexahedron20:25 wedge15:26 pyramid13:27 quad9:28 hexahedron27:29
    quad6:30 wedge12:31 wedge18:32 hexahedron24:33 triangle7:34 line4:35 polyhedron:42
    """.split()
)


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
    """What the library finds in a file: fields of ``read_by_library.Content``."""
    return (_vtk_content if library == "VTK" else _meshio_content)(path)


def limit(seconds: float, size: int) -> None:
    """End this process when it has used so much processor time (on the wall, the machine may be busy), or memory."""
    threading.Thread(target=_stop_after, args=(seconds,), daemon=True).start()
    try:
        import resource
    except ImportError:  # Windows
        return
    # Compiled code may let no other thread run: there the system ends the process, where it can.
    cpu = int(time.process_time() + seconds) + 1
    for what, wanted in ((resource.RLIMIT_CPU, cpu), (resource.RLIMIT_DATA, size), (resource.RLIMIT_CORE, 0)):
        highest = resource.getrlimit(what)[1]  # none but an administrator raises it
        wanted = wanted if highest == resource.RLIM_INFINITY else min(wanted, highest)
        resource.setrlimit(what, (wanted, wanted))


def _stop_after(seconds: float) -> None:
    start = time.process_time()
    while time.process_time() - start < seconds:
        time.sleep(0.05)
    os._exit(TOO_LONG)


def _meshio_content(path: str) -> dict:
    import meshio

    mesh = meshio.read(path)
    nodes, sizes, types = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for block in mesh.cells:
        if isinstance(block.data, list):  # polygons and polyhedra of several sizes
            rows = [np.ravel(row) for row in block.data]
            nodes.append(np.concatenate(rows))
            sizes.append(np.array([len(row) for row in rows]))
        else:
            nodes.append(np.ravel(block.data))
            sizes.append(np.full(*np.shape(block.data)))
        types.append(np.full(len(block.data), int(_TYPES.get(block.type, 0))))
        if nodes[-1].dtype.kind not in "iu":
            raise ValueError(f"cells of type {block.type} are not rows of node numbers")
    counts = [len(own) for own in sizes[1:]]
    cell_sets, starts = {}, np.cumsum([0, *counts])
    for name, parts in mesh.cell_sets.items():
        members = [_indices(part, count) + start for part, count, start in zip(parts, counts, starts, strict=False)]
        cell_sets[str(name)] = np.concatenate([np.empty(0, np.int64), *members])
    return {
        "points": np.asarray(mesh.points),
        "connectivity": np.concatenate(nodes),
        "sizes": np.concatenate(sizes),
        "types": np.concatenate(types),
        "blocks": np.repeat(np.arange(len(counts)), counts),
        "point_data": {str(name): _whole([values], len(mesh.points)) for name, values in mesh.point_data.items()},
        "cell_data": {str(name): _whole(parts, sum(counts)) for name, parts in mesh.cell_data.items()},
        "point_sets": {str(name): _indices(members, len(mesh.points)) for name, members in mesh.point_sets.items()},
        "cell_sets": cell_sets,
    }


def _whole(parts, count: int):
    """One integer per cell or node, or None; meshio hands on whole numbers as floats at times."""
    parts = [np.asarray(part) for part in parts]
    if not parts or any(part.ndim == 0 or part.dtype.kind not in "iuf" or part.size != len(part) for part in parts):
        return None
    values = np.concatenate([part.ravel() for part in parts]).astype(float)
    whole = np.isfinite(values) & (values == np.floor(values)) & (np.abs(values) < 2.0**53)
    return values.astype(np.int64) if whole.all() and len(values) == count else None


def _indices(members, count: int):
    """Those of the indices that exist."""
    rows = np.ravel([] if members is None else members)
    rows = rows.astype(np.int64) if rows.dtype.kind in "iu" else np.empty(0, np.int64)
    return rows[(rows >= 0) & (rows < count)]


def _vtk_content(path: str) -> dict:
    """Raises ValueError with what VTK says: of a file that is damaged somewhere it hands on what came before."""
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
        raise ValueError(errors[0].split("\n")[0] if errors else "it is cut off within its last array")
    grid = reader.GetOutput()
    if grid.IsA("vtkPolyData"):
        arrays = [grid.GetVerts(), grid.GetLines(), grid.GetPolys(), grid.GetStrips()]
    else:
        arrays = [grid.GetCells()] if grid.GetNumberOfCells() else []
    points, cell_count = grid.GetPoints(), grid.GetNumberOfCells()
    empty = np.empty(0, np.int64)
    content = {
        "points": vtk_to_numpy(points.GetData()) if points else np.empty((0, 3)),
        "connectivity": np.concatenate([empty, *(vtk_to_numpy(cells.GetConnectivityArray()) for cells in arrays)]),
        "sizes": np.concatenate([empty, *(np.diff(vtk_to_numpy(cells.GetOffsetsArray())) for cells in arrays)]),
        "types": np.array([grid.GetCellType(i) for i in range(cell_count)], np.int64),
        "blocks": np.zeros(cell_count, np.int64),
        "warnings": [text for kind, text in dict.fromkeys(messages) if kind == "Warning" and "locate key" not in text],
    }
    for kind, attributes, count in (
        ("point", grid.GetPointData(), grid.GetNumberOfPoints()),
        ("cell", grid.GetCellData(), cell_count),
    ):
        content[f"{kind}_data"] = values = _arrays(attributes, count)
        numbers = attributes.GetGlobalIds()
        content[f"{kind}_numbers"] = None if numbers is None else values.pop(_text(numbers.GetName()), None)
    if reader.IsA("vtkXMLReader"):
        _check_text(data, rb"<Points>\s*<DataArray\b", content["points"].size)
        sections = b" ".join(re.findall(rb"<(?:Cells|Verts|Lines|Strips|Polys)>.*?</[CVLSP]", data, re.DOTALL))
        for name, count in ((b"connectivity", len(content["connectivity"])), (b"offsets", cell_count), (b"types", cell_count)):
            _check_text(sections, rb"<DataArray\b(?=[^>]*\bName=\"" + name + rb"\")", count)
    elif _POLYHEDRON not in content["types"]:  # which lists faces
        _check_declared(data, cell_count, len(content["connectivity"]))
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
        text_points = rb"(<Points>\s*<DataArray\b" + _IN_TEXT + rb"[^>]*)Float32"
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
    """ValueError when an array is not in every piece, where VTK would leave its values undefined, or a count is no number."""
    head = data.partition(b"<AppendedData")[0]
    for count in re.findall(rb"\b(?:NumberOf\w+|offset)=\"([^\"]*)", head):
        if not count.isdigit():
            raise ValueError(f"{count!r} stands where a whole number is needed")
    pieces = head.split(b"<Piece")[1:]
    names = [re.findall(rb"\bName=\"[^\"]*\"", piece) for piece in pieces if b'NumberOfPoints="0"' not in piece]
    if any(sorted(own) != sorted(names[0]) for own in names):
        raise ValueError("its pieces hold different arrays; save it as one piece")


def _check_text(data: bytes, tag: bytes, count: int) -> None:
    """ValueError when arrays in the text of an XML file do not hold ``count`` numbers: VTK takes what fits."""
    texts = re.findall(tag + _IN_TEXT + rb"[^>]*>([^<]*)", data)
    numbers = np.array(b" ".join(texts).split(), float)  # ValueError for what is none
    if texts and len(numbers) != count:
        raise ValueError(f"{len(numbers)} numbers of points and cells stand where {count} are declared")


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

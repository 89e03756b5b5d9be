"""Read every file of a folder of mesh files from other tools and write what came of each to mesh_corpus.md.

    FLEXMBS_CORPUS=folder python docs/make_corpus_table.py

The folder holds one folder per format. The table says for each file: read whole; read with named omissions; or refused,
and why. ``outcome`` is used by the test of the same files (tests/verification/test_mesh_corpus.py).
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from flexmbs import Mesh, MeshError, read_mesh

NO_MESH = {".csv", ".md", ".txt"}
WHOLE, OMISSIONS, REFUSED = "whole", "omissions", "refused"


@dataclass(frozen=True)
class Outcome:
    """What came of one file: a verdict, the mesh if there is one, and what was left out or why it was refused."""

    file: str
    verdict: str
    mesh: Mesh | None
    words: str
    seconds: float


def corpus_files(folder: Path) -> list[Path]:
    """The mesh files of the corpus; files that others include are read with them and on their own."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix.lower() not in NO_MESH)


def outcome(path: Path, folder: Path) -> Outcome:
    """Read one file; anything but a Mesh or a MeshError escapes."""
    name, start = path.relative_to(folder).as_posix(), time.perf_counter()
    try:
        mesh = read_mesh(path)
    except MeshError as error:
        words = str(error).replace(str(path.parent) + os.sep, "").replace(str(folder) + os.sep, "")
        return Outcome(name, REFUSED, None, words, time.perf_counter() - start)
    seconds = time.perf_counter() - start
    left_out = Counter()
    for skipped in mesh.skipped:
        if not skipped.analysis:
            left_out[skipped.card] += skipped.count
    words = ", ".join(f"{card} ({count})" if count > 1 else card for card, count in left_out.items())
    return Outcome(name, OMISSIONS if left_out else WHOLE, mesh, words, seconds)


def main() -> None:
    folder = os.environ.get("FLEXMBS_CORPUS")
    if not folder:
        sys.exit("set FLEXMBS_CORPUS to the folder of the mesh files")
    root = Path(folder)
    outcomes = [outcome(path, root) for path in corpus_files(root)]
    counts = Counter(result.verdict for result in outcomes)
    rows = [_row(result) for result in outcomes]
    page = Path(__file__).with_name("mesh_corpus.md")
    page.write_text(
        HEADER.format(files=len(outcomes), **{name: counts[name] for name in (WHOLE, OMISSIONS, REFUSED)}) + "\n".join(rows) + "\n"
    )
    print(f"{page}: {dict(counts)}; slowest {max(outcomes, key=lambda r: r.seconds).file}")


HEADER = """# Mesh files of other tools

How `flexmbs.read_mesh` reads {files} files from public collections: {whole} are read whole, {omissions} with
omissions listed here (and with their lines in `Mesh.skipped`), {refused} are rejected. "Whole" means that every card
that describes the structure is in the mesh; loads, steps and output requests are not part of it. The files keep their
own licences and are not in this repository. This page is written by
`FLEXMBS_CORPUS=folder python docs/make_corpus_table.py`.

| file | outcome | nodes | elements | sets | materials | left out, or why rejected |
|---|---|---|---|---|---|---|
"""


def _row(result: Outcome) -> str:
    cells = [f"`{result.file}`", {WHOLE: "whole", OMISSIONS: "with omissions", REFUSED: "**refused**"}[result.verdict]]
    mesh = result.mesh
    if mesh is None:
        cells += ["", "", "", ""]
    else:
        elements = Counter()
        for block in mesh.blocks:
            elements[block.kind] += len(block.ids)
        for others in mesh.other_elements:
            elements[f"{others.type_name} ({others.role})"] += len(others.ids)
        sets = len(mesh.node_sets) + len(mesh.element_sets) + len(mesh.surfaces)
        listed = ", ".join(f"{count} {kind}" for kind, count in elements.items())
        cells += [str(len(mesh.points)), listed, str(sets), str(len(mesh.materials))]
    words = result.words if len(result.words) <= 300 else result.words[:297] + "..."
    cells.append(words.replace("|", "\\|").replace("\n", " "))
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()

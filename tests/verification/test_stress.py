"""Stress and strain of solids against CalculiX 2.20, at integration points and at nodes, on the same meshes and loads.

data/calculix_stress.json has some elements and nodes of what ccx prints (*EL PRINT S and E, *EL FILE S) for 100 N
along z at the tip (connecting rod: small end) spread equally over its nodes, and for the bars of data/solid_bars.
Numbers have 7 digits at integration points and 6 at nodes, so deviations are relative to the largest component in the
body. The order of the points within an element is each program's own.
"""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from flexmbs import ClampedFree, assemble, read_mesh, reduce
from flexmbs.fem.solvers.factor import symmetric_factor

DATA = Path(__file__).parent / "data"
EXPECTED = json.loads((DATA / "calculix_stress.json").read_text())
BARS = ("C3D8I", "C3D20R", "C3D20", "C3D6", "C3D15")
STEEL = "*MATERIAL, NAME=S\n*ELASTIC\n210.0E9, 0.3\n*DENSITY\n7850.0\n*SOLID SECTION, ELSET=EALL, MATERIAL=S\n"


def deflected(mesh, root, loads, **options):
    """Model and displacement, held at the set ``root`` under ``loads`` (nn, 3)."""
    model = assemble(mesh, **options)
    held = np.zeros((len(mesh.points), 3), bool)
    held[mesh.node_sets[root]] = True
    free, u = np.flatnonzero(~held.ravel()), np.zeros(model.ndof)
    u[free] = symmetric_factor(model.K[free][:, free].tocsc(), "the body is loose").solve(loads.ravel()[free])
    return model, u


def spread(mesh, name, force):
    loads = np.zeros((len(mesh.points), 3))
    loads[mesh.node_sets[name]] = np.asarray(force) / len(mesh.node_sets[name])
    return loads


@pytest.fixture(scope="module")
def rod(meshes):
    mesh = read_mesh(meshes / "conrod.inp")
    return deflected(mesh, "NBIG", spread(mesh, "NSMALL", [0.0, 0.0, 100.0]))


@pytest.fixture(scope="module")
def cantilever(tmp_path_factory):
    path = tmp_path_factory.mktemp("cantilever") / "mesh.inp"
    path.write_text(gzip.decompress((DATA / "reference_solids" / "cantilever_mesh.inp.gz").read_bytes()).decode() + STEEL)
    mesh = read_mesh(path)
    return deflected(mesh, "NFIX", spread(mesh, "NTIP", [0.0, 0.0, 100.0]))


def bar(name):
    deck = (DATA / "solid_bars" / f"bar_{'c3d20r' if name == 'C3D20' else name.lower()}.inp").resolve()
    mesh = read_mesh(deck)
    options = {"hex20": "full"} if name == "C3D20" else {}  # the deck says C3D20R
    return deflected(mesh, "ROOT", spread(mesh, "TIP", [10.0, 7.0, 1000.0]), **options)


def compare_points(case, model, u, figures, own_axes=False):
    """Every printed point against the nearest of those computed in its element; each is the nearest of one only."""
    field = model.stress(u, at="integration points")
    for name in ("stress", "strain"):
        values = getattr(field, f"{name}_in_own_axes" if own_axes else name)
        found, expected = [], []
        for element, rows in EXPECTED[case][name].items():
            mine = values[field.points.element_ids == int(element)]
            nearest = abs(mine[:, None] - np.array(rows)[None]).max(axis=2).argmin(axis=0)
            assert sorted(nearest) == list(range(len(mine)))
            found.append(mine[nearest])
            expected.append(rows)
        found, expected = np.concatenate(found), np.concatenate(expected)
        largest = EXPECTED[case][f"largest {name}"]
        figures(f"{case}: {name} at integration points", "CalculiX 2.20", found, expected, 1e-6, largest)


def compare_nodes(case, model, u, figures):
    field, known = model.stress(u), EXPECTED[case]["nodes"]
    row = {int(node): index for index, node in enumerate(field.points.node_ids)}
    found = field.stress[[row[int(node)] for node in known]]
    largest = EXPECTED[case]["largest at nodes"]
    figures(f"{case}: stress at nodes", "CalculiX 2.20", found, np.array(list(known.values())), 3e-5, largest)


@pytest.mark.slow
def test_connecting_rod(rod, figures):
    compare_points("conrod", *rod, figures)
    compare_nodes("conrod", *rod, figures)


def test_cantilever(cantilever, figures):
    compare_points("cantilever", *cantilever, figures)
    compare_nodes("cantilever", *cantilever, figures)


@pytest.mark.parametrize("name", BARS)
def test_bars_of_every_element(name, figures):
    """CalculiX prints the stress of C3D15, which has fibres here, in the axes of the material."""
    model, u = bar(name)
    compare_points(name, model, u, figures, own_axes=name == "C3D15")
    if "nodes" in EXPECTED[name]:  # other kinds it extrapolates by rules of its own
        compare_nodes(name, model, u, figures)


def test_stress_of_a_reduced_body_under_its_static_load(cantilever, figures):
    """A tip load bends the cantilever mostly as its first modes do: their stress at half length is that of the load."""
    model, u = cantilever
    loads = spread(model.mesh, "NTIP", [0.0, 0.0, 100.0])
    body = reduce(
        model.mesh, interfaces={"root": "NFIX", "tip": "NTIP"}, modes=ClampedFree(at="root", count=10), second_order="none"
    )
    force = np.tensordot(body.modes, loads, axes=2)
    found, expected = body.stress(np.linalg.solve(body.Ke, force)), model.stress(u)
    length = np.ptp(model.mesh.points[:, 0])
    x = found.points.positions[:, 0] - model.mesh.points[:, 0].min()
    there = abs(x / length - 0.5) < 0.05
    nodes = expected.points.positions[:, 0] - model.mesh.points[:, 0].min()
    same = abs(nodes / length - 0.5) < 0.05
    what = "cantilever reduced to 10 modes: largest von Mises stress at half length"
    figures(what, "the unreduced model", found.von_mises[there].max(), expected.von_mises[same].max(), 0.05)

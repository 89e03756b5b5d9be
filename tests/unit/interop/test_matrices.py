"""Matrices that CalculiX and Abaqus have written."""

import os
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest

from flexmbs import BodyError, assemble, read_abaqus_matrix, read_calculix_matrices, read_mesh

CUBE = """*NODE, NSET=NALL
1, 0., 0., 0.
2, 2., 0., 0.
3, 2., 1., 0.
4, 0., 1., 0.
5, 0., 0., 1.
6, 2., 0., 1.
7, 2., 1., 1.
8, 0., 1., 1.
9, 1., 0., 0.
10, 2., .5, 0.
11, 1., 1., 0.
12, 0., .5, 0.
13, 1., 0., 1.
14, 2., .5, 1.
15, 1., 1., 1.
16, 0., .5, 1.
17, 0., 0., .5
18, 2., 0., .5
19, 2., 1., .5
20, 0., 1., .5
*ELEMENT, TYPE=C3D20, ELSET=EALL
1, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,
16,17,18,19,20
*MATERIAL, NAME=STEEL
*ELASTIC
210.0E9, 0.3
*DENSITY
7850.0
*SOLID SECTION, ELSET=EALL, MATERIAL=STEEL
*NSET, NSET=NFIX
1, 4, 5, 8
*BOUNDARY
NFIX,1,3,0.
*STEP
*FREQUENCY, SOLVER=MATRIXSTORAGE
4,
*END STEP
"""


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ccx")
    (folder / "job.inp").write_text(CUBE)
    return folder / "job"


@pytest.fixture
def fem(job):
    return assemble(read_mesh(f"{job}.inp", units="m-kg-s"))


@pytest.mark.skipif(shutil.which("ccx") is None, reason="CalculiX is not installed")
@pytest.mark.parametrize("units", ["mm-t-s", "0.001,1,0.001"])
def test_matrices_in_other_units_become_si(tmp_path, units):
    (tmp_path / "job.inp").write_text(CUBE.replace("210.0E9", "210.0E3").replace("7850.0", "7.85e-9"))
    subprocess.run(["ccx", "job"], cwd=tmp_path, capture_output=True, timeout=60)
    mesh = read_mesh(tmp_path / "job.inp", units=units)
    fem, got = assemble(mesh), read_calculix_matrices(tmp_path / "job", mesh)
    for mine, theirs in ((fem.K, got.K), (fem.M, got.M)):
        mine = mine[got.dofs][:, got.dofs]
        assert abs(mine - theirs).max() < 1e-12 * abs(mine).max()


@pytest.mark.skipif(shutil.which("ccx") is None, reason="CalculiX is not installed")
def test_calculix_stores_the_matrices_that_we_assemble(job, fem):
    """14 digits are written; the held nodes are left out."""
    subprocess.run(["ccx", "job"], cwd=job.parent, capture_output=True, timeout=60)  # stops after storing: status 201
    got = read_calculix_matrices(job, fem.mesh)
    assert len(got.dofs) == fem.ndof - 12
    for mine, theirs in ((fem.K, got.K), (fem.M, got.M)):
        mine = mine[got.dofs][:, got.dofs]
        assert abs(mine - theirs).max() < 1e-12 * abs(mine).max()
    K, M = got.full(len(fem.mesh.points))
    assert K.shape == M.shape == fem.K.shape and K[0].nnz == 0


def stored(folder, dof="2.1\n2.2\n", sti="1 1 4.0D0\n1 2 -1.\n2 2 3.\n", mas="1 1 1.\n2 2 1.\n"):
    for ending, text in (("dof", dof), ("sti", sti), ("mas", mas)):
        (folder / f"a.{ending}").write_text(text)
    return folder / "a"


@pytest.mark.parametrize("exponent", ["D0", "d0", "e0", ""])
def test_upper_triangle(tmp_path, fem, exponent):
    got = read_calculix_matrices(stored(tmp_path, sti=f"1 1 4.0{exponent}\n1 2 -1.\n2 2 3.\n"), fem.mesh)
    np.testing.assert_array_equal(got.dofs, [3, 4])
    np.testing.assert_array_equal(got.K.toarray(), [[4.0, -1.0], [-1.0, 3.0]])


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ({"dof": "2.1\n99.2\n"}, "a.dof: node 99"),
        ({"dof": "2.1\n2.4\n"}, "a.dof: node 2 has degree of freedom 4"),
        ({"dof": "2.1\n2.1\n"}, "twice"),
        ({"dof": "2.1\nx\n"}, "a.dof:2: 'x'"),
        ({"dof": ""}, "a.dof: is empty"),
        ({"sti": "1 1 4.\n1 3 1.\n"}, "a.sti: there is no row 3"),
        ({"sti": "1 1 4.\n1 2\n"}, "a.sti:2: 2 numbers"),
        ({"sti": "1 1 4.\n1 2 x\n"}, "a.sti:2: 'x' is not a number"),
        ({"mas": "1 1 1.\n1 2 nan\n"}, "a.mas:2: .*finite"),
        ({"sti": "1 1 4.\n1 2 1e70\n"}, "a.sti:2: 1e\\+70 exceeds 1e\\+60"),
    ],
)
def test_bad_files_are_named_by_line(tmp_path, fem, files, what):
    with pytest.raises(BodyError, match=what):
        read_calculix_matrices(stored(tmp_path, **files), fem.mesh)


def test_a_missing_file_is_named(tmp_path, fem):
    with pytest.raises(BodyError, match="none.dof: cannot be read"):
        read_calculix_matrices(tmp_path / "none", fem.mesh)
    os.mkfifo(tmp_path / "pipe.dof")
    with pytest.raises(BodyError, match=r"pipe.dof: cannot be read \(it is a named pipe"):
        read_calculix_matrices(tmp_path / "pipe", fem.mesh)


@pytest.mark.parametrize("both", [False, True])
def test_abaqus_matrix_input(tmp_path, fem, both):
    lines = ["** ASSEMBLE", "*MATRIX INPUT, NAME=K, TYPE=SYMMETRIC", "1,1, 1,1, 4.0", "2,3, 1,1, -1.0", "2,3, 2,3, 3.0"]
    (tmp_path / "k.mtx").write_text("\n".join(lines + (["1,1, 2,3, -1.0"] if both else [])))
    K = read_abaqus_matrix(tmp_path / "k.mtx", fem.mesh)
    assert K.shape == fem.K.shape and K[0, 0] == 4.0 and K[0, 5] == K[5, 0] == -1.0 and K[5, 5] == 3.0


def test_abaqus_matrix_in_millimetres_and_tonnes(tmp_path, fem):
    mesh = replace(fem.mesh, units="mm-t-s")
    for name, quantity, factor in (("job_STIF2.mtx", None, 1e3), ("job_MASS2.mtx", None, 1e3), ("k.mtx", "stiffness", 1e3)):
        (tmp_path / name).write_text("1,1,1,1,4.0\n")
        assert read_abaqus_matrix(tmp_path / name, mesh, quantity)[0, 0] == pytest.approx(4.0 * factor, rel=1e-15)
    assert read_abaqus_matrix(tmp_path / "k.mtx", replace(mesh, units="mm-kg-ms"), "mass")[0, 0] == 4.0
    with pytest.raises(BodyError, match="read in mm-t-s; state the quantity for the conversion"):
        read_abaqus_matrix(tmp_path / "k.mtx", mesh)
    with pytest.raises(BodyError, match="quantity must be 'stiffness' or 'mass', not 'K'"):
        read_abaqus_matrix(tmp_path / "k.mtx", mesh, "K")


def test_abaqus_matrix_that_is_bad(tmp_path, fem):
    for text, what in (
        ("1,1,1,1\n", "k.mtx:1: 4 numbers"),
        ("1,1,99,1,2.\n", "node 99"),
        ("1,4,1,4,2.\n", "degree of freedom 4"),
        ("1,1,2,1,5.\n2,1,1,1,4.\n", "not symmetric"),
    ):
        (tmp_path / "k.mtx").write_text(text)
        with pytest.raises(BodyError, match=what):
            read_abaqus_matrix(tmp_path / "k.mtx", fem.mesh)

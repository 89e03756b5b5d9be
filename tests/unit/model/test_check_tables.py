"""Tables are checked before compiled code gets them: an entry out of range is named, whichever it is."""

import time

import numpy as np
import pytest

import flexmbs as fm
from flexmbs import ClampedFree, Material, MechanismError, line_mesh, rectangle, reduce
from flexmbs.analysis.evaluation.driver_elimination import with_tables
from flexmbs.core.layout import tables as t
from flexmbs.model.check_tables import check_tables
from flexmbs.model.compile_mechanism import compile_system

STEEL = Material("STEEL", 210e9, 0.3, 7850.0)
CIRCLE = [(np.cos(a), np.sin(a), 0.0) for a in np.linspace(0.0, 2 * np.pi, 9)[:-1]]


# surfaces, sums of functions, elements between markers, closed loops are not in the mechanism below
UNUSED = {
    ("axes", "second"),
    ("signals", "at"),
    ("signals", "first"),
    ("signals", "second"),
    ("elements", "b"),
    ("constraints", "start"),
    ("constraints", "end"),
    ("contacts", "bristle"),
    ("elements", "bristle"),
}


@pytest.fixture(scope="module")
def model():
    """A mechanism that has something in most tables."""
    mesh = line_mesh(1.0, 4, rectangle(0.004, 0.02), STEEL)
    choice = ClampedFree("1", count=3)
    bar = reduce(mesh, interfaces={"1": "ROOT", "2": "TIP"}, modes=choice, damping=0.01, cache=False)
    s = fm.System()
    beam, ball = s.add(bar, name="bar"), s.add(fm.RigidBody.sphere(7850.0, 0.1), name="ball")
    bead, loose = (s.add(fm.RigidBody.sphere(7850.0, 0.05), name=name) for name in ("bead", "loose"))
    hinge = s.revolute(s.ground["origin"], beam["1"], axis="z", name="hinge")
    s.spherical(beam["2"], ball["origin"], name="tip")
    wire = fm.Curve.through(CIRCLE, closed=True)
    slide = s.follow_curve(s.ground.marker("wire", position=(0, 0, 3)), bead["origin"], wire, name="slide")
    s.rod(ball["origin"], loose["origin"], 1.0, name="rod")
    hinge.spring(10.0, 0.1)
    slide.motor(([0.0, 1.0], [1.0, 0.0]))
    s.bushing(beam["2"], loose["origin"], np.eye(6))
    s.force(beam["2"], (0.0, lambda time: np.sin(time), 0.0))
    plane = s.ground.marker("floor", position=(0, -3, 0))
    s.contact(fm.Sphere(ball["origin"], 0.1), fm.Plane(plane, (0, 1, 0)), law=fm.PowerLaw(1e7, 1.5), name="hit")
    return compile_system(s)


def indexing(tables):
    """(table, field) of every integer column with something in it, but flags, counts of free choice and addresses."""
    free = {
        ("markers", "flexible"),
        ("bodies", "backwards"),
        ("axes", "follow"),
        ("functions", "sampled"),
        ("functions", "address"),
        ("signals", "value"),
        ("signals", "rate"),
        ("signals", "acceleration"),
        ("loads", "is_torque"),
        ("loads", "frame"),
        ("coordinates", "level"),
        ("coordinates", "multiplier"),
        ("coordinates", "state"),
        ("constraints", "level"),
        ("elements", "force"),
        ("elements", "energy"),
        ("elements", "law"),
        ("contacts", "force"),
        ("contacts", "energy"),
        ("contacts", "law"),
        ("contacts", "begin"),
        ("contacts", "update"),
        ("contacts", "geometry"),
        ("contacts", "pair"),
        ("contacts", "friction"),
        ("contacts", "friction_law"),
        ("sensors", "of_accelerations"),
        ("sensors", "value"),
        ("sensors", "keyword"),
        ("turns", "kept"),
    }
    for name, (dtype, _dimensions) in t.Tables.fields.items():
        array = getattr(tables, name)
        for field in getattr(dtype, "names", None) or ():
            if array.dtype[field].kind == "i" and len(array) and (name, field) not in free:
                yield name, field


def test_good_tables_pass_quickly(model):
    """Below a millisecond of processor time; 5 ms here, because machines that run tests are of all kinds."""
    check_tables(model.tables)
    times = []
    for _ in range(20):
        begin = time.process_time()
        check_tables(model.tables)
        times.append(time.process_time() - begin)
    assert min(times) < 5e-3


@pytest.mark.parametrize("value", [10**6, -7, np.iinfo(np.int64).max, np.iinfo(np.int64).min])
def test_every_index_is_looked_at(model, value):
    """Each column gets a number that is no index of anything; only what no record here has a use for may pass."""
    passed = []
    for name, field in indexing(model.tables):
        array = getattr(model.tables, name).copy()
        array[field] = value
        try:
            with_tables(model, **{name: array})
            passed.append((name, field))
        except MechanismError as error:
            assert str(error).startswith("tables: ")
    assert set(passed) <= UNUSED


@pytest.mark.parametrize("name", ["pool", "gravity"])
def test_numbers_are_finite(model, name):
    array = getattr(model.tables, name).copy()
    array[-1] = np.nan
    with pytest.raises(MechanismError, match=f"number {len(array) - 1} of {name} is not finite"):
        with_tables(model, **{name: array})


@pytest.mark.parametrize("free", [[0, 0], [-1, 1], [0, 10**6]])
def test_unknowns_are_coordinates(model, free):
    with pytest.raises(MechanismError, match="tables: "):
        with_tables(model, free=np.array(free))

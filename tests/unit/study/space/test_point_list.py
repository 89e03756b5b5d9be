"""Lists of points from files and rows: what is read, and what is refused with its line."""

import json

import pytest
from study_parameters import Parameters

import flexmbs as fm
from flexmbs.study.space.sampler_names import sampler_from_json

EMPTY = fm.Space(Parameters, {})


@pytest.fixture
def points_of(tmp_path):
    def read(text, space=EMPTY):
        path = tmp_path / "points.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return fm.PointList(path).points(space)

    return read


def test_a_file_with_units_components_and_expressions(points_of):
    points = points_of(
        "length,modes,axis[1],stop,mesh,damping\n[m],,,,,[s]\n0.5,2,pi/2,true,a.inp,none\n\n# by hand\n2*0.3,3,1,no,b.inp,0.1\n"
    )
    axis = (0.0, 1.5707963267948966, 1.0)
    assert list(points) == [
        {"length": 0.5, "modes": 2, "axis": axis, "stop": True, "mesh": "a.inp", "damping": None},
        {"length": 0.6, "modes": 3, "axis": (0.0, 1.0, 1.0), "stop": False, "mesh": "b.inp", "damping": 0.1},
    ]
    assert points.names == ("length", "modes", "axis[1]", "stop", "mesh", "damping")
    assert points.space.units["length"] == "m"
    assert str(points.space).startswith("length [m]: 0.5, 0.6\n")


@pytest.mark.parametrize(
    "text",
    [
        "length;density\n0.5;1\n1.5;2\n",
        "length\tdensity\n0.5\t1\n1.5\t2\n",
        "\ufefflength, density\r\n0.5, 1\r\n1.5, 2\r\n",
        'length [m],"density [kg/m3]"\n0.5,1\n1.5,2',
    ],
)
def test_other_forms_of_csv(points_of, text):
    assert list(points_of(text)) == [{"length": 0.5, "density": 1.0}, {"length": 1.5, "density": 2.0}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "points.csv: the file is empty; expected a header of parameter names"),
        ("length\n", "there is no point below the header"),
        ("length\n[m]\n", "there is no point below the header"),
        ("lenght\n0.5\n", "no parameter 'lenght'. Did you mean length"),
        ("length,length\n0.5,1\n", "line 1: two columns are named 'length'"),
        ("length,\n0.5,1\n", "line 1: column 2 has no name"),
        ("length,density\n0.5,1\n\n0.5\n", r"line 4: 1 values for 2 columns \(length, density\)"),
        ("length\n0.5\nlong\n", r"line 3, column length: parameter 'length' \[m\] must be a number, not 'long'"),
        ("length\n0.5\n5\n", r"line 3, column length: .* must be at most 2, not 5"),
        ("length,density\n0.5,\n", r"line 2, column density: .* must be a number, not ''"),
        ("length;density\n0,5;1\n", r"line 2, column length: .* must be a number, not '0,5'"),
        ("modes\n2.5\n", "line 2, column modes: parameter 'modes' must be a whole number, not '2.5'"),
        ("length,density\n[mm],[kg/m3]\n5,1\n", r"column length is in \[mm\], the case's parameter in \[m\]; convert"),
        ("length [mm]\n5\n", r"column length is in \[mm\], the case's parameter in \[m\]"),
        ("modes\n[m]\n5\n", r"column modes is in \[m\], the case's parameter in \[\], no unit"),
        ("length,density\n[m]\n5,1\n", "line 2: 1 units for 2 columns"),
        ('length,mesh\n0.5,"a\n', "line 2: no CSV: "),
        (b"length\n\xff\xfe\n", "is no text in UTF-8; save it as CSV in UTF-8"),
        ("axis[3]\n1\n", r"axis has 3 components"),
    ],
)
def test_wrong_files_are_refused_with_the_line(points_of, text, message):
    with pytest.raises(fm.StudyError, match=message):
        points_of(text)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(fm.StudyError, match="nothing.csv: does not exist; expected a CSV file"):
        fm.PointList(tmp_path / "nothing.csv")
    with pytest.raises(fm.StudyError, match="is a folder; expected a CSV file"):
        fm.PointList(tmp_path)


def test_rows_of_a_script_and_pandas_tables():
    rows = [{"length": 0.5, "axis": [0, 1, 0]}, {"length": 1.5, "axis": (1, 0, 0)}]
    expected = [{"length": 0.5, "axis": (0.0, 1.0, 0.0)}, {"length": 1.5, "axis": (1.0, 0.0, 0.0)}]
    assert list(fm.PointList(rows).points(EMPTY)) == expected
    pandas = pytest.importorskip("pandas")
    assert list(fm.PointList(pandas.DataFrame(rows)).points(EMPTY)) == expected


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "the list of points is empty"),
        ([1], "row 0: expected a mapping parameter -> value, not 1"),
        ({"length": 1}, "a list of points is a CSV file or a list such as"),
        ([{"length": 1}, {"density": 1}], r"row 1: all rows must have .* as row 0 \(length\); differing: density, length"),
        ([{"length": 1}, {"length": 7}], r"row 1, column length: .* must be at most 2, not 7"),
        ([{"length": 1}, {"length": float("nan")}], r"row 1, column length: .* must be a finite number"),
    ],
)
def test_wrong_rows_are_refused(rows, message):
    with pytest.raises(fm.StudyError, match=message):
        fm.PointList(rows).points(EMPTY)


def test_the_space_holds_nothing_but_seeds():
    rows = [{"length": 1}, {"length": 1.5}]
    points = fm.PointList(rows).points(fm.Space(Parameters, {"seed": fm.RunSeeds()}), 4)
    assert points.names == ("length", "seed")
    assert points[0]["seed"] != points[1]["seed"]
    with pytest.raises(fm.StudyError, match="nothing but seeds of runs; leave out density"):
        fm.PointList(rows).points(fm.Space(Parameters, {"density": (0, 1)}))
    with pytest.raises(fm.StudyError, match="length is varied, and also fixed"):
        fm.PointList(rows).points(fm.Space(Parameters, {}, fixed={"length": 1}))


def test_stored_lists_are_the_same_and_can_be_continued(points_of, tmp_path):
    points = points_of("length [m],start\n0.1,0 1\n0.7,none\n")
    sampler = fm.PointList(tmp_path / "points.csv")
    again = sampler_from_json(json.loads(json.dumps(sampler.to_json())))
    assert again == sampler
    assert list(again.points(EMPTY)) == list(points)
    points_of("length [m],start\n0.1,0 1\n0.7,none\n0.9,1 1\n")
    longer = fm.PointList(tmp_path / "points.csv")
    assert longer.extends(again) and not again.extends(longer)
    points_of("length [m],start\n0.1,0 1\n0.8,none\n0.9,1 1\n")
    assert not fm.PointList(tmp_path / "points.csv").extends(again)
    assert not again.extends(fm.Halton(1))


def test_extremes_are_found():
    rows = [{"length": length, "mesh": "a"} for length in (1.0, 0.5, 1.5, 0.7)]
    assert fm.PointList(rows).points(EMPTY).extremes == (0, 1, 2, 3)
    assert fm.PointList([{"length": length} for length in (1.0, 0.5, 1.5, 0.7)]).points(EMPTY).extremes == (1, 2)

"""The facade: studies are stated, run, extended, evaluated, and refused where they are wrong."""

import json
import math
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from short_studies import PENDULUM

import flexmbs as fm
from flexmbs.app.cli.study import open_study

SPACE = {"length": (0.5, 1.5), "angle": (0.1, 0.4)}


@pytest.fixture
def case(tmp_path):
    path = tmp_path / "pendulum.py"
    path.write_text(PENDULUM)
    return path


def study_of(case, sampler=None, space=None, name="study", **options):
    options = {"seed": 1, "folder": case.parent / name, **options}
    return fm.Study(case, SPACE if space is None else space, sampler or fm.Sobol(4), **options)


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A study of eight runs that keeps everything."""
    path = tmp_path_factory.mktemp("done") / "pendulum.py"
    path.write_text(PENDULUM)
    study = study_of(path, fm.Sobol(8), fixed={"t_end": 0.1}, histories=["hinge.angle"], history_times=11)
    assert study.run(workers=1, progress=False).computed == 8
    return study


def test_runs_equal_those_alone(done):
    table = done.table()
    assert table.attrs["parameters"] == ["length", "angle"] and len(table) == 8 == len(done)
    for index in range(8):
        alone = done.run_alone(index)
        assert alone.parameters == done.record(index).parameters
        for name, column in {"angle": "figures.angle", "speed": "speed", "steps": "steps"}.items():
            assert table[column][index] == alone.figures[name]
        result = done.result(index)
        assert np.array_equal(result["hinge.angle"], alone.result["hinge.angle"])
        assert {name: table[name][index] for name in SPACE} == done.point(index)


def test_nothing_is_computed_again_and_more_points_continue(done, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(done.folder, folder)
    again = fm.Study.open(folder)
    outcome = again.run(progress=False)
    assert (outcome.computed, outcome.present) == (0, 8)
    options = {"fixed": {"t_end": 0.1}, "histories": ["hinge.angle"], "history_times": 11, "folder": folder}
    more = study_of(done.case.path, fm.Sobol(16), **options)
    assert more.status().missing == 8
    outcome = more.run(workers=1, progress=False)
    assert (outcome.computed, outcome.present) == (8, 8)
    with pytest.raises(fm.StudyError, match="more runs than are asked for"):
        again.run(progress=False)


def test_damaged_histories_are_named(done, tmp_path):
    shutil.copytree(done.folder, tmp_path / "copy")
    path = next((tmp_path / "copy").rglob("histories.npz"))
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(fm.StudyError, match=f"run {path.parent.name}: histories.npz is damaged .*; delete this run"):
        fm.Study.open(tmp_path / "copy").band("hinge.angle")


def test_evaluation(done, tmp_path):
    study = fm.Study.open(done.folder)
    band = study.band("hinge.angle")
    assert band.unit == "rad" and band.runs == len(study) and np.all(np.diff(band.quantiles, axis=0) >= 0.0)
    indices = study.sensitivity("angle")
    assert indices.indices.index[0] == "angle"  # the angle at the end is nearly the one at the start
    found = study.reliability("angle", above=0.0)
    assert found.probability == np.mean(study.table()["figures.angle"] > 0.0)
    path = study.report(tmp_path / "report.html", limits={"angle": (None, 0.3)}, histories=["hinge.angle"])
    text = path.read_text()
    assert "Histories as bands" in text and "length" in text and "0.3" in text and (tmp_path / "report.csv").exists()
    with pytest.raises(fm.StudyError, match="report.html exists.*--force.*force=True"):
        study.report(path)
    assert study.report(path, force=True) == path
    (tmp_path / "other.csv").write_text("mine")
    with pytest.raises(fm.StudyError, match="other.csv exists"):
        study.report(tmp_path / "other.html")
    with pytest.raises(fm.StudyError, match="ends in .html"):
        study.report(tmp_path / "page.csv")
    for kind, options in (("effects", {"response": "speed"}), ("histories", {"names": "hinge.angle"})):
        study.plot(kind, save=tmp_path / f"{kind}.png", **options)
        assert (tmp_path / f"{kind}.png").stat().st_size > 5000


def test_packed_runs_are_read_as_before(done):
    study = fm.Study.open(done.folder)
    before, result = study.table(), study.result(3)["hinge.angle"]
    assert study.pack() == len(study)
    assert not list((study.folder / "runs").glob("*/*"))
    assert np.array_equal(study.table()["speed"], before["speed"])
    assert np.array_equal(study.result(3)["hinge.angle"], result)
    assert study.status().packed == len(study) and study.run(progress=False).computed == 0


def test_points_of_an_optimiser_are_kept_too(case):
    study = study_of(case, keep="figures")
    points = [{"length": 0.7}, {"length": 0.8}, {"length": 0.7}]
    first, second, third = study.evaluate(points, workers=1)
    assert first == third and first.figures != second.figures
    assert study.evaluate(points[:1], progress=False) == [first]  # not computed again
    assert study.evaluate(points[:1], progress=True) == [first]
    assert study.status().missing == 4


def test_failed_runs(case):
    study = study_of(case, fm.PointList([{"what": ""}, {"what": "raise"}, {"what": "nan"}]), {}, keep="figures")
    with pytest.warns(fm.StudyWarning, match="1 of 3 runs failed"):
        study.run(workers=1, progress=False)
    ((index, record),) = study.failed()
    assert index == 1 and record.failure.kind == "ValueError"
    assert "does not like its parameters" in study.log(1) and "Traceback" in study.log(1)
    table = study.table()
    assert (table["run.status"] == "finished").tolist() == [True, False, True] and math.isnan(table["angle"][2])
    assert len(study.table(on_error="skip")) == 2
    with pytest.raises(fm.StudyError, match=r"keeps figures only .* study.run_alone\(0\)"):
        study.result(0)


def test_figures_must_be_a_dictionary(case):
    case.write_text(PENDULUM + "\n\ndef figures(result, p):\n    return 5\n")
    with pytest.warns(fm.StudyWarning, match="CaseError: the figures of the case are 5; they are a dictionary"):
        assert study_of(case, fm.Sobol(1)).run(workers=1, progress=False).failed == 1


TRAP = "\nopen(__file__ + '.was run', 'w').close()\n"


def test_looking_at_a_folder_runs_no_code(case):
    """Neither the case file that study.json names nor the copy beside it; only a run does, if the case is the same."""
    case.write_text(PENDULUM + TRAP)
    study = study_of(case, keep="figures")
    study.run(workers=1, progress=False)
    marks = [Path(f"{path}.was run") for path in (case, study.folder / "case.py")]
    marks[0].unlink()
    opened = fm.Study.open(study.folder)
    assert len(opened.table()) == 4 == opened.status().finished and opened.space.units["length"] == "m"
    opened.report(case.parent / "report.html")
    opened.plot("scatter", save=case.parent / "scatter.png")
    opened.export(case.parent / "table.csv")
    assert opened.failed() == [] and opened.pack() == 4 and not any(mark.exists() for mark in marks)
    assert opened.run(progress=False).computed == 0 and marks[0].exists()
    stated = json.loads((study.folder / "study.json").read_text())
    for wrong in ({"sampler": {"sampler": ["sobol"]}}, {"sampler": None}, {"space": {"entries": 5}}, {"seed": -1}):
        (study.folder / "study.json").write_text(json.dumps(stated | wrong))
        with pytest.raises(fm.StudyError, match=r"study\.json: is damaged \(.*\); restore it"):
            fm.Study.open(study.folder)


def test_changed_and_missing_cases(case):
    study = study_of(case, keep="figures")
    study.run(workers=1, progress=False)
    case.write_text(PENDULUM.replace("-9.81", "-9.80"))
    with pytest.warns(fm.StudyWarning, match="has changed since this study began; its runs are of .*case.py"):
        assert len(study_of(case, keep="figures").table()) == 4
    for content, why in ((None, "has changed"), ("1 / 0", "has changed"), ("", "is not there any more")):
        if content is not None:
            case.unlink() if content == "" else case.write_text(content)
        with pytest.warns(fm.StudyWarning, match=f"pendulum.py: {why}.*what is shown is of the case as the study began"):
            opened = fm.Study.open(study.folder)
        assert len(opened.table()) == 4
        if content is None:
            with pytest.raises(fm.StudyError, match=r"(?s)the case has changed.*-9\.81.*-9\.80"):
                opened.run(progress=False)
    with pytest.warns(fm.StudyWarning, match=r"pendulum.py: is not there any more; its copy .*case\.py is used"):
        assert opened.run(progress=False).present == 4
    (study.folder / "case.py").write_text("1 / 0\n")
    with pytest.warns(fm.StudyWarning), pytest.raises(fm.StudyError, match="the case has changed"):
        fm.Study.open(study.folder).run(progress=False)


def test_study_of_the_version_before(case):
    """Its script goes on with it; of its folder alone one line says what to do. ZIP packs are refused."""
    study = study_of(case, keep="figures")
    study.run(workers=1, progress=False)
    path = study.folder / "study.json"
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | {"format": 1, "case": "pendulum"}))
    with pytest.raises(fm.StudyError, match="written by flexmbs 0.1.0.*--accept-versions"):
        fm.Study.open(study.folder)
    assert study_of(case, keep="figures").run(progress=False).present == 4
    assert json.loads(path.read_text()) == content and len(fm.Study.open(study.folder).table()) == 4
    (study.folder / "packs").mkdir()
    (study.folder / "packs" / "0a.zip").touch()
    with pytest.raises(fm.StudyError, match="packs of flexmbs 0.1.0 .0a.zip. are not read"):
        fm.Study.open(study.folder)


def test_modules_beside_the_case(case, capsys):
    """They are found by every command and every worker, wherever it is called."""
    name = "beside_the_case"
    (case.parent / f"{name}.py").write_text("SIGN = -1.0\n")
    case.write_text(case.read_text().replace("import ctypes", f"import {name}, ctypes").replace("-9.81", f"9.81 * {name}.SIGN"))
    script = case.parent / "script.py"
    script.write_text(
        "from pathlib import Path\nimport flexmbs as fm\n"
        'study = fm.Study(Path(__file__).parent / "pendulum.py", {"length": (0.5, 1.0)}, fm.Sobol(2), '
        'folder=Path(__file__).with_suffix(""))\n'
    )
    before = sys.path[:]
    try:
        study = open_study(script)
        assert name in study.store.create_or_open(study._statement).case_files
        assert study.run(workers=1, progress=False).computed == 2
    finally:
        sys.path[:] = before
    assert study.failed() == []


WRONG = {
    "unknown parameter": ({"space": {"lenght": (0.5, 1.5)}}, "lenght.*length"),
    "empty range": ({"space": {"length": (1.0, 1.0)}}, "length.*the range from 1 to 1 is empty"),
    "inverted range": ({"space": {"length": (2.0, 1.0)}}, "length.*the range from 2 to 1 is empty"),
    "beyond the minimum": ({"space": {"length": (-1.0, 1.0)}}, "length.*at least 0"),
    "end before the start": ({"space": {"t_end": (-1.0, 1.0)}}, "t_end.*must be"),
    "nothing": ({"space": {}}, "vary at least one parameter"),
    "too many points": ({"sampler": fm.Grid(levels=1000)}, r"1000 x 1000 = 1,?000,?000 points"),
    "sampler": ({"sampler": "sobel"}, "sobel.*sobol"),
    "sampler without number": ({"sampler": "sobol"}, "needs runs"),
    "two numbers of runs": ({"runs": 4}, "has its own number of runs"),
    "keep": ({"keep": "all"}, "'results'.*'figures'"),
    "fixed and varied": ({"fixed": {"length": 1.0}}, "length is varied, and also fixed"),
    "unknown fixed parameter": ({"fixed": {"lenght": 1.0}}, "Did you mean length"),
    "history times": ({"histories": ["hinge.angle"], "history_times": 1}, "history_times"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_studies_are_refused_before_anything_is_written(case, name):
    options, message = WRONG[name]
    with pytest.raises((fm.StudyError, fm.CaseError), match=message):
        study_of(case, **options)
    assert [path.name for path in case.parent.iterdir() if path.name != "__pycache__"] == ["pendulum.py"]


@pytest.mark.parametrize("wrong", [lambda p: {}, math, 3.0, fm.System()], ids=["lambda", "module", "number", "system"])
def test_cases_that_workers_cannot_load(wrong, tmp_path):
    with pytest.raises(fm.CaseError, match="worker processes of a study cannot load.*case file"):
        fm.Study(wrong, SPACE, fm.Sobol(4), folder=tmp_path / "study")


def test_unknown_figure_stops_the_study_after_its_first_run(case):
    study = study_of(case, figures=["sped"])
    with pytest.raises(fm.StudyError, match="no figure 'sped'.*speed"):
        study.run(workers=1, progress=False)
    with pytest.raises(fm.StudyError, match="sped.*speed"):
        study.table()


def test_folder_of_another_study(case):
    study = study_of(case, keep="figures")
    study.run(workers=1, progress=False)
    with pytest.raises(fm.StudyError, match=r"(?s)another study.*length.*1\.5. in the study, .*1\.6. now"):
        study_of(case, space={**SPACE, "length": (0.5, 1.6)}, keep="figures").run(progress=False)
    with pytest.raises(fm.StudyError, match="(?s)another study.*seed: 1 in the study, 2 now"):
        study_of(case, seed=2, keep="figures").table()


def test_parameters_that_change_themselves_are_refused(case):
    change = "\n    def __post_init__(self):\n        object.__setattr__(self, 'angle', 2.0 * self.angle)\n\n\ndef build(p):"
    case.write_text(PENDULUM.replace("\n\ndef build(p):", change, 1))
    with pytest.raises(fm.StudyError, match=r"the case pendulum changes angle where they are made .*resolve\(parameters\)"):
        study_of(case)


def test_nothing_there_yet(case):
    with pytest.raises(fm.StudyError, match="no run of this study was computed yet"):
        study_of(case).table()
    with pytest.raises(fm.StudyError, match="no study in this folder"):
        fm.Study.open(case.parent / "nowhere")
    with pytest.raises(fm.StudyError, match="fixed: a Space has its own"):
        study_of(case, space=study_of(case).space, fixed={"t_end": 0.1})
    assert not (case.parent / "nowhere").exists()


def test_relative_paths_start_where_the_study_was_begun(case, monkeypatch):
    """A study that names a file goes on, and is evaluated, from any other folder, and where the file has gone."""
    case.write_text(case.read_text().replace("def figures(result, p):", "def figures(result, p):\n    open(p.what)"))
    (case.parent / "elsewhere").mkdir()
    (case.parent / "data.txt").write_text("1")
    monkeypatch.chdir(case.parent)
    study_of(case, fixed={"what": "data.txt"}, keep="figures").run(workers=1, progress=False)
    monkeypatch.chdir("elsewhere")
    assert fm.Study.open(case.parent / "study").status().finished == 4
    more = study_of(case, fm.Sobol(8), fixed={"what": "data.txt"}, keep="figures").run(workers=1, progress=False)
    assert (more.computed, more.present, more.failed) == (4, 4, 0)
    (case.parent / "data.txt").unlink()
    opened = fm.Study.open(case.parent / "study")
    assert opened.status().finished == 8 == len(opened.table()) and opened.record(7).status == "finished"


@pytest.mark.slow
def test_optimiser_of_the_page(tmp_path, monkeypatch):
    """The example of docs/studies.md, with fewer generations: twelve lines, and no run is repeated."""
    page = (Path(__file__).parents[3] / "docs" / "studies.md").read_text()
    (code,) = [block for block in re.findall(r"```python\n(.*?)```", page, re.S) if "differential_evolution" in block]
    assert len([line for line in code.splitlines() if line.strip()]) <= 12
    monkeypatch.chdir(tmp_path)
    found = {}
    exec(code.replace("maxiter=3", "maxiter=1, rng=1"), found)
    records = list(found["study"].store.records())
    assert found["best"].fun == min(record.figures["tip_deflection_max"] for record in records)
    assert len(records) == len({record.key for record in records}) <= 16

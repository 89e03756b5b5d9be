"""study.json: the same study goes on, another one is refused with what differs."""

import json
import warnings
from dataclasses import replace

import pytest
from small_case import write_case
from study_runs import fill, keys

from flexmbs import StudyError
from flexmbs.case.case_source import source_of
from flexmbs.case.cases import load_case
from flexmbs.common.errors import StudyWarning
from flexmbs.study.samplers import LatinHypercube, Sobol
from flexmbs.study.statement import Statement
from flexmbs.study.store import Store

SPACE = {"length": {"kind": "range", "low": 0.5, "high": 1.5}}
SAMPLER = Sobol(64).to_json()


def statement(case, **changes):
    given = {"space": SPACE, "sampler": SAMPLER, "seed": 1, "storage": {"store_every": 2}, **changes}
    return Statement.of(load_case(case), source_of(case), **given)


@pytest.fixture
def case(tmp_path):
    return write_case(tmp_path)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "study")


def test_study_is_opened_again(store, case):
    first = store.create_or_open(statement(case))
    assert (store.folder / "case.py").read_text() == case.read_text()
    before = (store.folder / "study.json").read_bytes()
    for again in (Store(store.folder).create_or_open(statement(case)), store.open()):
        assert again == first
    assert (store.folder / "study.json").read_bytes() == before
    assert first.spec.sources == first.versions[0]["sources"]
    content = json.loads(before)
    assert (content["format"], content["space"], content["sampler"]) == (2, SPACE, SAMPLER)
    assert content["versions"][0].keys() == {"flexmbs", "sources", "solver", "python", "numpy", "scipy", "numba"}
    assert sorted(path.name for path in store.folder.iterdir()) == ["case.py", "study.json"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"seed": 2}, "seed: 1 in the study, 2 now"),
        ({"space": {"length": {"kind": "range", "low": 0.5, "high": 2.5}}}, "space.length.high: 1.5 in the study, 2.5 now"),
        ({"space": {}}, "space.length: .* in the study, nothing now"),
        ({"sampler": LatinHypercube(128).to_json()}, 'sampler.sampler: "sobol" in the study, "lhs" now'),
        ({"fixed": {"mesh": "rod.inp"}}, 'fixed.mesh: nothing in the study, "rod.inp" now'),
        ({"storage": {"store_every": 3}}, "storage.store_every: 2 in the study, 3 now"),
        ({"keep": "figures"}, 'keep: "results" in the study, "figures" now'),
        ({"histories": ("force",)}, r'histories: \[\] in the study, \["force"\] now'),
    ],
)
def test_another_study_is_refused_with_what_differs(store, case, changes, told):
    store.create_or_open(statement(case))
    before = (store.folder / "study.json").read_bytes()
    with pytest.raises(StudyError, match=f"(?s)holds another study; give another folder.*\n  {told}"):
        store.create_or_open(statement(case, **changes))
    assert (store.folder / "study.json").read_bytes() == before


def test_more_runs_continue_a_study_and_fewer_do_not(store, case):
    store.create_or_open(statement(case))
    more = {**SAMPLER, "runs": 128}
    assert store.create_or_open(statement(case, sampler=more)).sampler == more == store.open().sampler
    with pytest.raises(StudyError, match="more runs than are asked for .sampler.runs: 128 in the study, 64 now"):
        store.create_or_open(statement(case))


def test_changed_case_is_refused_with_its_lines(store, case, tmp_path):
    store.create_or_open(statement(case))
    moved = tmp_path / "moved.py"
    moved.write_text(case.read_text())
    assert store.create_or_open(statement(moved)).spec.case == str(moved)  # the same case elsewhere
    case.write_text(case.read_text().replace("2.0 *", "3.0 *"))
    with pytest.raises(StudyError, match=r"the case has changed since this study began \(.*rod.py\)") as caught:
        store.create_or_open(statement(case))
    assert '-    return {"double": 2.0 * parameters.length}' in str(caught.value)
    assert '+    return {"double": 3.0 * parameters.length}' in str(caught.value)


def test_changed_module_of_the_case_is_named(store, tmp_path):
    path = write_case(tmp_path, "helper_of_test")
    store.create_or_open(statement(path))
    (tmp_path / "helper_of_test.py").write_text("FACTOR = 3.0\n")
    with pytest.raises(StudyError, match="began .module helper_of_test."):
        store.create_or_open(statement(path))


def other_version(case, **changes):
    made = statement(case)
    versions = {**made.versions[0], **changes}
    return replace(made, versions=(versions,), spec=replace(made.spec, sources=versions["sources"]))


def test_other_flexmbs_is_refused_unless_accepted(store, case):
    first = store.create_or_open(statement(case))
    newer = other_version(case, flexmbs="9.0.0", sources="0" * 40)
    with pytest.raises(StudyError, match=r'flexmbs: ".*" in the study, "9.0.0" now; sources: .*accept_versions=True'):
        store.create_or_open(newer)
    with pytest.warns(StudyWarning, match='goes on with other versions: .*"9.0.0" now'):
        accepted = store.create_or_open(newer, accept_versions=True)
    assert [known["flexmbs"] for known in accepted.versions] == [first.versions[0]["flexmbs"], "9.0.0"]
    assert accepted.spec.sources == first.spec.sources  # finished runs keep their keys
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert store.create_or_open(newer) == accepted == store.open()
    with pytest.warns(StudyWarning, match='numpy: ".*" in the study, "9.9" now'):  # other libraries need not be accepted
        assert len(store.create_or_open(other_version(case, numpy="9.9")).versions) == 3


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is damaged"),
        (b'{"format": 1, "case"', "is damaged"),
        (b"[" * 200_000, "is damaged .its values are nested too deeply"),
        (b'{"format": 1}', "is damaged .KeyError: 'case'"),
        (b"[1]", "is not the statement of a study"),
        (b'{"format": 3, "novel": 1}', "was written by a newer flexmbs .format 3, this one reads 2"),
    ],
)
def test_unknown_and_damaged_statements_are_refused(store, case, content, told):
    store.create_or_open(statement(case))
    (store.folder / "study.json").write_bytes(content)
    for call in (store.open, lambda: store.create_or_open(statement(case))):
        with pytest.raises(StudyError, match=f"study.json: {told}"):
            call()
    assert (store.folder / "study.json").read_bytes() == content


def test_folders_of_others_are_refused(store, case, tmp_path):
    with pytest.raises(StudyError, match="there is no study in this folder"):
        store.open()
    fill(store, keys(1))
    with pytest.raises(StudyError, match=r"holds runs, but no study.json.*\(runs\)"):
        store.create_or_open(statement(case))
    result = tmp_path / "result"
    result.mkdir()
    (result / "model.h5").touch()
    with pytest.raises(StudyError, match=r"holds a result \(model.h5\)"):
        Store(result).create_or_open(statement(case))
    with pytest.raises(StudyError, match="there is a file where a folder is expected"):
        Store(result / "model.h5").create_or_open(statement(case))

"""Claims: one process at a time, nothing lost when it is killed."""

import errno
import json
import os
import signal

import filelock
import pytest
from study_runs import check_each_once, fill, in_child, key_of, keys, killed_at, record

from flexmbs import StudyError
from flexmbs.common.errors import StudyWarning
from flexmbs.study.run_record import FAILED
from flexmbs.study.store import Store

KEY = key_of(1)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "study")


def work(store):
    return sorted(path.name for path in (store.folder / "work").iterdir())


@pytest.mark.parametrize(
    ("keep", "files"), [("results", ["histories.npz", "result.h5", "run.json"]), ("figures", ["histories.npz", "run.json"])]
)
def test_finished_run_keeps_what_it_should(store, keep, files):
    with store.claim(KEY) as claim:
        claim.fail(record(KEY, FAILED))
    fill(store, [KEY], keep)
    assert os.listdir(store.folder / "failed" / KEY[:2]) == []
    folder = store.files_of(KEY)
    assert folder == store.folder / "runs" / KEY[:2] / KEY
    assert sorted(os.listdir(folder)) == files
    check_each_once(store, [KEY])
    with store.claim(KEY) as claim:
        assert claim.present.to_json() == store.record(KEY).to_json()
    assert work(store) == []


def test_run_belongs_to_one_process(store):
    first = store.claim(KEY)
    note = json.loads((store.folder / "work" / f"{KEY}.lock").read_text())
    assert (note["pid"], note["attempts"]) == (os.getpid(), 1)
    assert store.claim(KEY) is None
    assert in_child(lambda: os._exit(3 if store.claim(KEY) is None else 4)) == 3
    first.release()
    with store.claim(KEY) as second:
        assert second.attempts == 2
    with pytest.raises(StudyError, match="not claimed any more"):
        second.finish(record(KEY))


def test_attempts_of_killed_processes_are_counted(store):
    def die():
        store.claim(KEY)
        os.kill(os.getpid(), signal.SIGKILL)

    for _ in range(3):
        assert in_child(die) == -signal.SIGKILL
    with store.claim(KEY, count=False) as observer:  # who only states the failure does not try
        assert observer.attempts == 3
    with pytest.raises(KeyboardInterrupt), store.claim(KEY) as claim:
        assert claim.attempts == 4
        raise KeyboardInterrupt
    with pytest.raises(ZeroDivisionError), store.claim(KEY) as claim:
        assert claim.attempts == 4  # Ctrl-C was not the fault of the run
        raise ZeroDivisionError
    with store.claim(KEY) as claim:
        assert claim.attempts == 5


def test_failed_run_keeps_its_files_and_can_be_resumed(store):
    with store.claim(KEY) as claim:
        claim.folder.mkdir()
        (claim.folder / "state.npz").write_bytes(b"halfway")
        claim.fail(record(KEY, FAILED))
    assert work(store) == []
    assert store.failed_keys() == {bytes.fromhex(KEY)} and not store.has(KEY)
    assert store.record(KEY).failure.kind == "WallTime"
    assert [item.status for item in store.records()] == [FAILED]
    assert sorted(os.listdir(store.files_of(KEY))) == ["run.json", "state.npz"]
    assert store.forget_failed(KEY) and not store.forget_failed(KEY)
    assert store.record(KEY) is None and not store.failed_keys()
    with store.claim(KEY) as claim:
        assert claim.attempts == 1
        assert (claim.folder / "state.npz").read_bytes() == b"halfway"
        claim.finish(record(KEY))
    check_each_once(store, [KEY])


def test_wrong_keys_are_refused(store):
    for wrong in ("../../etc", "", KEY.upper()[:31], KEY + "\n"):
        with pytest.raises(StudyError, match="is not the key of a run"):
            store.claim(wrong)


@pytest.mark.parametrize("keep", ["results", "figures"])
def test_killed_at_each_change_of_the_file_system(store, keep):
    """Finishing a run that failed before: a kill leaves it to be continued, or done, never half."""
    change = 0
    while True:
        key, change = key_of(change), change + 1
        with store.claim(key) as claim:
            claim.folder.mkdir()
            claim.fail(record(key, FAILED))
        killed = killed_at(change, fill, store, [key], keep)
        assert len([item for item in store.records() if item.key == key]) == 1  # failed or finished
        if not store.has(key):
            with store.claim(key) as claim:
                if claim.present is None:
                    claim.finish(record(key), keep)
        if not killed:
            break
    assert change > 12
    store.tidy()
    assert work(store) == []
    check_each_once(store, keys(change))


def test_disk_full_while_finishing_loses_nothing(store, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    claim = store.claim(KEY)
    claim.folder.mkdir()
    (claim.folder / "state.npz").write_bytes(b"halfway")
    monkeypatch.setattr(os, "fsync", full)
    for keep in ("results", "figures"):
        with pytest.raises(StudyError, match="no space is left on the disk"):
            claim.finish(record(KEY), keep)
    monkeypatch.undo()
    claim.release()
    with store.claim(KEY) as claim:
        assert claim.present is not None or (claim.folder / "state.npz").exists()


def test_file_systems_without_locks_are_refused(store, monkeypatch):
    def none(descriptor, *, blocking):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(filelock, "lock_descriptor", none)
    with pytest.raises(StudyError, match=f"{KEY}.lock: this file system does not support locks; NFS needs version 4"):
        store.claim(KEY)
    assert work(store) == []


@pytest.mark.parametrize("damage", [b"", b'{"key": "12', b"[" * 200_000, None, "figures", "failure", "key"])
def test_damaged_records_are_named_and_computed_again(store, damage):
    fill(store, [KEY])
    path = store.files_of(KEY) / "run.json"
    if damage is None:
        path.unlink()
    elif isinstance(damage, str):  # values of another kind, as from others
        path.write_text(json.dumps(json.loads(path.read_text()) | {damage: [5]}))
    else:
        path.write_bytes(damage)
    with pytest.warns(StudyWarning, match=f"{KEY}/run.json: it is .*; this run counts as not computed"):
        assert not store.has(KEY)
    assert not store.finished_keys() and list(store.records()) == []
    with pytest.warns(StudyWarning, match="was damaged, and is now .*; the run was computed again"):
        fill(store, [KEY])
    check_each_once(store, [KEY])
    assert len(os.listdir(store.folder / "damaged")) == 1


def test_records_are_not_read_or_written_elsewhere(store, tmp_path):
    fill(store, [KEY])
    path = store.files_of(KEY) / "run.json"
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(StudyError, match=r"run\.json: cannot be read: it is a named pipe"):
        store.has(KEY)
    (tmp_path / "other").write_text("of others")
    (tmp_path / "run.json").symlink_to("other")
    record(KEY).write(tmp_path)
    assert (tmp_path / "other").read_text() == "of others" and not (tmp_path / "run.json").is_symlink()


def test_foreign_files_are_named(store):
    fill(store, [KEY])
    (store.folder / "runs" / "notes.txt").write_text("mine")
    (store.folder / "runs" / KEY[:2] / "copy of a run").mkdir()
    with pytest.warns(StudyWarning) as issued:
        check_each_once(store, [KEY])
    told = " ".join(str(warning.message) for warning in issued)
    assert "notes.txt: is not a run of this study" in told and "copy of a run: is not" in told

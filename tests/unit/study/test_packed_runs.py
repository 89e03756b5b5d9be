"""Packed runs: in one file, each counted once whatever happens."""

import io
import os
import random
import signal
import sqlite3
import time
import zipfile
from contextlib import closing

import pytest
from study_runs import FORK, check_each_once, fill, in_child, key_of, keys, killed_at, record

from flexmbs import StudyError
from flexmbs.common.errors import StudyWarning
from flexmbs.common.file_lock import FileLock
from flexmbs.study.run_record import FAILED
from flexmbs.study.store import Store

KEYS = keys(7)


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "study")
    fill(store, KEYS)
    return store


def folders(store):
    return [path.name for path in (store.folder / "runs").glob("*/*")]


def test_packed_runs_read_as_before(store):
    before = {item.key: item for item in store.records()}
    assert store.pack(KEYS[:2]) == 2 and len(folders(store)) == 5
    assert store.pack() == 5 and store.pack() == 0 and folders(store) == []
    check_each_once(store, KEYS)
    after = {item.key: item for item in store.records()}
    assert {key: item.to_json() for key, item in after.items()} == {key: item.to_json() for key, item in before.items()}
    assert store.record(KEYS[4]).to_json() == before[KEYS[4]].to_json()
    assert store.content_of(KEYS[3], "histories.npz") == KEYS[3].encode()
    assert store.content_of(KEYS[3], "state.npz") is None and store.content_of(key_of(99), "run.json") is None
    folder = store.files_of(KEYS[2])
    assert sorted(os.listdir(folder)) == ["histories.npz", "result.h5", "run.json"]
    assert (folder / "result.h5").read_bytes() == KEYS[2].encode() * 100
    stamp = folder.stat().st_ino
    assert store.files_of(KEYS[2]).stat().st_ino == stamp  # unpacked once
    assert sorted(os.listdir(store.folder / "unpacked")) == [KEYS[2]]
    with store.claim(KEYS[0]) as claim:
        assert claim.present is not None
    with pytest.raises(StudyError, match=f"there is no run {key_of(99)}"):
        store.files_of(key_of(99))


def test_failed_and_damaged_runs_are_not_packed(store):
    with store.claim(key_of(50)) as claim:
        claim.fail(record(key_of(50), FAILED))
    (store.files_of(KEYS[0]) / "run.json").write_bytes(b"{")
    with pytest.warns(StudyWarning, match="counts as not computed"):
        assert store.pack() == 6
    assert folders(store) == [KEYS[0]] and store.failed_keys() == {bytes.fromhex(key_of(50))}
    assert sorted(item.key for item in store.records()) == sorted([*KEYS[1:], key_of(50)])


def test_killed_at_each_change_of_the_file_system(tmp_path, monkeypatch):
    monkeypatch.setattr("flexmbs.study.packed_runs._BATCH_RUNS", 2)
    change = 0
    while True:
        change += 1
        store = Store(tmp_path / str(change))
        fill(store, KEYS[:3])
        killed = killed_at(change, store.pack)
        check_each_once(store, KEYS[:3])
        store.pack()
        store.tidy()
        check_each_once(store, KEYS[:3])
        assert folders(store) == [] and os.listdir(store.folder / "work") == []
        if not killed:
            break
    assert change > 10


def test_killed_while_it_writes(store):
    """What was not committed is not there, and nothing of it is lost."""

    def write():
        def die(statement):
            if statement.startswith("INSERT OR REPLACE"):
                os.kill(os.getpid(), signal.SIGKILL)

        connect = sqlite3.connect

        def traced(*given, **options):
            connection = connect(*given, **options)
            connection.set_trace_callback(die)
            return connection

        sqlite3.connect = traced
        store.pack()

    assert in_child(write) == -signal.SIGKILL
    check_each_once(Store(store.folder), KEYS)
    assert store.pack() == 7
    check_each_once(store, KEYS)


def test_readers_see_each_run_once_while_runs_are_packed(store):
    process = FORK.Process(target=lambda: [store.pack([key]) for key in KEYS])
    process.start()
    rounds = 0
    while process.is_alive() or rounds < 2:
        check_each_once(Store(store.folder), KEYS)
        rounds += 1
    process.join()
    assert process.exitcode == 0


def test_second_packer_is_told_who_packs(store):
    lock = FileLock(store.folder / "work" / "packing.lock")
    assert lock.acquire()
    lock.write()
    with pytest.warns(StudyWarning, match=f"another process is packing this study .process {os.getpid()}"):
        assert store.pack() == 0


@pytest.mark.parametrize("damage", [b"no database at all" * 100, "cut", "pipe", "view"])
def test_damaged_pack_is_named_and_nothing_is_computed_again(store, damage):
    store.pack(KEYS[:3])
    path = store.folder / "runs.sqlite"
    content = path.read_bytes()
    path.unlink()
    if damage == "pipe":
        os.mkfifo(path)
    elif damage == "view":  # which could be without end
        with closing(sqlite3.connect(path)) as file:
            file.execute("CREATE VIEW runs AS SELECT x'00' AS key, x'00' AS record, NULL AS files")
    else:
        path.write_bytes(content[: len(content) // 2] if damage == "cut" else damage)
    store = Store(store.folder)
    for look in (store.finished_keys, lambda: store.has(KEYS[0]), lambda: list(store.records())):
        with pytest.raises(StudyError, match=r"runs\.sqlite: the packed runs cannot be read"):
            look()
    path.unlink()
    fill(Store(store.folder), KEYS[:3])
    check_each_once(Store(store.folder), KEYS)


def test_names_of_files_stay_in_the_folder_of_their_run(store):
    store.pack()
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("../../../escaped", "")
    with closing(sqlite3.connect(store.folder / "runs.sqlite")) as file:
        file.execute("UPDATE runs SET files = ?", (content.getvalue(),))
        file.commit()
    assert store.files_of(KEYS[0]) == store.folder / "unpacked" / KEYS[0]
    assert [path.parent for path in store.folder.parent.rglob("escaped")] == [store.folder / "unpacked" / KEYS[0]]


def test_disk_full_while_packing_loses_nothing(store):
    def pack():
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))  # the system ends writing as on a full disk
        try:
            store.pack()
        except StudyError as error:
            os._exit(3 if "free space if the disk is full" in str(error) else 4)

    assert in_child(pack) == 3
    assert len(folders(store)) == 7
    check_each_once(store, KEYS)


def work_on(store, names, seed):
    """Compute runs in two parts and pack some, with a clock that goes back."""
    chance = random.Random(seed)
    now = [2e9]

    def backwards():
        now[0] -= 1e6
        return now[0]

    time.time = backwards
    while True:
        for key in chance.sample(names, len(names)):
            claim = store.claim(key)
            if claim is None:
                continue
            with claim:
                if claim.present is not None:
                    continue
                claim.folder.mkdir(exist_ok=True)
                (claim.folder / "result.h5").write_bytes(key.encode() * 100)
                claim.finish(record(key), chance.choice(["results", "figures"]))
            if chance.random() < 0.1:
                store.pack(chance.sample(names, 9))
        if len(store.finished_keys()) == len(names):
            return


def killed_at_random(folder, count, kills, pause):
    """Two processes on one study, killed again and again; how many kills there were."""
    store, names, chance, done = Store(folder), keys(count), random.Random(count), 0
    processes = []
    while done < kills or processes:
        while len(processes) < 2 and done < kills:
            processes.append(FORK.Process(target=work_on, args=(store, names, chance.random())))
            processes[-1].start()
        goal = len(store.finished_keys()) + chance.randrange(count // 8)  # in runs, as machines differ in speed
        while len(store.finished_keys()) < goal and any(process.is_alive() for process in processes):
            time.sleep(0.001)
        time.sleep(chance.uniform(0.0, pause))
        process = processes.pop(chance.randrange(len(processes)))
        process.kill()
        process.join()
        done += process.exitcode == -signal.SIGKILL
        if process.exitcode == 0 and len(store.finished_keys()) == count:
            break
    for process in processes:
        process.join(60.0)
        assert process.exitcode == 0
    work_on(store, names, 1)
    store.pack()
    store.tidy()
    check_each_once(store, names)
    assert os.listdir(store.folder / "work") == []
    assert sum(1 for _ in (store.folder / "runs").glob("*/*")) == 0
    return done


@pytest.mark.filterwarnings("ignore:.*another process is packing")
@pytest.mark.parametrize(
    ("rounds", "count", "kills", "pause", "least"),
    [(1, 150, 25, 0.01, 3), pytest.param(5, 500, 100, 0.1, 25, marks=pytest.mark.slow)],  # the work is often done before
)
def test_killed_at_random_moments(tmp_path, monkeypatch, rounds, count, kills, pause, least):
    monkeypatch.setattr(time, "time", time.time)  # the last round sets the clock of this process back
    assert sum(killed_at_random(tmp_path / str(number), count, kills, pause) for number in range(rounds)) > least

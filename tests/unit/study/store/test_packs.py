"""Packs: runs in one file, each key counted once whatever happens."""

import os
import random
import signal
import time
import zipfile

import pytest
from study_runs import FORK, check_each_once, fill, in_child, key_of, keys, killed_at, record

from flexmbs import StudyError
from flexmbs.common.errors import StudyWarning
from flexmbs.study.store.pack_file import Pack
from flexmbs.study.store.run_record import FAILED
from flexmbs.study.store.store import Store

KEYS = keys(7)


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "study")
    fill(store, KEYS)
    return store


def packs(store):
    return sorted((store.folder / "packs").glob("*.zip"))


def folders(store):
    return [path.name for path in (store.folder / "runs").glob("*/*")]


def test_packed_runs_read_as_before(store):
    before = {item.key: item for item in store.records()}
    assert store.pack(runs_per_pack=3) == 7 and store.pack() == 0
    assert len(packs(store)) == 3 and folders(store) == []
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
    assert store.size().finished == store.size().packed == 7


def test_one_record_is_read_without_those_before_it(tmp_path, monkeypatch):
    """Looking for what is there in a packed study: its cost must not grow with the size of the packs, squared."""
    store = Store(tmp_path / "study")
    many = sorted(keys(40))
    fill(store, many, keep="figures")
    assert store.pack() == 40
    assert store.record(many[0]) is not None  # which checks the pack, once

    def no_lines(self):
        raise AssertionError("all records are read")

    monkeypatch.setattr(Pack, "lines", no_lines)
    monkeypatch.setattr("zipfile.ZipFile.open", no_lines)
    assert [store.record(key).to_json() for key in many] == [record(key).to_json() for key in many]


def test_packs_are_archives_that_others_read(store):
    store.pack(KEYS[:2])
    assert len(folders(store)) == 5
    (path,) = packs(store)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert len(archive.read("records.jsonl").splitlines()) == 2
        assert archive.getinfo(f"{KEYS[0]}/result.h5").compress_type == zipfile.ZIP_STORED
    check_each_once(store, KEYS)


def test_failed_runs_are_not_packed(store):
    with store.claim(key_of(50)) as claim:
        claim.fail(record(key_of(50), FAILED))
    assert store.pack() == 7
    assert store.failed_keys() == {bytes.fromhex(key_of(50))}
    assert sorted(item.key for item in store.records()) == sorted([*KEYS, key_of(50)])


def test_killed_at_each_change_of_the_file_system(tmp_path):
    change = 0
    while True:
        change += 1
        store = Store(tmp_path / str(change))
        fill(store, KEYS[:3])
        killed = killed_at(change, lambda store=store: store.pack(runs_per_pack=2))
        check_each_once(store, KEYS[:3])
        assert len(packs(store)) + len(folders(store)) >= 1
        store.pack(runs_per_pack=2)
        store.tidy()
        check_each_once(store, KEYS[:3])
        assert folders(store) == [] and os.listdir(store.folder / "work") == []
        assert [path for path in (store.folder / "packs").iterdir() if path.suffix != ".zip"] == []
        if not killed:
            break
    assert change > 20


def test_readers_see_each_run_once_while_runs_are_packed(store):
    process = FORK.Process(target=lambda: [store.pack([key]) for key in KEYS])
    process.start()
    rounds = 0
    while process.is_alive() or rounds < 2:
        check_each_once(Store(store.folder), KEYS)
        rounds += 1
    process.join()
    assert process.exitcode == 0 and len(packs(store)) == 7


def test_second_packer_is_told_who_packs(store):
    from flexmbs.common.file_lock import FileLock

    (store.folder / "packs").mkdir()
    lock = FileLock(store.folder / "packs" / "packing.lock")
    assert lock.acquire()
    lock.write()
    with pytest.warns(StudyWarning, match=f"another process is packing this study .process {os.getpid()}"):
        assert store.pack() == 0
    lock.release()
    assert store.pack() == 7


def test_run_in_two_packs_counts_once(store):
    """As two processes make them where the file system has no locks."""
    other = Store(store.folder.with_name("other"))
    fill(other, KEYS[:3])
    store.pack()
    other.pack()
    (path,) = packs(other)
    os.rename(path, store.folder / "packs" / "0000.zip")
    check_each_once(store, KEYS)


def broken(content, where, damage):
    place = {"keys": 40, "records": content.index(b"records.jsonl") + 60, "end": len(content) - 10}[where]
    if damage == "cut":
        return content[:place]
    return content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :]


@pytest.mark.parametrize(("where", "damage"), [("keys", "bit"), ("records", "bit"), ("keys", "cut"), ("end", "cut")])
def test_damaged_pack_is_named_and_its_runs_are_computed_again(store, where, damage):
    store.pack(KEYS[:3])
    (path,) = packs(store)
    path.write_bytes(broken(path.read_bytes(), where, damage))
    store = Store(store.folder)
    with pytest.warns(StudyWarning, match=f"{path.name}: this pack is damaged"):
        assert store.finished_keys() == {bytes.fromhex(key) for key in KEYS[3:]}
        assert sorted(item.key for item in store.records()) == sorted(KEYS[3:])
        assert not store.has(KEYS[0])
    fill(store, KEYS[:3])
    check_each_once(store, KEYS)
    store.pack(KEYS[:3])  # replaces the damaged one, which has the name of the same runs
    store.pack()
    check_each_once(store, KEYS)
    assert len(packs(store)) == 2


def test_pipe_in_the_place_of_a_pack_is_named(store):
    store.pack(KEYS[:3])
    (path,) = packs(store)
    path.unlink()
    os.mkfifo(path)
    store = Store(store.folder)
    with pytest.warns(StudyWarning, match=f"{path.name}: this pack is damaged .it is a named pipe"):
        assert store.finished_keys() == {bytes.fromhex(key) for key in KEYS[3:]} and not store.has(KEYS[0])


def test_damaged_file_in_a_pack_is_named(store):
    store.pack()
    (path,) = packs(store)
    content = path.read_bytes()
    place = content.index(KEYS[1].encode() * 100) + 7
    path.write_bytes(content[:place] + b"?" + content[place + 1 :])
    with pytest.raises(StudyError, match=f"{path.name}: {KEYS[1]}.*cannot be read from this pack"):
        store.content_of(KEYS[1], "result.h5")
    with pytest.raises(StudyError, match="cannot be read from this pack"):
        store.files_of(KEYS[1])
    assert os.listdir(store.folder / "unpacked") == []
    assert store.files_of(KEYS[2]).is_dir()


def test_disk_full_while_packing_loses_nothing(store):
    def pack():
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))  # the system ends writing as on a full disk
        try:
            store.pack()
        except StudyError as error:
            os._exit(3 if "cannot be written: it would exceed the maximum" in str(error) else 4)

    assert in_child(pack) == 3
    assert [path.suffix for path in (store.folder / "packs").iterdir()] == [] and len(folders(store)) == 7
    check_each_once(store, KEYS)


def test_packs_are_full_by_runs_or_bytes(store):
    assert store.pack(bytes_per_pack=7000) == 7  # 3.4 kB each
    assert len(packs(store)) == 3
    with pytest.raises(StudyError, match="runs_per_pack must be at least 1"):
        store.pack(runs_per_pack=0)


def test_damaged_record_stays_out_of_the_pack(store):
    (store.files_of(KEYS[0]) / "run.json").write_bytes(b"{")
    with pytest.warns(StudyWarning, match="counts as not computed"):
        assert store.pack() == 6
    assert folders(store) == [KEYS[0]]


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
                store.pack(runs_per_pack=chance.randrange(1, 20))
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
def test_killed_at_random_moments(tmp_path, monkeypatch):
    monkeypatch.setattr(time, "time", time.time)  # the last round sets the clock of this process back
    assert killed_at_random(tmp_path / "study", 150, 25, 0.01) > 3


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*another process is packing")
def test_killed_at_random_moments_for_long(tmp_path, monkeypatch):
    monkeypatch.setattr(time, "time", time.time)
    kills = 0
    for number in range(5):
        kills += killed_at_random(tmp_path / str(number), 500, 100, 0.1)
    assert kills > 50

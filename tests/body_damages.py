"""Damages of .npz and HDF5 files: bytes, and well-formed content that is wrong, so that no check sum tells them."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np


def damage_file(path: Path, choose: random.Random) -> str:
    """One damage; its name."""
    if choose.random() < 0.25:
        return _damage_bytes(path, choose)
    return (_damage_hdf5 if path.suffix == ".h5" else _damage_npz)(path, choose)


def _damage_bytes(path: Path, choose: random.Random) -> str:
    data, what = bytearray(path.read_bytes()), choose.choice(("flipped", "flipped", "cut", "inserted", "zeros"))
    at = choose.randrange(len(data))
    if what == "flipped":
        for _ in range(choose.choice((1, 1, 4, 30))):
            data[choose.randrange(len(data))] ^= 1 << choose.randrange(8)
    elif what == "cut":
        del data[at:]
    elif what == "inserted":
        data[at:at] = bytes(choose.randrange(256) for _ in range(choose.choice((1, 8, 100))))
    else:
        data[at : at + 64] = bytes(len(data[at : at + 64]))
    path.write_bytes(bytes(data))
    return f"bytes {what}"


def _removed(array, choose):
    return None


def _not_finite(array, choose):
    array = np.array(array, dtype=float)
    array.flat[choose.randrange(array.size)] = choose.choice((np.nan, np.inf, -np.inf))
    return array


def _odd_number(array, choose):
    array = np.array(array)
    limits = (np.iinfo(array.dtype).min, np.iinfo(array.dtype).max) if array.dtype.kind in "iu" else (1e300, -1e300)
    odd = choose.choice((-1, -2, array.size, 10**6, 10**9, *limits, 0))
    array.flat[choose.randrange(array.size)] = odd
    return array


def _negative(array, choose):
    return -np.array(array)


def _scaled(array, choose):
    return np.array(array) * choose.choice((1e-300, 1e-3, 2, 1000, 1e9, 1e200))


def _cut(array, choose):
    axis = choose.randrange(max(array.ndim, 1))
    return np.atleast_1d(array).take(range(array.shape[axis] // 2 if array.ndim else 0), axis=axis)


def _longer(array, choose):
    axis = choose.randrange(max(array.ndim, 1))
    return np.concatenate([np.atleast_1d(array)] * choose.choice((2, 2, 7)), axis=axis)


def _turned(array, choose):
    return np.atleast_1d(array).T if choose.random() < 0.5 else np.atleast_1d(array).ravel()


def _retyped(array, choose):
    kind = choose.choice(("f4", "f2", ">f8", "i4", "u8", "i1", "?", "c16", "S4"))
    with np.errstate(all="ignore"):
        return np.array(array).astype(kind)


def _text(array, choose):
    return np.array(choose.choice(("nan", "many", "", "\u00e9")))


def _single(array, choose):
    return np.array(choose.choice((0, -1, 3.5, np.nan, 10**12)))


CONTENT = {
    "removed": _removed,
    "not finite": _not_finite,
    "odd number": _odd_number,
    "negative": _negative,
    "scaled": _scaled,
    "cut short": _cut,
    "too long": _longer,
    "other shape": _turned,
    "other type": _retyped,
    "text": _text,
    "single number": _single,
    "huge": None,
    "exchanged": None,
}


def _changed(array: np.ndarray, others: list[np.ndarray], choose: random.Random):
    """(name of the damage, new array, None: removed); the damages that make sense for this array."""
    names = list(CONTENT)
    if array.dtype.kind not in "iuf":
        names = ["removed", "cut short", "too long", "text", "single number", "exchanged"]
    elif array.size == 0:
        names = ["removed", "other type", "text", "single number", "exchanged"]
    name = choose.choice(names)
    if name == "huge":
        return name, array
    return name, choose.choice(others) if name == "exchanged" else CONTENT[name](array, choose)


def _damage_npz(path: Path, choose: random.Random) -> str:
    with np.load(path) as archive:
        arrays = {key: archive[key] for key in archive.files}
    if "note" in arrays and choose.random() < 0.3:
        arrays["note"] = np.array(_damaged_text(str(arrays["note"]), choose))
        np.savez(path, **arrays)
        return "note"
    key = choose.choice(sorted(arrays))
    if arrays[key].dtype.names and arrays[key].size:  # a table: one of its columns
        column = choose.choice(arrays[key].dtype.names)
        arrays[key][column] = _odd_number(arrays[key][column], choose)
        np.savez(path, **arrays)
        return "column of a table"
    name, new = _changed(arrays[key], list(arrays.values()), choose)
    if name == "huge":
        return _claim_more(path, arrays, key)
    arrays.pop(key) if new is None else arrays.update({key: new})
    np.savez(path, **arrays)
    return name


def _claim_more(path: Path, arrays: dict[str, np.ndarray], key: str) -> str:
    """The header of one array claims a terabyte; every check sum is right."""
    import io
    import zipfile

    np.savez(path, **arrays)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**6, 131072)})
    members[f"{key}.npy"] = header.getvalue() + arrays[key].tobytes()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return "huge"


def _damaged_text(text: str, choose: random.Random) -> str:
    """JSON text with one value exchanged, one entry gone, or a byte lost."""
    try:
        values = json.loads(text)
    except ValueError:
        values = None
    if not isinstance(values, dict) or not values or choose.random() < 0.2:
        at = choose.randrange(len(text) + 1)
        return text[:at] + choose.choice(("", "{", "]", "NaN")) + text[at + 1 :]
    key = choose.choice(sorted(values))
    if choose.random() < 0.3:
        del values[key]
    else:
        values[key] = choose.choice((None, -1, 10**9, 1.5, float("nan"), "text", [], ["x", 3], {}, True, [[]]))
    return json.dumps(values)


def _damage_hdf5(path: Path, choose: random.Random) -> str:
    import h5py

    with h5py.File(path, "r+") as file:
        found: list[tuple] = []

        def note(_name, item):
            found.extend((item, key) for key in item.attrs)
            if isinstance(item, h5py.Dataset):
                found.append((item, None))
            elif choose.random() < 0.05:
                found.append((item, ""))

        file.visititems(note)
        found += [(file, key) for key in file.attrs]
        item, key = choose.choice(found)
        if key == "":
            del file[item.name]
            return "removed"
        if key is not None:
            return _damage_attribute(item, key, choose)
        others = [other[()] for other, which in found if which is None and other.dtype.kind in "iuf"]
        return _damage_dataset(file, item, others, choose)


def _damage_attribute(item, key: str, choose: random.Random) -> str:
    odd = (0, -1, 10**12, np.nan, np.inf, 1e300, "text", np.zeros(3), b"\xff\xfe", True, 3, "")
    if choose.random() < 0.2:
        del item.attrs[key]
    else:
        item.attrs[key] = choose.choice(odd)
    return "attribute"


def _damage_dataset(file, item, others, choose: random.Random) -> str:
    name = item.name
    if item.dtype.kind == "O":
        text = item.asstr()[()]
        if isinstance(text, str) and choose.random() < 0.8:
            del file[name]
            file[name] = _damaged_text(text, choose)
            return "note"
        array = np.array(text, dtype="S")
    else:
        array = item[()]
    what, new = _changed(np.asarray(array), others, choose)
    del file[name]
    if what == "huge":
        file.create_dataset(name, shape=(10**6, 131072), dtype="f8", chunks=(1000, 1000))
    elif new is not None:
        new = np.asarray(new)
        file[name] = str(new) if new.dtype.kind == "U" else new
    return what

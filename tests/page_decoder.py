"""Decodes the data of a page as ``web/decode.js`` does, written from docs/web_page.md."""

import base64
import json
import re
import zlib

import numpy as np

KINDS = {"f32": "<f4", "f64": "<f8", "u32": "<u4", "i32": "<i4", "u8": "u1"}


def decoded(fragment):
    """The scene of a fragment or page, with its arrays in it."""
    header = json.loads(re.search(r'class="flexmbs-header">(.*?)</script>', fragment, re.S)[1])
    data = re.search(r'class="flexmbs-data">(.*?)</script>', fragment, re.S)[1]
    return unpacked(header, zlib.decompress(base64.b64decode(data), -15))


def unpacked(tree, block):
    if isinstance(tree, list):
        return [unpacked(value, block) for value in tree]
    if isinstance(tree, dict):
        if "at" in tree and "type" in tree:
            return array(tree, block)
        return {name: unpacked(value, block) for name, value in tree.items()}
    return tree


def array(entry, block):
    if "bytes" in entry:
        return quantised(entry, block)
    return np.frombuffer(block, KINDS[entry["type"]], entry["count"], entry["at"])


def quantised(entry, block):
    rows, n, columns = entry["shape"]
    size = rows * n * columns
    planes = np.frombuffer(block, "u1", entry["bytes"] * size, entry["at"]).reshape(entry["bytes"], size)
    folded = sum(plane.astype(np.int64) << (8 * k) for k, plane in enumerate(planes))
    numbers = np.where(folded & 1, -(folded + 1) // 2, folded // 2).reshape(rows, columns, n)
    for _ in range(entry.get("order", 0)):
        numbers = np.cumsum(numbers, axis=-1)
    step, low = (scales(entry.get(name, plain), block, rows, columns) for name, plain in (("step", 1.0), ("low", 0.0)))
    return np.moveaxis(low + step * numbers, 2, 1)


def scales(given, block, rows, columns):
    values = array(given, block) if isinstance(given, dict) else np.asarray(given, dtype=float)
    return values if values.ndim == 0 else values.reshape(rows, columns, 1)

"""Decodes the data of a page as ``web/decode.js`` does, written from docs/web_page.md."""

import base64
import json
import re
import zlib

import numpy as np


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
    raw = np.frombuffer(block, f"<{entry['type']}", entry["count"], entry["at"])
    if "columns" not in entry:
        return raw
    numbers = np.cumsum(raw.reshape(-1, entry["columns"]), axis=0, dtype="i4")
    return numbers if "step" not in entry else scale(entry["low"], block) + scale(entry["step"], block) * numbers


def scale(given, block):
    return array(given, block) if isinstance(given, dict) else given

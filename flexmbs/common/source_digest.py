"""Hash of Python sources of flexmbs: results that were computed with other sources may differ."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent


def source_digest(folders: tuple[str, ...]) -> str:
    """Hexadecimal hash (40 digits) of the names and contents of all Python files in folders of the package."""
    digest = hashlib.blake2b(digest_size=20)
    for folder in folders:
        found = (os.path.join(place, name) for place, _, names in os.walk(PACKAGE / folder) for name in names)
        for path in sorted(path for path in found if path.endswith(".py")):
            digest.update(path[len(str(PACKAGE)) + 1 :].replace(os.sep, "/").encode() + b"\0")
            with open(path, "rb", buffering=0) as file:
                digest.update(file.readall())
    return digest.hexdigest()

"""Check that a video file is complete: its encoder does not report a full disk."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def require_whole_film(path: Path) -> None:
    """OSError unless the .mp4 file at ``path`` consists of complete boxes that include the index ("moov")."""
    size, at, kinds = path.stat().st_size, 0, []
    with open(path, "rb") as file:
        while at + 8 <= size:
            file.seek(at)
            head = file.read(16)
            length, kind = int.from_bytes(head[:4], "big"), head[4:8]
            if length == 1:  # more than 4 GB
                length = int.from_bytes(head[8:16], "big")
            if length < 8:
                break
            kinds.append(kind)
            at += length
    if at != size or b"moov" not in kinds:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

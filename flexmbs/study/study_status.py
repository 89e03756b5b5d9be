"""How far a study has got."""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.common.progress import size_text


@dataclass(frozen=True)
class StudyStatus:
    """Numbers of points of a study by what has become of them, and what it takes on disk.

    Attributes
    ----------
    folder : of the study
    points : all
    finished, failed, begun, missing : points whose run is finished; failed; was begun and is going on or was cut off;
        was never begun
    packed : finished runs that are in packs
    files, bytes : number and size of all files of the study
    """

    folder: str
    points: int
    finished: int
    failed: int
    begun: int
    missing: int
    packed: int
    files: int
    bytes: int

    def __str__(self) -> str:
        parts = [f"{self.finished} finished" + (f" ({self.packed} of them packed)" if self.packed else "")]
        parts += [
            f"{count} {what}"
            for count, what in ((self.failed, "failed"), (self.begun, "begun"), (self.missing, "to be computed"))
            if count
        ]
        return f"{self.folder}: {self.points} points: {', '.join(parts)}; {self.files} files, {size_text(self.bytes)}"

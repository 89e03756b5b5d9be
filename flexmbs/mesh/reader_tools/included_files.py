"""The files that a deck includes: where they are looked for, and which are not read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from flexmbs.common.errors import MeshError

_DEEPEST = 20
_MOST = 2000  # files that include another one twice each would multiply without end


class Includes:
    """Finds the files that a deck includes.

    Files outside its folder are refused, as a deck from elsewhere should not read any file it likes, unless ``allow_outside``.
    """

    def __init__(self, deck: Path, allow_outside: bool = False) -> None:
        self._deck, self._allow_outside = deck, allow_outside
        self._found = 0

    def find(self, name: str, where: str, including: Sequence[Path]) -> Path | None:
        """The file that ``name`` means, None when there is none.

        It is looked for beside the file that names it, then beside the deck; with slashes of either kind, and in
        another case when there is only one such file (decks come from systems that do not care). ``including``: the files
        that are being read, the deck first, the one that names the file last.

        Raises MeshError, starting with ``where``, when the file is outside the deck's folder or is being read already, or when
        too many files are included.
        """
        path = next(self._candidates(name, including[-1].parent), None)
        if path is None:
            return None
        self._check_inside(path, name, where)
        if any(_real(path) == _real(other) for other in including):
            raise MeshError(f"{where}: {name} includes itself (cyclic include); remove one of the includes.")
        self._found += 1
        if len(including) > _DEEPEST or self._found > _MOST:
            raise MeshError(
                f"{where}: includes are nested more than {_DEEPEST} deep, or there are more than {_MOST}; merge the files into one."
            )
        return path

    def needed(self, name: str, where: str, including: Sequence[Path]) -> Path:
        """As ``find``; MeshError when there is no such file."""
        path = self.find(name, where, including)
        if path is None:
            for wanted in self._wanted(name, including[-1].parent):
                self._check_inside(wanted, name, where)
            looked = " and ".join(str(folder) for folder in self._folders(including[-1].parent))
            raise MeshError(f"{where}: included file {name} not found (looked in {looked}); copy it there, or correct the name.")
        return path

    def _folders(self, beside: Path) -> list[Path]:
        return list(dict.fromkeys((beside, self._deck.parent)))

    def _check_inside(self, path: Path, name: str, where: str) -> None:
        root = _real(self._deck).parent
        if not self._allow_outside and "\0" not in name and not _real(path).is_relative_to(root):
            raise MeshError(
                f"{where}: the included file {name} is outside the folder of the deck ({root}); copy it there, or allow"
                " files outside (allow_outside_includes=True, --allow-outside-includes)."
            )

    def _wanted(self, name: str, beside: Path) -> list[Path]:
        names = dict.fromkeys((name, name.replace("\\", "/")))
        return [folder / written for written in names for folder in self._folders(beside)]

    def _candidates(self, name: str, beside: Path) -> Iterator[Path]:
        """Files that exist, the likeliest first."""
        wanted = self._wanted(name, beside)
        try:
            yield from (path for path in wanted if path.is_file())
            for path in wanted:
                yield from _in_another_case(path)
        except (OSError, ValueError):  # a name that no file can have
            return


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))  # Path.resolve raises for links that lead in a circle


def _in_another_case(path: Path) -> list[Path]:
    """The one file beside ``path`` whose name differs from its name only in the case of letters, if there is one."""
    if not path.parent.is_dir():
        return []
    same = [other for other in path.parent.iterdir() if other.name.lower() == path.name.lower() and other.is_file()]
    return same if len(same) == 1 else []

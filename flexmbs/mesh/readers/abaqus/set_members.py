"""What the names of sets stand for, when the whole deck is known."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.common.names_in_messages import near_names
from flexmbs.mesh.readers.abaqus.deck import SetItem
from flexmbs.mesh.readers.abaqus.number_tables import LARGEST_NUMBER, is_integer
from flexmbs.mesh.readers.abaqus.placed_instances import Model, Region

_DEEPEST_SET = 100
_MOST_OVERLAP = 300  # sets that a node may be in on average; beyond, a small file would fill the memory


class Sets:
    """The node sets, or the element sets, of a model: members in the order given, each once.

    Numbers that do not exist are left out with a warning; MeshError for a set none of whose members exist, that names
    an unknown set, or that is made of itself.
    """

    def __init__(self, model: Model, elements: Sets | None = None) -> None:
        self._model = model
        self._elements = elements  # for node sets: the element sets
        self._what = "node" if elements is not None else "element"
        self._done: dict[tuple[str, str], np.ndarray] = {}
        self._total = 0

    def names(self, region: Region) -> dict[str, list[SetItem]]:
        """The sets of a region as the file gives them."""
        return region.scope.node_sets if self._elements is not None else region.scope.element_sets

    def members(self, region: Region, name: str, depth: int = 0) -> np.ndarray:
        """Members of a set that the region has: node indices or serial numbers of elements."""
        key = (region.name, name)
        if key not in self._done:
            items = self.names(region)[name]
            if depth > _DEEPEST_SET:
                raise MeshError(f"{items[0].line.where}: {self._title} {name} contains itself, or is nested too deep.")
            self._done[key] = self._collected(region, name, items, depth)
        return self._done[key]

    def named(self, region: Region, name: str, where: str, depth: int = 0) -> np.ndarray:
        """Members by a name as a card uses it: a number, SET, INSTANCE.SET or INSTANCE.number.

        MeshError starting with ``where`` when there is none.
        """
        found = self.find(region, name, depth)
        if found is None:
            known = [self._model.final_name(r, n) for r in self._model.regions for n in self.names(r)]
            what = f"{self._what} {name}" if is_integer(name) else f"the {self._what} set {name}"
            hint = "" if is_integer(name) else f" {near_names(name, known)}"
            raise MeshError(f"{where} names {what}, which is not defined.{hint}")
        return found

    def find(self, region: Region, name: str, depth: int = 0) -> np.ndarray | None:
        """As ``named``; None when there is no such set or number."""
        place = self._model.place_of(region, name, lambda r, n: n in self.names(r) or is_integer(n))
        if place is None:
            return None
        holder, own = place
        return self.members(holder, own, depth + 1) if own in self.names(holder) else self._one(holder, own)

    @property
    def _title(self) -> str:
        return "*NSET" if self._what == "node" else "*ELSET"

    def _one(self, region: Region, text: str) -> np.ndarray | None:
        number = int(text)
        if abs(number) > LARGEST_NUMBER:
            return None
        if self._what == "node":
            index = region.find_node(number)
            return None if index is None else np.array([index])
        found = region.find_elements(np.array([number], np.int64))
        return found if found[0] >= 0 else None

    def _find(self, region: Region, numbers: np.ndarray) -> np.ndarray:
        return region.find_nodes(numbers) if self._what == "node" else region.find_elements(numbers)

    def _collected(self, region: Region, name: str, items: list[SetItem], depth: int) -> np.ndarray:
        parts, missing, example, size = [np.empty(0, np.int64)], 0, None, 0
        for item in items:
            found, absent, first = self._of_item(region, name, item, depth)
            parts.append(found)
            size += len(found)
            missing, example = missing + absent, first if example is None else example
            if size > 4 * (len(self._model.points) + len(self._model.element_numbers)) + 1000:
                parts = [once(np.concatenate(parts))]
                size = len(parts[0])
        members = once(np.concatenate(parts))
        where = items[0].line.where
        if not len(members):
            why = f"none of its {missing} members exists (first: {example})" if missing else "it has no members"
            raise MeshError(f"{where}: {self._title} {name} is empty: {why}; give numbers or sets that exist.")
        self._total += len(members)
        if self._total > _MOST_OVERLAP * (len(self._model.points) + 1000):
            raise MeshError(
                f"{where}: {self._title} {name}: the {self._what} sets of the file have {self._total} members, more"
                f" than {_MOST_OVERLAP} for each node; check the ranges of GENERATE."
            )
        if missing:
            self._model.warn(
                f"{where}: {self._what} set {name} names {missing} that do not exist (first: {example}); they are left out."
            )
        return members

    def _of_item(self, region: Region, name: str, item: SetItem, depth: int) -> tuple[np.ndarray, int, object]:
        target = region if item.instance is None else self._model.region_named(item.instance, item.line)
        where = f"{item.line.where}: {self._title} {name}"
        if item.numbers is not None:
            found = self._find(target, item.numbers)
            absent = np.flatnonzero(found < 0)
            return found[found >= 0], absent.size, item.numbers[absent[0]] if absent.size else None
        if item.generated is not None:
            return self._in_range(target, *item.generated)
        if item.of_elements:
            serials = self._elements.named(target, item.set_name, where, depth)
            return self._model.nodes_of_elements(serials), 0, None
        return self.named(target, item.set_name, where, depth), 0, None

    def _in_range(self, region: Region, first: int, last: int, step: int) -> tuple[np.ndarray, int, object]:
        existing = region.existing(self._what == "element")
        low, high = np.searchsorted(existing, first), np.searchsorted(existing, last, "right")
        inside = existing[low:high]
        inside = inside[(inside - first) % step == 0]
        absent = (last - first) // step + 1 - len(inside)
        missing = None
        if absent:
            expected = first + step * np.arange(len(inside), dtype=np.int64)
            gap = np.flatnonzero(inside != expected)
            missing = int(expected[gap[0]]) if gap.size else first + step * len(inside)
        return self._find(region, inside), absent, missing


def once(numbers: np.ndarray) -> np.ndarray:
    """Each number once, in the order of first appearance."""
    if len(numbers) < 2 or (np.diff(numbers) > 0).all():
        return numbers
    _, first = np.unique(numbers, return_index=True)
    return numbers[np.sort(first)]

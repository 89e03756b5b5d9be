"""Interfaces that share nodes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexmbs.common.errors import BodyError
from flexmbs.reduction.interface import Interface


def refuse_overlap(mesh, interfaces: Mapping[str, str | Interface]) -> None:
    """BodyError if the nodes of two interfaces (a set and another set or a coupling) overlap.

    A load at one marker would move the other without physical reason. A single node may be part of a set (a contact
    point on a bearing face). Couplings that share nodes are combined as in the model of the file.
    """
    groups = {name: _nodes(mesh, given) for name, given in interfaces.items()}
    names = [name for name, nodes in groups.items() if len(nodes) > 1]
    of_file = {name for name in names if getattr(interfaces[name], "coupling", None) is not None}
    for i, second in enumerate(names):
        for first in names[:i]:
            if {first, second} <= of_file:
                continue
            shared = np.intersect1d(groups[first], groups[second])
            if len(shared):
                raise BodyError(
                    f"interfaces '{first}' and '{second}' overlap: they share {len(shared)} nodes (node "
                    f"{mesh.node_ids[shared[0]]}, ...); remove them from one of the two, or use one interface"
                )


def _nodes(mesh, given: str | Interface) -> np.ndarray:
    """Nodes of a set or of a coupling, each once; empty for an unknown name (which is rejected elsewhere)."""
    interface = Interface(set=given) if isinstance(given, str) else given
    found: object = ()
    if isinstance(interface, Interface) and interface.set in mesh.node_sets:
        found = mesh.node_sets[interface.set]
    elif isinstance(interface, Interface) and interface.coupling is not None:
        found = next((c.nodes for c in mesh.couplings if c.name == interface.coupling), ())
    return np.unique(np.asarray(found, dtype=np.int64))

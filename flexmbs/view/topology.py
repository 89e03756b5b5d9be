"""The topology of a mechanism as a picture: bodies are boxes, joints are lines, dashed if they close a loop.

Bodies are placed by classical scaling and stress majorization (Gansner, Koren and North, Graph drawing by stress
majorization, 2005): distances in the picture follow the number of joints between two bodies. Every joint with ground
gets its own ground symbol, as in drawings of mechanisms, so that ground does not pull all bodies together.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from flexmbs.common.atomic_files import replacing_in_folder
from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import no_formula
from flexmbs.view.drawable import DrawableDescription

FORMATS = (".png", ".svg", ".pdf")
SPACING = 1.75  # inches between bodies connected by a joint
LONGEST = 10.0  # distances are a power of the number of joints, so that the longest is this: long chains curl up
SWEEPS = 300  # of the majorization
NEAREST = 0.62  # smallest distance of two boxes, in spacings
BODY, FLEXIBLE, GROUND = "#dbe9f6", "#fde6cf", "#d9d9d9"


class Link(NamedTuple):
    """What connects two nodes: label lines, and line style (dashed if all of it closes loops, dotted for forces)."""

    first: int
    second: int
    label: tuple[str, ...]
    style: str


def save_topology(description: DrawableDescription, path: str | Path) -> Path:
    """Write the picture; the extension of ``path`` (.png, .svg, .pdf) determines the format; FlexmbsError for another."""
    if Path(path).suffix.lower() not in FORMATS:
        raise FlexmbsError(f"{path}: the file name of a picture must end in {', '.join(FORMATS)}")
    figure = draw_topology(description)
    with replacing_in_folder(path) as temporary:
        figure.savefig(temporary)
    return Path(path)


def draw_topology(description: DrawableDescription):
    """The matplotlib figure of :func:`save_topology`; its size grows with the number of bodies."""
    from matplotlib.figure import Figure

    names, links = graph(description)
    places = layout(len(names), links) * SPACING
    places -= places.min(axis=0)
    width, height = np.maximum(places.max(axis=0) + [2.0, 1.8], [4.0, 2.5])
    places += 0.5 * ([width, height] - places.max(axis=0))
    figure = Figure(figsize=(width, height), dpi=120 if max(width, height) < 25.0 else 80)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0.0, width), ylim=(0.0, height))
    axes.axis("off")
    for link in links:
        _draw_link(axes, places, link)
    flexible = {body.name for body in description.bodies if body.modes}
    for i, name in enumerate(names):
        _draw_body(axes, places[i], name, name in flexible)
    axes.text(0.1, 0.1, _legend(description), fontsize=7.5, color="#555555")
    return figure


def graph(description: DrawableDescription) -> tuple[list[str | None], list[Link]]:
    """Names of the nodes (None: a ground symbol) and the links between them."""
    names: list[str | None] = [body.name for body in description.bodies]
    index = {name: i for i, name in enumerate(names)}
    links: list[Link] = []

    def add(ends: Sequence[str], label: tuple[str, ...], style: str) -> None:
        nodes = [index.get(end) for end in ends]
        if None in nodes:
            names.append(None)
            nodes[nodes.index(None)] = len(names) - 1
        links.append(Link(*nodes, label, style))

    joined: dict[tuple[str, str], list] = {}
    for joint in description.joints:
        joined.setdefault(tuple(sorted((joint.a[0], joint.b[0]))), []).append(joint)
    for ends, joints in joined.items():
        label = tuple(f"{joint.name}\n{joint.kind}" if joint.kind not in joint.name else joint.name for joint in joints)
        add(ends, label, "--" if all(joint.closes_loop for joint in joints) else "-")
    for entry in (*description.constraints, *description.forces, *description.contacts):
        if len(entry.bodies) == 2:
            add(entry.bodies, (entry.name,), "--" if entry in description.constraints else ":")
    return names, links


def layout(count: int, links: list[Link]) -> np.ndarray:
    """(count, 2) positions of the nodes, about 1 apart where linked; wider than high."""
    hops = _hops(count, links)
    wanted = hops ** min(1.0, np.log(LONGEST) / np.log(max(float(hops.max()), 2.0)))
    weights = 1.0 / wanted**2
    np.fill_diagonal(weights, 0.0)
    total = np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)
    places = _classical_scaling(hops)
    for _ in range(SWEEPS):
        distance = np.linalg.norm(places[:, None, :] - places[None, :, :], axis=2)
        np.fill_diagonal(distance, 1.0)
        pull = weights * wanted / np.maximum(distance, 1e-6)
        places = (weights @ places + pull.sum(axis=1, keepdims=True) * places - pull @ places) / total
    return _apart(places)


def _hops(count: int, links: list[Link]) -> np.ndarray:
    """(count, count) number of links on the path between two nodes; unconnected nodes are far apart."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import shortest_path

    ends = np.array([(link.first, link.second) for link in links if link.first != link.second], dtype=int).reshape(-1, 2)
    matrix = coo_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(count, count))
    hops = shortest_path(matrix.tocsr(), directed=False, unweighted=True)
    known = hops[np.isfinite(hops)]
    hops[~np.isfinite(hops)] = min(float(known.max(initial=1.0)), 3.0) + 1.0
    np.fill_diagonal(hops, 1.0)
    return hops


def _classical_scaling(hops: np.ndarray) -> np.ndarray:
    """Places from the two largest eigenvalues of the centered squares of distances, moved a little: none coincide."""
    count = len(hops)
    if count == 1:
        return np.zeros((1, 2))
    center = np.eye(count) - 1.0 / count
    values, vectors = np.linalg.eigh(-0.5 * center @ (hops**2 * (1.0 - np.eye(count))) @ center)
    places = vectors[:, :-3:-1] * np.sqrt(np.maximum(values[:-3:-1], 0.0))
    return places + 0.05 * np.random.default_rng(0).normal(size=(count, 2))


def _apart(places: np.ndarray) -> np.ndarray:
    """Boxes pushed apart until none is nearer than ``NEAREST``."""
    places = places.copy()
    for _ in range(200):
        difference = places[:, None, :] - places[None, :, :]
        distance = np.linalg.norm(difference, axis=2)
        np.fill_diagonal(distance, np.inf)
        close = distance < NEAREST
        if not np.any(close):
            break
        push = np.zeros_like(distance)
        push[close] = 0.5 * (NEAREST - distance[close]) / np.maximum(distance[close], 1e-9)
        places += 0.6 * (push[:, :, None] * difference).sum(axis=1)
    return places


def _draw_link(axes, places: np.ndarray, link: Link) -> None:
    start, end = places[link.first], places[link.second]
    color = {"-": "#333333", "--": "#b03030", ":": "#2f7d4f"}[link.style]
    axes.plot(*zip(start, end, strict=True), linestyle=link.style, color=color, linewidth=1.3, zorder=1)
    paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.9}
    look = {"fontsize": 6.5, "color": color, "zorder": 3, "linespacing": 1.05, "bbox": paper}
    axes.text(*(0.5 * (start + end)), no_formula("\n".join(link.label)), ha="center", va="center", **look)


def _draw_body(axes, place: np.ndarray, name: str | None, flexible: bool) -> None:
    if name is None:
        x, y = place
        axes.plot([x - 0.16, x + 0.16], [y, y], color="black", linewidth=2.0, zorder=4)
        for left in x - 0.16 + 0.08 * np.arange(5):
            axes.plot([left, left - 0.07], [y, y - 0.1], color="black", linewidth=0.9, zorder=4)
        return
    box = {"boxstyle": "round,pad=0.35", "facecolor": FLEXIBLE if flexible else BODY, "edgecolor": "#333333"}
    axes.text(*place, no_formula(_broken(name)), fontsize=8.0, ha="center", va="center", zorder=5, bbox=box)


def _broken(name: str) -> str:
    """Long names on two lines."""
    if len(name) <= 12 or " " not in name:
        return name
    words = name.split()
    half = min(range(1, len(words)), key=lambda k: abs(len(" ".join(words[:k])) - len(" ".join(words[k:]))))
    return f"{' '.join(words[:half])}\n{' '.join(words[half:])}"


def _legend(description: DrawableDescription) -> str:
    parts = ["boxes: bodies" + (" (orange: flexible)" if any(body.modes for body in description.bodies) else "")]
    parts.append("hatched: ground")
    if any(joint.closes_loop for joint in description.joints) or description.constraints:
        parts.append("dashed: closes a loop")
    if description.forces or description.contacts:
        parts.append("dotted: forces")
    if description.mobility is not None:
        parts.append(f"degrees of freedom: {description.mobility.freedoms}")
    return "   ".join(parts)

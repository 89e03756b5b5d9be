"""The picture of a topology: what is joined lies near, boxes do not overlap, lines of trees do not cross."""

import itertools

import numpy as np
import pytest
from planar_four_bar import bar, four_bar

import flexmbs as fm
from flexmbs.view.topology import NEAREST, draw_topology, graph, layout


def chain(count: int, branches: int = 1) -> fm.System:
    """Bodies that hang on each other: a chain, or a tree with so many branches at every body."""
    system = fm.System()
    parts = []
    for i in range(count):
        part = system.add(bar(1.0), name=f"link {i}")
        carrier = system.ground["origin"] if i == 0 else parts[(i - 1) // branches].marker(f"m{i}")
        system.revolute(carrier, part["origin"], name=f"joint {i}")
        parts.append(part)
    return system


@pytest.mark.parametrize(("count", "branches"), [(5, 1), (50, 1), (30, 2), (40, 3), (8, 7)])
def test_trees_are_drawn_without_crossings_or_overlaps(count, branches):
    names, links = graph(chain(count, branches).describe())
    places = layout(len(names), links)
    distance = np.linalg.norm(places[:, None] - places[None], axis=2) + 10.0 * np.eye(len(names))
    assert distance.min() > 0.9 * NEAREST
    assert crossings(places, links) == 0


def crossings(places, links):
    """Pairs of links without a common body that cross."""

    def side(a, b, c):
        return np.sign((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))

    count = 0
    for one, other in itertools.combinations(links, 2):
        if not {one.first, one.second} & {other.first, other.second}:
            a, b, c, d = places[[one.first, one.second, other.first, other.second]]
            count += side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0
    return count


def test_links_say_what_they_are():
    system = four_bar()
    system.spring_damper(system.bodies["crank"]["end"], system.bodies["rocker"]["end"], 1.0, name="tie")
    names, links = graph(system.describe())
    assert names == ["crank", "coupler", "rocker", None, None]  # two ground signs
    styles = {link.label[0].split("\n")[0]: link.style for link in links}
    assert styles == {"A": "-", "B": "-", "D": "-", "C": "--", "tie": ":"}


def test_figure_grows_with_the_mechanism():
    small, large = (draw_topology(chain(count).describe()).get_size_inches() for count in (3, 50))
    assert large.prod() > 4.0 * small.prod()
    texts = [text.get_text() for text in draw_topology(four_bar().describe()).axes[0].texts]
    assert {"crank", "coupler", "rocker", "C\nrevolute"} <= set(texts)

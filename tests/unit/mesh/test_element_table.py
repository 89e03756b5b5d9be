"""The table of element kinds: each name means one thing, node orders are permutations, every kind is computed."""

import numpy as np
import pytest

from flexmbs.fem.assemble import COMPUTED_KINDS
from flexmbs.mesh.element_kinds import FIRST_ORDER, KINDS, shape_values
from flexmbs.mesh.element_names import NAMES, ORDERS, element_named, elements_of, has_reduced_integration

FORMATS = sorted(NAMES)


@pytest.mark.parametrize("file_format", FORMATS)
def test_a_name_with_a_number_of_nodes_means_one_kind(file_format):
    meanings = [(element.name, count) for element in elements_of(file_format) for count in element.node_counts]
    assert len(meanings) == len(set(meanings))


@pytest.mark.parametrize("file_format", FORMATS)
def test_node_orders_name_each_node_once_and_corners_first(file_format):
    for element in elements_of(file_format):
        assert sorted(element.order) == list(range(KINDS[element.kind].node_count))
        assert max(element.order) < min(element.node_counts)


def test_orders_belong_to_formats_kinds_and_names():
    for key in ORDERS:
        file_format, kind, *names = key.split()
        meant = [element.name for element in elements_of(file_format) if element.kind == kind]
        assert meant and set(names) <= set(meant)


@pytest.mark.parametrize("kind", [kind for kind, known in KINDS.items() if known.monomials])
def test_shape_functions_are_one_at_their_node(kind):
    known = KINDS[kind]
    assert shape_values(known, known.reference_nodes) == pytest.approx(np.eye(known.node_count), abs=1e-12)


def test_every_kind_is_computed_and_every_second_order_one_knows_its_first():
    assert set(COMPUTED_KINDS) == set(KINDS)
    for kind, first in FIRST_ORDER.items():
        assert KINDS[first].node_count == KINDS[first].corner_count == KINDS[kind].corner_count


@pytest.mark.parametrize(
    ("file_format", "name", "count", "kind"),
    [
        ("Abaqus", "C3D15V", 18, "wedge15"),
        ("Nastran", "CPENTA", 15, "wedge15"),
        ("Gmsh", "13", 18, "wedge15"),
        ("MED", "PENTA15", 15, "wedge15"),
        ("UNV", "113", 15, "wedge15"),
        ("VTK", "26", 15, "wedge15"),
        ("Exodus", "WED", 21, "wedge15"),
        ("Ansys", "SOLID186", 20, "hex20"),
        ("VTK", "26", 14, None),
    ],
)
def test_names(file_format, name, count, kind):
    element = element_named(file_format, name, count)
    assert (element.kind if element else None) == kind


def test_nastran_lists_the_middle_nodes_after_the_corners():
    assert element_named("Nastran", "CHEXA", 20).order[1] == 1


def test_reduced_integration_is_asked_for_by_name():
    assert has_reduced_integration("hex20", "C3D20RH")
    assert not has_reduced_integration("hex20", "C3D20")
    assert not has_reduced_integration("hex8", "C3D8R")

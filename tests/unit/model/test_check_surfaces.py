"""Surfaces of contacts in tables that are damaged are refused before compiled code sees them."""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.common.errors import MechanismError
from flexmbs.core.contact.surfaces import layout
from flexmbs.model.check_tables import check_tables
from flexmbs.model.compile_mechanism import compile_system


def tables_of_two_boxes():
    system = fm.System()
    for name in ("one", "two"):
        system.add(fm.RigidBody.box(1000.0, (1.0, 1.0, 1.0)), name, position=(0.0, 0.0, 2.0 * (name == "two")))
    surfaces = [fm.BodySurface(system.bodies[name]) for name in ("one", "two")]
    system.contact(*surfaces, law=fm.ElasticFoundation(1e8), name="hit")
    return compile_system(system).tables


@pytest.mark.parametrize("side", [layout.SURFACE_A, layout.SURFACE_B])
def test_every_number_of_a_surface_is_looked_at(side):
    tables = tables_of_two_boxes()
    check_tables(tables)
    contact = tables.contacts[0]
    surface = int(contact["numbers_at"] + tables.pool[contact["numbers_at"] + side])
    tree = surface + int(tables.pool[surface + layout.TREE_AT])
    places = [int(contact["numbers_at"]) + side, *range(surface, surface + layout.HEADER), tree, tree + layout.LAST]
    places.remove(surface + layout.FORMS_AT)  # bodies without modes have no forms
    for place in places:
        kept = tables.pool[place]
        tables.pool[place] = 1e7
        with pytest.raises(MechanismError, match="surfaces of contact 0 do not fit"):
            check_tables(tables)
        tables.pool[place] = kept
    check_tables(tables)
    for value in (-1, np.iinfo(np.int64).max):
        contact["scratch"] = value
        with pytest.raises(MechanismError, match="tables: "):
            check_tables(tables)

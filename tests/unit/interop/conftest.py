"""Bodies that the tests of the exchange share."""

import pytest

from flexmbs import ClampedFree, FreeFree, Material, box_mesh, line_mesh, rectangle, reduce

STEEL = Material("STEEL", 210e9, 0.3, 7850.0)


@pytest.fixture(scope="session")
def blade():
    """Steel strip 1 m x 4 mm x 20 mm, held at its root, four modes with second-order fields."""
    mesh = line_mesh(1.0, 20, rectangle(0.004, 0.02), STEEL)
    return reduce(mesh, interfaces={"1": "ROOT", "2": "TIP"}, modes=ClampedFree("1", count=4), damping=0.01, name="blade")


@pytest.fixture(scope="session")
def block():
    """A free solid bar with three modes."""
    mesh = box_mesh((0.5, 0.02, 0.03), (8, 1, 1), STEEL)
    return reduce(mesh, interfaces={"hinge": "ROOT", "tip": "TIP"}, modes=FreeFree(count=3), name="block")


@pytest.fixture(params=["blade", "block"])
def body(request):
    return request.getfixturevalue(request.param)

"""Bars that the tests of the reduction share."""

import pytest

from flexmbs import Material, box_mesh, line_mesh, rectangle

STEEL = Material("STEEL", 210e9, 0.3, 7850.0)


@pytest.fixture(scope="session")
def blade():
    """Steel strip 1 m x 4 mm (y) x 20 mm (z) of 80 beams, sets ROOT and TIP."""
    return line_mesh(1.0, 80, rectangle(0.004, 0.02), STEEL)


@pytest.fixture(scope="session")
def square_beam():
    """Bar 0.5 m x 20 mm x 20 mm of 40 beams."""
    return line_mesh(0.5, 40, rectangle(0.02, 0.02), STEEL, start=(0.0, 0.01, 0.01))


@pytest.fixture(scope="session")
def square_solid():
    """The same bar of 20 x 2 x 2 quadratic hexahedra."""
    return box_mesh((0.5, 0.02, 0.02), (20, 2, 2), STEEL)

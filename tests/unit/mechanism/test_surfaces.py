"""Surfaces: polynomials met exactly, shapes met closely, kernel and derivatives, and what is refused."""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.core.layout.frames import SURFACE_POINT
from flexmbs.core.mechanics.splines import surface_point


def saddle():
    """A natural spline of degree 5 contains all polynomials of degree 2 in each variable."""
    x, y = np.array([-1.0, -0.2, 0.5, 1.5, 2.0]), np.array([0.0, 0.4, 1.0, 1.1])
    return fm.Surface.height(x, y, lambda a, b: 0.3 * a * a - 0.5 * b * b + a * b * b + 0.2)


def cylinder(m=24):
    angle = 2.0 * np.pi * np.arange(m) / m
    height = np.linspace(0.0, 1.0, 4)
    grid = [[(0.5 * np.cos(a), 0.5 * np.sin(a), h) for h in height] for a in angle]
    return fm.Surface.through(grid, closed=(True, False))


def dune():
    x, y = np.meshgrid(np.linspace(0.0, 3.0, 9), np.linspace(-1.0, 1.0, 7) ** 3 + np.linspace(-1.0, 1.0, 7), indexing="ij")
    return fm.Surface.through(np.stack([x + 0.1 * y, y, 0.3 * np.sin(2.0 * x) * np.cos(y)], axis=-1))


SURFACES = {"saddle": saddle, "cylinder": cylinder, "dune": dune, "plane": lambda: fm.Surface.plane((1, 2, 3), (1, 1, 0))}


@pytest.fixture(params=SURFACES)
def surface(request):
    return SURFACES[request.param]()


def places(surface, count=30):
    """Parameters inside and outside."""
    random = np.random.default_rng(1).uniform(-0.3, 1.3, (2, count))
    return [b[0] + r * (b[-1] - b[0]) for b, r in zip((surface.u_breaks, surface.v_breaks), random, strict=True)]


def test_kernel_gives_the_same_numbers(surface):
    pool = np.concatenate([[7.0, 8.0], surface.pool_values(), [5.0]])
    numbers = np.zeros(18)
    out = numbers.view(SURFACE_POINT).view(np.recarray)[0]
    for u, v in zip(*places(surface), strict=True):
        surface_point(pool, 2, u, v, out)
        for found, exact in zip(numbers.reshape(6, 3), surface.derivatives(u, v), strict=True):
            assert found == pytest.approx(exact, rel=1e-12, abs=1e-12 * (1.0 + np.abs(exact).max()))
    surface_point(pool, 2, np.nan, 0.0, out)
    assert np.isnan(numbers).all()


def test_derivatives_are_those_of_the_position(surface):
    """Fourth-order differences, inside and beyond the ends."""
    u, v = places(surface)
    h = 1e-3

    def change(function):
        return (8.0 * (function(h) - function(-h)) - (function(2 * h) - function(-2 * h))) / (12.0 * h)

    _, x_u, x_v, x_uu, x_uv, x_vv = surface.derivatives(u, v)
    for exact, order, du, dv in (
        (x_u, 0, 1, 0),
        (x_v, 0, 0, 1),
        (x_uu, 1, 1, 0),
        (x_uv, 1, 0, 1),
        (x_uv, 2, 1, 0),
        (x_vv, 2, 0, 1),
    ):
        found = change(lambda e, k=order, a=du, b=dv: surface.derivatives(u + a * e, v + b * e)[k])
        assert found == pytest.approx(exact, abs=1e-7)


def test_height_meets_polynomials_of_degree_two_everywhere():
    surface = saddle()
    u, v = places(surface)
    x, x_u, x_v, x_uu, x_uv, x_vv = surface.derivatives(u, v)
    zero = np.zeros_like(u)
    assert x == pytest.approx(np.stack([u, v, 0.3 * u * u - 0.5 * v * v + u * v * v + 0.2], axis=-1), abs=1e-11)
    assert x_u == pytest.approx(np.stack([zero + 1.0, zero, 0.6 * u + v * v], axis=-1), abs=1e-10)
    assert x_v == pytest.approx(np.stack([zero, zero + 1.0, -v + 2.0 * u * v], axis=-1), abs=1e-10)
    assert x_uu == pytest.approx(np.stack([zero, zero, zero + 0.6], axis=-1), abs=1e-9)
    assert x_uv == pytest.approx(np.stack([zero, zero, 2.0 * v], axis=-1), abs=1e-9)
    assert x_vv == pytest.approx(np.stack([zero, zero, -1.0 + 2.0 * u], axis=-1), abs=1e-9)


def test_cylinder_goes_around():
    surface = cylinder()
    around = surface.u_breaks[-1]
    u, v = np.linspace(-around, 2.0 * around, 100), np.full(100, 0.37)
    x = surface.position(u, v)
    assert np.abs(np.hypot(x[:, 0], x[:, 1]) - 0.5).max() < 1e-6
    assert surface.position(u + around, v) == pytest.approx(x, abs=1e-12)
    # u runs counterclockwise, v upwards: the normal points outwards
    assert surface.normal(u, v)[:, :2] == pytest.approx(2.0 * x[:, :2], abs=1e-4)


def test_grid_points_are_met():
    grid = np.random.default_rng(2).normal(size=(4, 6, 3)) * 0.1
    grid += np.stack(np.meshgrid(np.arange(4.0), np.arange(6.0), [0.0], indexing="ij"), axis=-1)[:, :, 0]
    surface = fm.Surface.through(grid)
    found = surface.position(*np.meshgrid(surface.u_breaks, surface.v_breaks, indexing="ij"))
    assert found == pytest.approx(grid, abs=1e-12)


def test_second_derivatives_are_continuous():
    surface = dune()
    for u, v in ((surface.u_breaks[3], 0.4), (1.0, surface.v_breaks[2]), (surface.u_breaks[-1], 0.4), (1.0, 0.0)):
        before, after = surface.derivatives(u - 1e-9, v - 1e-9), surface.derivatives(u + 1e-9, v + 1e-9)
        for one, other in zip(before, after, strict=True):
            assert one == pytest.approx(other, abs=1e-6)


def test_nearest_point(surface):
    u, v = (b[0] + 0.4 * (b[-1] - b[0]) for b in (surface.u_breaks, surface.v_breaks))
    beside = surface.position(u, v) + 0.05 * surface.normal(u, v)
    assert surface.nearest(beside) == pytest.approx((u, v), abs=1e-7)


def flat(m, n):
    return np.stack([*np.meshgrid(np.arange(m), np.arange(n), indexing="ij"), np.zeros((m, n))], axis=-1)


def with_repeated_point():
    grid = flat(4, 3)
    grid[2, 1] = grid[1, 1]
    return fm.Surface.through(grid)


def with_pole():
    angles = np.linspace(0.0, 3.0, 5)
    return fm.Surface.through([[(r * np.cos(a), r * np.sin(a), 0.0) for a in angles] for r in (1e-9, 0.5, 1.0)])


REFUSED = {
    "repeated": (with_repeated_point, r"repeated points: grid points \(1, 1\) and \(2, 1\)"),
    "pole": (with_pole, "has no normal there"),
    "small": (lambda: fm.Surface.through(flat(2, 5)), "a grid of 2 by 5 points; at least 3 by 3"),
    "shape": (lambda: fm.Surface.through(np.zeros((4, 4, 2))), r"shape \(m, n, 3\), got shape \(4, 4, 2\)"),
    "infinite": (lambda: fm.Surface.through(np.where(flat(3, 3) == 2, np.inf, flat(3, 3))), r"point \(0, 2\) is not finite"),
    "closed": (lambda: fm.Surface.through(flat(3, 3), closed=(True,)), "closed must be two"),
    "falling": (lambda: fm.Surface.height([0, 2, 1], [0, 1, 2], np.zeros((3, 3))), "x must increase, but value 2"),
    "rows": (lambda: fm.Surface.height([0, 1, 2], [0, 1, 2], np.zeros((4, 3))), "z has 4 rows for 3 values of x"),
    "columns": (lambda: fm.Surface.height([0, 1, 2], [0, 1, 2], np.zeros((3, 4))), r"shape \(3, 3\), got shape \(3, 4\)"),
    "few": (lambda: fm.Surface.height([0, 1], [0, 1, 2], np.zeros((2, 3))), "Surface.height: x"),
    "no plane": (lambda: fm.Surface.plane(u=(1, 0, 0), v=(2, 0, 0)), "do not span a plane"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    make, message = REFUSED[name]
    with pytest.raises(fm.MechanismError, match=message):
        make()

"""Curves: exact shapes, arc length as parameter, frames, parallel curves, nearest points, and what is refused."""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.core.layout.frames import CURVE_POINT
from flexmbs.core.mechanics.splines import curve_point


def helix(turns=2.0, radius=0.8, pitch=0.3):
    return fm.Curve.from_function(
        lambda u: (radius * np.cos(u), radius * np.sin(u), pitch * u / (2.0 * np.pi)), (0.0, 2.0 * np.pi * turns)
    )


def track():
    u = np.linspace(0.0, 9.0, 25)
    return fm.Curve.through(np.stack([2.0 * u, np.sin(u), 0.4 * np.cos(1.3 * u) + 0.1 * u], axis=1))


def cam():
    return fm.Curve.polar(lambda phi: 0.05 + 0.01 * np.cos(phi) + 0.002 * np.cos(3.0 * phi))


def loop():
    return fm.Curve.through([(0.0, 0.0), (2.0, 0.2), (2.4, 1.5), (1.0, 1.1), (-0.3, 1.9)], closed=True)


SHAPES = {
    "helix": helix,
    "track": track,
    "cam": cam,
    "cam roller": lambda: cam().offset(-0.01),
    "loop": loop,
    "circle": lambda: fm.Curve.circle(0.7),
    "line": lambda: fm.Curve.line((1.0, 2.0, 3.0), (0.0, 2.0, 5.0)),
    "three points": lambda: fm.Curve.through([(0.0, 0.0), (1.0, 0.0), (1.5, 1.0)]),
    "three points closed": lambda: fm.Curve.through([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)], closed=True),
}
CURVES = {}


@pytest.fixture(params=SHAPES)
def curve(request):
    if request.param not in CURVES:
        CURVES[request.param] = SHAPES[request.param]()
    return CURVES[request.param]


def test_parameter_is_the_arc_length(curve):
    s = np.random.default_rng(1).uniform(0.0, curve.length, 5000)
    speed = np.linalg.norm(curve.derivatives(s)[1], axis=-1)
    assert np.abs(speed - 1.0).max() < 2e-9


def test_four_derivatives_are_continuous(curve):
    """c to c''' from both sides of every break; the fourth by the coefficients of degree 4 and 5."""
    widths = np.diff(curve.breaks)
    scale = 1.0 / widths.min()
    before, after = curve.coefficients, np.roll(curve.coefficients, -1, axis=0)
    joints = slice(None) if curve.closed else slice(None, -1)
    for order in range(5):
        falling = [np.prod([p - k for k in range(order)], dtype=float) for p in range(6)]
        end = sum(falling[p] * before[:, p] * widths[:, None] ** (p - order) for p in range(order, 6))
        start = falling[order] * after[:, order]
        # rounding of the points (1e-16 of their size) grows with each derivative by 1 / width
        assert np.abs(end - start)[joints].max(initial=0.0) < 1e-12 * max(1.0, curve.length) * max(1.0, scale) ** order


def test_derivatives_are_those_of_the_position(curve):
    s = np.sort(np.random.default_rng(2).uniform(-0.2 * curve.length, 1.2 * curve.length, 40))
    h = 1e-3 * np.diff(curve.breaks).min()
    exact = curve.derivatives(s)
    for low, high in zip(exact[:-1], range(1, 4), strict=True):
        ends = [curve.derivatives(s + step * h, 2)[high - 1] for step in (1.0, -1.0, 2.0, -2.0)]
        change = (8.0 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / (12.0 * h)
        assert np.abs(change - exact[high]).max() < 1e-12 * (1.0 + np.abs(low).max()) / h + 1e-6 * np.abs(exact[high]).max()


def test_kernel_gives_the_same_numbers(curve):
    """Inside, at the breaks, and beyond the ends; the curve lies in the middle of the pool."""
    pool = np.concatenate([[7.0, 8.0, 9.0], curve.pool_values(), [5.0]])
    inside = np.random.default_rng(3).uniform(0.0, curve.length, 50)
    out = np.zeros(1, CURVE_POINT).view(np.recarray)[0]
    for s in (*inside, *curve.breaks[:5], curve.length, -0.3, curve.length + 0.2, 7.3 * curve.length):
        curve_point(pool, 3, s, out)
        for found, exact in zip((out.c, out.c_s, out.c_ss, out.c_sss), curve.derivatives(s), strict=True):
            assert found == pytest.approx(exact, rel=1e-12, abs=1e-12 * (1.0 + np.abs(exact).max()))


def test_kernel_passes_on_what_is_not_a_number():
    out = np.zeros(1, CURVE_POINT).view(np.recarray)[0]
    for one in (fm.Curve.circle(1.0), helix()):
        curve_point(one.pool_values(), 0, np.nan, out)
        assert np.isnan([out.c, out.c_s, out.c_ss, out.c_sss]).all()


def test_frame_follows_the_tangent(curve):
    s = np.linspace(0.0, curve.length, 200)
    frame = curve.frame(s)
    assert np.abs(frame.transpose(0, 2, 1) @ frame - np.eye(3)).max() < 1e-14
    assert np.linalg.det(frame).min() > 0.0
    assert np.abs(frame[..., 0] - curve.tangent(s)).max() == 0.0
    assert np.abs(frame[..., 1] @ curve.up).max() < 1e-15
    if curve.planar:
        assert np.abs(frame[..., 2] - (0.0, 0.0, 1.0)).max() < 1e-15


def test_nearest_point(curve):
    s = np.random.default_rng(4).uniform(0.02, 0.98, 10) * curve.length
    least = 1.0 / max(1e-9, np.abs(curve.curvature(np.linspace(0.0, curve.length, 2000))).max())
    for here in s:
        beside = curve.position(here) + min(0.1 * least, 0.05) * curve.frame(here)[:, 1]
        assert curve.nearest(beside) == pytest.approx(here, abs=1e-8 * curve.length)


def test_circle():
    radius, center, start = 0.7, np.array([0.1, -0.2, 0.3]), 0.4
    for clockwise, turn in ((False, 1.0), (True, -1.0)):
        circle = fm.Curve.circle(radius, center, start=start, clockwise=clockwise)
        assert circle.length == pytest.approx(2.0 * np.pi * radius, rel=1e-13)
        s = np.linspace(-3.0, 9.0, 300)
        angle = start + turn * s / radius
        exact = center + radius * np.stack([np.cos(angle), np.sin(angle), np.zeros_like(s)], axis=1)
        assert np.abs(circle.position(s) - exact).max() < 1e-11
        assert np.abs(turn * radius * circle.curvature(s) - 1.0).max() < 5e-8
        assert circle.planar and circle.closed


def test_helix():
    radius, pitch = 0.8, 0.3
    rise = pitch / (2.0 * np.pi)
    curve = helix(2.0, radius, pitch)
    per_angle = np.hypot(radius, rise)
    assert curve.length == pytest.approx(4.0 * np.pi * per_angle, rel=1e-12)
    u = np.linspace(0.0, 4.0 * np.pi, 300)
    exact = np.stack([radius * np.cos(u), radius * np.sin(u), rise * u], axis=1)
    assert np.abs(curve.position(u * per_angle) - exact).max() < 1e-10
    assert curve.curvature(u * per_angle) == pytest.approx(radius / per_angle**2, rel=1e-6)


def test_parabola():
    """y = x^2 / 2: arc length (x w + asinh x) / 2 with w = sqrt(1 + x^2), curvature 1 / w^3."""
    curve = fm.Curve.from_function(lambda x: (x, 0.5 * x * x), (-1.0, 2.0))
    x = np.linspace(-1.0, 2.0, 100)
    w = np.sqrt(1.0 + x * x)
    s = 0.5 * (x * w + np.arcsinh(x))
    s -= s[0]
    assert curve.length == pytest.approx(s[-1], rel=1e-12)
    assert np.abs(curve.position(s)[:, :2] - np.stack([x, 0.5 * x * x], axis=1)).max() < 1e-9
    assert curve.curvature(s) == pytest.approx(1.0 / w**3, rel=1e-5)


def test_points_are_met_in_their_order():
    points = np.random.default_rng(5).normal(size=(8, 3)) * (1.0, 1.0, 0.2) + np.arange(8)[:, None] * (1.0, 0.0, 0.0)
    curve = fm.Curve.through(points)
    s = np.array([curve.nearest(point) for point in points])
    assert np.abs(curve.position(s) - points).max() < 1e-11
    assert np.all(np.diff(s) > 0.0)
    assert s[[0, -1]] == pytest.approx([0.0, curve.length], abs=1e-12)


def test_function_backwards_runs_backwards():
    there = fm.Curve.from_function(lambda u: (u, u * u), (0.0, 1.0))
    back = fm.Curve.from_function(lambda u: (u, u * u), (1.0, 0.0))
    s = np.linspace(0.0, there.length, 20)
    assert back.position(there.length - s) == pytest.approx(there.position(s), abs=1e-9)


def test_parallel_curve_keeps_its_distance():
    profile = cam()
    for distance in (-0.02, 0.01):
        roller = profile.offset(distance)
        s = np.linspace(0.0, profile.length, 50)
        beside = profile.position(s) + distance * profile.frame(s)[..., 1]
        at = [roller.nearest(point) for point in beside]
        assert np.abs(roller.position(at) - beside).max() < 1e-10
        # Steiner: a parallel curve of a convex one is longer by 2 pi times the distance
        assert roller.length == pytest.approx(profile.length - 2.0 * np.pi * distance, rel=1e-9)


def test_up_direction_is_chosen_and_given():
    assert np.array_equal(track().up, (0.0, 0.0, 1.0))
    assert np.array_equal(fm.Curve.line((0, 0, 0), (0, 0, 1)).up, (0.0, 1.0, 0.0))
    given = fm.Curve.line((0, 0, 0), (0, 0, 1), up=(2.0, 0.0, 0.0))
    assert given.frame(0.5) == pytest.approx(np.array([[0, 0, 1.0], [0, -1.0, 0], [1.0, 0, 0]]))


REFUSED = {
    "repeated": (lambda: fm.Curve.through([(0, 0), (1, 0), (1, 0), (2, 1)]), "spline with repeated points: 1 and 2"),
    "closing": (lambda: fm.Curve.through([(0, 0), (1, 0), (0, 1), (0, 0)], closed=True), "3 and 0.*leave the last one out"),
    "two": (lambda: fm.Curve.through([(0, 0), (1, 0)]), "2 points given, at least 3"),
    "two closed": (lambda: fm.Curve.through([(0, 0), (1, 0)], closed=True), "2 points given, at least 3"),
    "infinite": (lambda: fm.Curve.through([(0, 0), (1, np.nan), (1, 1)]), "point 1 is not finite"),
    "shape": (lambda: fm.Curve.through([(0, 0, 0, 0), (1, 0, 0, 0)]), r"shape \(k, 2\) or \(k, 3\), got shape \(2, 4\)"),
    "flat": (lambda: fm.Curve.through([1.0, 2.0, 3.0]), r"got shape \(3,\)"),
    "words": (lambda: fm.Curve.through("abc"), "expected numbers"),
    "turns back": (lambda: fm.Curve.through([(0, 0), (1, 0), (0.5, 0)]), "turns back near"),
    "line": (lambda: fm.Curve.line((1, 1), (1, 1)), "same point"),
    "radius": (lambda: fm.Curve.circle(-1.0), "radius.*must be positive"),
    "cam radius": (lambda: fm.Curve.polar(lambda phi: np.cos(phi)), "the radius is .* it must be positive"),
    "kink": (lambda: fm.Curve.from_function(lambda u: (u, abs(u - 0.1)), (-1, 1)), "not smooth"),
    "open": (lambda: fm.Curve.from_function(lambda u: (np.cos(u), np.sin(u)), (0, 6), closed=True), "0.282 m apart"),
    "empty": (lambda: fm.Curve.from_function(lambda u: (u, u), (1, 1)), "interval from 1 to 1 is empty"),
    "fails": (lambda: fm.Curve.from_function(lambda u: 1 / 0, (0, 1)), "the function fails at 0: ZeroDivisionError"),
    "one number": (lambda: fm.Curve.from_function(lambda u: u, (0, 1)), "expected 2 or 3 finite numbers"),
    "tolerance": (lambda: fm.Curve.from_function(lambda u: (u, u), (0, 1), tolerance=0.0), "tolerance.*positive"),
    "up": (lambda: fm.Curve.line((0, 0, 0), (0, 0, 1), up="z"), "parallel to the tangent at s = 0"),
    "up name": (lambda: fm.Curve.line((0, 0), (0, 1), up="above"), "'above' is unknown"),
    "up zero": (lambda: fm.Curve.line((0, 0), (0, 1), up=(0, 0, 0)), "has no direction"),
    "loop the loop": (lambda: fm.Curve.from_function(lambda u: (0, np.cos(u), np.sin(u)), (0, 6)), "give another direction up"),
    "cusp": (lambda: fm.Curve.circle(0.1).offset(0.1), "radius of curvature 0.1 m is not larger than the distance 0.1 m"),
    "space": (lambda: fm.Curve.line((0, 0, 0), (0, 0, 1)).offset(0.1), "only a curve in a plane"),
    "nearest": (lambda: fm.Curve.circle(0.1).nearest((1, 2, 3, 4)), "Curve.nearest"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    make, message = REFUSED[name]
    with pytest.raises(fm.MechanismError, match=message):
        make()

"""Frames moved along curves and surfaces: rates are derivatives, work is conserved, the inverse undoes."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fm
from flexmbs.core.layout.frames import AXIS_STATE, CURVE_POINT, MARKER_FRAME, SURFACE_POINT, WRENCH
from flexmbs.core.mechanics.curve_axes import (
    back_through_curve,
    back_through_surface,
    through_curve,
    through_inverse_curve,
    through_inverse_surface,
    through_surface,
)
from flexmbs.core.mechanics.rotation import tangent, tangent_rate

RNG = np.random.default_rng(11)
U = np.linspace(0.0, 8.0, 12)
CURVES = {
    "track": fm.Curve.through(np.stack([U, np.sin(U), 0.5 * np.cos(0.8 * U)], axis=1), up=(0.2, -0.3, 0.9)),
    "cam": fm.Curve.polar(lambda phi: 1.0 + 0.2 * np.cos(phi) + 0.05 * np.cos(2.0 * phi)),
    # not in arc length: the rates of the frame do not rely on |c'| = 1
    "any speed": fm.Curve(
        np.array([0.0, 1.0]), np.random.default_rng(8).normal(size=(1, 6, 3)), False, False, np.array([0.6, 0.0, 0.8])
    ),
}
SURFACE = fm.Surface.height(np.linspace(0, 3, 6), np.linspace(0, 2, 5), lambda x, y: np.sin(x) * np.cos(y) + 0.2 * x * y)
KINDS = [(name, follow, inverse) for name in CURVES for follow in (0, 1) for inverse in (False, True)]


def record(kind, numbers=None):
    """One record; a view of ``numbers`` when these are given."""
    return (np.zeros(1, kind) if numbers is None else numbers.view(kind)).view(np.recarray)[0]


def polynomial(coefficients, t):
    """Value, first and second derivative."""
    p = np.polynomial.Polynomial(coefficients)
    return p(t), p.deriv()(t), p.deriv(2)(t)


class Motion:
    """A frame that moves at random, and coordinates that do."""

    def __init__(self, seed, starts, rate=0.7):
        rng = np.random.default_rng(seed)
        self.turn, self.place = rng.normal(size=(3, 4)), rng.normal(size=(3, 4))
        self.coordinates = [np.append(start, rng.uniform(-rate, rate, 3)) for start in starts]

    def frame(self, t):
        th, th1, th2 = np.array([polynomial(c, t) for c in self.turn]).T
        p, v, a = np.array([polynomial(c, t) for c in self.place]).T
        spin = tangent(*th, *th1, 1.0)
        change = np.array(tangent(*th, *th2, 1.0)) + tangent_rate(*th, *th1, 1.0)
        return np.concatenate([Rotation.from_rotvec(th).as_matrix().ravel(), p, spin, v, change, a])

    def rates(self, t):
        """All coordinates, then all rates, then all accelerations."""
        return np.array([polynomial(c, t) for c in self.coordinates]).T.ravel()


def along_curve(name, follow, inverse):
    """The move (rates, frame of 24 numbers, state), and a start inside a wide interval: all derivatives exist there."""
    curve = CURVES[name]
    pool = np.concatenate([RNG.normal(size=4), curve.pool_values()])
    kernel = through_inverse_curve if inverse else through_curve
    i = np.argmax(np.diff(curve.breaks))
    start = 0.5 * (curve.breaks[i] + curve.breaks[i + 1])
    point = record(CURVE_POINT)
    return lambda rates, f, state: kernel(pool, 4, follow, *rates, record(MARKER_FRAME, f), state, point), [start]


def along_surface(inverse):
    pool = np.concatenate([RNG.normal(size=4), SURFACE.pool_values()])
    kernel = through_inverse_surface if inverse else through_surface
    point = record(SURFACE_POINT)
    return lambda rates, f, state: kernel(pool, 4, *rates, record(MARKER_FRAME, f), state, point), [0.9, 0.75]


def moves():
    for kind in KINDS:
        yield along_curve(*kind), back_through_curve, "-".join(map(str, kind))
    for inverse in (False, True):
        yield along_surface(inverse), back_through_surface, f"surface-{inverse}"


MOVES = list(moves())


@pytest.fixture(params=MOVES, ids=[name for *_, name in MOVES])
def move(request):
    (through, starts), back, _ = request.param
    return through, starts, back


def difference(function, h=5e-4):
    weights = ((1, 0.75), (2, -0.15), (3, 1.0 / 60.0))
    return sum(w * (function(i * h) - function(-i * h)) for i, w in weights) / h


@pytest.mark.parametrize("seed", range(4))
def test_rates_of_the_moved_frame_are_its_derivatives(move, seed):
    through, starts, _ = move
    motion = Motion(seed, starts)

    def moved(t):
        f = motion.frame(t)
        through(motion.rates(t), f, record(AXIS_STATE))
        return f

    here = moved(0.0)
    skew = difference(lambda t: moved(t)[:9]).reshape(3, 3) @ here[:9].reshape(3, 3).T
    assert np.abs(here[:9].reshape(3, 3) @ here[:9].reshape(3, 3).T - np.eye(3)).max() < 1e-14
    assert here[12:15] == pytest.approx([skew[2, 1], skew[0, 2], skew[1, 0]], rel=1e-8, abs=1e-9)
    assert here[15:18] == pytest.approx(difference(lambda t: moved(t)[9:12]), rel=1e-8, abs=1e-9)
    assert here[18:21] == pytest.approx(difference(lambda t: moved(t)[12:15]), rel=1e-8, abs=1e-7)
    assert here[21:24] == pytest.approx(difference(lambda t: moved(t)[15:18]), rel=1e-8, abs=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_power_before_and_after_differs_by_that_on_the_coordinates(move, seed):
    through, starts, back = move
    motion = Motion(seed, starts)
    before, after, state = motion.frame(0.0), motion.frame(0.0), record(AXIS_STATE)
    rates = motion.rates(0.0)
    through(rates, after, state)
    wrench = np.random.default_rng(seed).normal(size=6)
    moved, point = wrench.copy(), after[9:12].copy()
    forces = np.atleast_1d(back(state, point, record(WRENCH, moved)))
    assert point == pytest.approx(before[9:12], abs=1e-14)
    power_after = wrench[:3] @ after[15:18] + wrench[3:] @ after[12:15]
    power_before = moved[:3] @ before[15:18] + moved[3:] @ before[12:15]
    on_coordinates = forces @ rates[len(starts) : 2 * len(starts)]
    assert abs(on_coordinates) > 1e-6
    assert power_after == pytest.approx(power_before + on_coordinates, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name, follow", [(name, follow) for name in (*CURVES, "surface") for follow in (0, 1)])
def test_inverse_undoes(name, follow, seed):
    pair = [along_surface(i) if name == "surface" else along_curve(name, follow, i) for i in (False, True)]
    motion = Motion(seed, pair[0][1])
    for first, second in (pair, pair[::-1]):
        f = motion.frame(0.0)
        first[0](motion.rates(0.0), f, record(AXIS_STATE))
        assert np.abs(f - motion.frame(0.0)).max() > 1e-3
        second[0](motion.rates(0.0), f, record(AXIS_STATE))
        assert f == pytest.approx(motion.frame(0.0), abs=1e-11)


def test_around_a_circle():
    """A frame that follows a circle of radius r at ds/dt = v turns at v / r and is accelerated towards the centre."""
    radius, speed, s = 0.7, 2.0, 0.3
    f, state, point = np.zeros(24), record(AXIS_STATE), record(CURVE_POINT)
    f[[0, 4, 8]] = 1.0
    through_curve(fm.Curve.circle(radius).pool_values(), 0, 1, s, speed, 0.0, record(MARKER_FRAME, f), state, point)
    out = np.array([np.cos(s / radius), np.sin(s / radius), 0.0])
    along = np.array([-out[1], out[0], 0.0])
    assert f[:9].reshape(3, 3) == pytest.approx(np.stack([along, -out, [0, 0, 1.0]], axis=1), abs=1e-9)
    assert f[9:12] == pytest.approx(radius * out, abs=1e-11)
    assert f[12:15] == pytest.approx([0.0, 0.0, speed / radius], abs=1e-7)
    assert f[15:18] == pytest.approx(speed * along, abs=1e-9)
    assert f[18:21] == pytest.approx([0.0, 0.0, 0.0], abs=1e-5)
    assert f[21:24] == pytest.approx(-(speed**2) / radius * out, abs=1e-7)


def test_frame_agrees_with_that_of_the_curve():
    for curve in CURVES.values():
        for s in RNG.uniform(0.0, curve.length, 20):
            f = np.zeros(24)
            f[[0, 4, 8]] = 1.0
            through_curve(curve.pool_values(), 0, 1, s, 0.0, 0.0, record(MARKER_FRAME, f), record(AXIS_STATE), record(CURVE_POINT))
            assert f[:9].reshape(3, 3) == pytest.approx(curve.frame(s), abs=1e-13)
            assert f[9:12] == pytest.approx(curve.position(s), abs=1e-13)


def test_wheel_on_wheel():
    """Curve of a, half turn about z, inverse curve of b: circles touch from outside, and roll at constant s_a + s_b."""
    a, b, s, rate = 0.7, 0.3, 0.4, 1.5
    f = np.zeros(24)
    f[[0, 4, 8]] = 1.0
    frame, state, point = record(MARKER_FRAME, f), record(AXIS_STATE), record(CURVE_POINT)
    through_curve(fm.Curve.circle(a).pool_values(), 0, 1, s, rate, 0.0, frame, state, point)
    contact = f[9:12].copy()
    f[[0, 1, 3, 4, 6, 7]] *= -1.0
    through_inverse_curve(fm.Curve.circle(b).pool_values(), 0, 1, -s, -rate, 0.0, frame, state, point)
    out = np.array([np.cos(s / a), np.sin(s / a), 0.0])
    assert f[9:12] == pytest.approx((a + b) * out, abs=1e-10)
    assert f[12:15] == pytest.approx([0.0, 0.0, rate * (1.0 / a + 1.0 / b)], abs=1e-6)
    assert f[15:18] + np.cross(f[12:15], contact - f[9:12]) == pytest.approx(np.zeros(3), abs=1e-8)
    # the angular acceleration contains the third derivative of the spline, right to 1e-6 of its size
    assert f[21:24] == pytest.approx(-((rate / a) ** 2) * (a + b) * out, rel=1e-5, abs=1e-5)

"""What may be stated wrongly about joints, couplings, rolling and drivers: every message names the thing."""

import math

import numpy as np
import pytest

import flexmbs as fm

BLOCK = fm.RigidBody(1.0, (1.0, 1.0, 1.0))
LINE = fm.Curve.line((0.0, 0.0, 0.0), (1.0, 0.0, 0.0))


class Bench:
    """Two blocks on ground: one on a hinge, one on a slider."""

    def __init__(self):
        self.system = fm.System()
        self.ground = self.system.ground["origin"]
        self.one = self.system.add(BLOCK, "one")["origin"]
        self.two = self.system.add(BLOCK, "two")["origin"]
        self.loose = self.system.add(BLOCK, "loose")["origin"]
        self.pin = self.system.revolute(self.ground, self.one, name="pin")
        self.weld = self.system.fixed(self.ground, self.system.add(BLOCK, "three")["origin"], name="weld")
        self.slide = self.system.prismatic(self.ground, self.two, name="slide")


JOINTS = [
    (lambda b: b.system.screw(b.ground, b.loose, 0.0, name="bolt"), "'bolt': pitch .m per turn. is zero.* non-zero"),
    (lambda b: b.system.screw(b.ground, b.loose, "fine", name="bolt"), "'bolt': pitch .* a number, got 'fine'"),
    (lambda b: b.system.cylindrical(b.one, b.one, name="rod"), "'rod': both markers are on body 'one'"),
    (lambda b: b.system.cylindrical(b.ground, b.loose, (0, 0, 0), name="rod"), "'rod': axis .0, 0, 0. has no dir"),
    (lambda b: b.system.planar(b.ground, b.loose, (0, 0, 0), name="table"), "'table': axis .0, 0, 0. has no direction"),
    (lambda b: b.system.universal(b.ground, b.loose, "x", "-x", name="cross"), "'cross': both axes of the cross"),
    (lambda b: b.system.universal(b.ground, b.loose, angle1=math.nan, name="cross"), "'cross': start angle1: nan"),
    (lambda b: b.system.free(b.ground, b.loose, position=(0, 0), name="fly"), r"'fly': position \(m\): expected 3"),
    (lambda b: b.system.parallel(b.ground, b.loose, velocity=(0, 0), name="p"), r"'p': velocity \(m/s\): expected 3"),
    (lambda b: b.system.point_on_curve(b.ground, b.loose, [(0, 0)], name="bead"), "'bead': curve must be a Curve"),
    (lambda b: b.system.point_on_surface(b.ground, b.loose, LINE, name="ball"), "'ball': surface must be a Surface"),
    (lambda b: b.system.curve_on_curve(b.ground, b.loose, LINE, 3, name="cam"), "'cam': curve_b must be a Curve"),
    (lambda b: b.system.cam_roller(b.ground, b.loose, LINE, -1.0, name="cam"), "'cam': radius .m. .* must be positive"),
    (lambda b: b.system.cam_roller(b.ground, b.loose, LINE, 1.0, "up", name="cam"), "'cam': side = 'up'"),
    (
        lambda b: b.system.cam_roller(b.ground, b.loose, fm.Curve.circle(0.1), 0.2, "left", name="cam"),
        "radius of curvature .* is not larger than the distance",
    ),
    (
        lambda b: b.system.follow_curve(b.ground, b.loose, fm.Curve.through([(0, 0), (1, 0), (1, 0)]), name="track"),
        "spline with repeated points: 1 and 2",
    ),
]
COUPLINGS = [
    (lambda b: b.system.gear(b.pin, b.slide, ratio=0.0, name="mesh"), "gear 'mesh': ratio is zero"),
    (lambda b: b.system.gear(b.pin, b.slide, name="mesh"), "gear 'mesh': give either ratio= or teeth="),
    (lambda b: b.system.gear(b.pin, b.slide, teeth=(20, 0), name="mesh"), "'mesh': number of teeth: 0 must be positive"),
    (lambda b: b.system.gear(b.pin, b.pin, ratio=2.0, name="mesh"), "coupling 'mesh': a coordinate is given twice"),
    (lambda b: b.system.gear(b.pin, b.one, ratio=2.0, name="mesh"), "gear 'mesh': expected a joint or"),
    (lambda b: b.system.gear(b.pin, (b.slide, "angle"), ratio=2.0, name="mesh"), r"'slide' .* got 'angle'"),
    (lambda b: b.system.rack_and_pinion(b.pin, b.slide, 0.0, name="rack"), "'rack': radius .m. is zero"),
    (lambda b: b.system.couple((b.pin, math.inf), name="sum"), "coupling 'sum': factor of 'pin.angle'"),
    (lambda b: b.system.couple(b.pin, name="sum"), "coupling 'sum': expected .joint, factor."),
    (lambda b: b.system.couple(name="sum"), "coupling 'sum': give at least one"),
    (lambda b: b.system.belt([b.pin], [1.0], name="belt"), "belt 'belt': give at least two pulleys .* got 1 and 1"),
    (lambda b: b.system.belt([b.pin, b.slide], [1.0, 0.0], name="belt"), "belt 'belt': radius .m. is zero"),
    (lambda b: b.system.belt([b.pin, b.slide], [1.0, 1.0], stiffness=-1.0, name="belt"), "'belt': stiffness of span 1"),
    (lambda b: b.system.rod(b.one, b.two, 0.0, name="rod"), "rod 'rod': length .m.: 0.0 must be positive"),
    (lambda b: b.system.rod(b.one, b.one, 1.0, name="rod"), "rod 'rod': both markers are on body 'one'"),
    (lambda b: b.system.rod(b.one, "tip", 1.0, name="rod"), "rod 'rod': expected a marker"),
    (lambda b: b.system.cable([b.one], 1.0, name="line"), "cable 'line': give at least two markers"),
    (lambda b: b.system.cable([b.one, b.two], 1.0, (1, 2), name="line"), "cable 'line': parts = .* expected 1 numbers"),
    (lambda b: b.system.prescribe_point(b.ground, b.one, "w", 1.0, name="p"), "point 'p': axis = 'w'"),
    (lambda b: b.system.prescribe_point(b.ground, b.one, "x", name="p"), "point 'p': give a position"),
    (lambda b: b.system.rolling_disc(b.one, b.ground, 0.0, name="wheel"), "rolling 'wheel': radius .m.: 0.0 must be positive"),
    (lambda b: b.system.rolling_disc(b.one, b.one, 1.0, name="wheel"), "'wheel': both markers are on body 'one'"),
    (lambda b: b.system.rod(b.one, b.two, 1.0, name="pin"), "the name 'pin' is taken"),
]
DRIVERS = [
    (lambda b: b.weld.prescribe(0.0), "'weld' .fixed. has no coordinate for prescribe: it is locked"),
    (lambda b: b.system.gear(b.pin, b.weld, ratio=2.0, name="mesh"), "'weld' .* no coordinate for gear 'mesh'"),
    (lambda b: b.pin.prescribe(), "joint 'pin', prescribed angle: give a position, a rate or an acceleration"),
    (lambda b: b.pin.prescribe(rate=1.0).prescribe(2.0), "joint 'pin': 'angle' is already prescribed"),
    (lambda b: b.pin.prescribe(fm.Step(0.0, 1.0), rate=lambda t: t), "prescribed angle: Step has its own derivatives"),
    (lambda b: b.pin.prescribe(fm.Table([1.0, 2.0], [0.0, 1.0])), "fails at t = 0: .*the time is outside the table"),
    (lambda b: fm.Table([0.0, 1.0, 1.0], [0.0, 1.0, 2.0]), r"Table: repeated times: t\[1\] = 1 s, t\[2\] = 1 s"),
    (lambda b: fm.Table([0.0, 1.0, 0.5], [0.0, 1.0, 2.0]), r"Table: decreasing times: t\[1\] = 1 s, t\[2\] = 0.5 s"),
    (lambda b: fm.Table([0.0, 1.0], [0.0, 1.0, 2.0]), "Table: y: expected 2 finite numbers"),
    (lambda b: fm.Table([0.0, 1.0], [0.0, 1.0], beyond="repeat"), "of a periodic table must be equal"),
    (lambda b: fm.Table([0.0, 1.0], [0.0, 1.0], beyond="go on"), "beyond = 'go on'"),
    (lambda b: fm.Step(1.0, 1.0), "Step: t1 = 1 s must be later than t0 = 1 s"),
    (lambda b: fm.Harmonic(1.0, math.nan), "Harmonic: frequency .Hz.: nan"),
    (lambda b: fm.Polynomial([1.0, math.nan]), "Polynomial: expected finite coefficients"),
    (
        lambda b: [b.system.prescribe_point(b.ground, b.one, "x", 0.0, name=name) for name in ("p", "q")],
        "prescribed point 'q': x of 'one.origin' is prescribed already by 'p'",
    ),
]


@pytest.mark.parametrize(("action", "message"), JOINTS + COUPLINGS + DRIVERS)
def test_refused(action, message):
    bench = Bench()
    joints = list(bench.system.joints)
    with pytest.raises(fm.MechanismError, match=message):
        action(bench)
    assert list(bench.system.joints) == joints


def test_a_single_node_of_a_solid_carries_what_leaves_rotations_free():
    from flexmbs import box_mesh

    mesh = box_mesh((0.4, 0.05, 0.05), (4, 1, 1), fm.Material("rubber", 1e6, 0.4, 1000.0))
    body = fm.reduce(mesh, interfaces={"hinge": "ROOT"}, modes=fm.ClampedFree(at="hinge", count=3))
    system = fm.System()
    part = system.add(body, "bar")
    corner = part.marker("corner", node=int(body.node_ids[np.argmax(body.points.sum(axis=1))]))
    for state in (system.revolute, system.universal, system.follow_curve):
        arguments = (LINE,) if state == system.follow_curve else ()
        with pytest.raises(fm.MechanismError, match="'bar.corner' is a single node of a solid and has no rotation"):
            state(system.ground["origin"], corner, *arguments)
    with pytest.raises(fm.MechanismError, match="'bar.corner' is a single node"):
        system.inline(corner, system.ground["origin"])
    system.inline(system.ground["origin"], corner)

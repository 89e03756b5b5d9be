"""Beams with offsets, masses, springs, tapers and curves against exact solutions of their differential equations.

Euler-Bernoulli without rotary inertia, as those solutions; frequencies in rad/s.
"""

from dataclasses import replace

import numpy as np
import pytest
from numpy.polynomial import legendre
from scipy.linalg import eigh
from scipy.optimize import brentq

import flexmbs as fm
from flexmbs import (
    BeamSection,
    ElementBlock,
    Material,
    Mesh,
    PointMass,
    SpringSection,
    assemble,
    general_section,
    mass_properties,
    natural_modes,
)
from flexmbs.fem.vibration import spin_stiffness

STEEL = Material("steel", 210e9, 0.3, 7850.0)
SIDE = 0.01
AREA, MOMENT = SIDE**2, SIDE**4 / 12
EI, EA, LINE = STEEL.youngs_modulus * MOMENT, STEEL.youngs_modulus * AREA, STEEL.density * AREA


def square() -> BeamSection:
    return general_section(AREA, MOMENT, MOMENT, 0.1406 * SIDE**4, (0.0, 0.0, 1.0), shear_factor=5 / 6)


def row_of_beams(elements=40, length=1.0, section=None, kind="beam2") -> Mesh:
    """Along x from the origin; sets ROOT and TIP."""
    count = elements * (2 if kind == "beam3" else 1)
    order = np.arange(count + 1)
    nodes = np.column_stack([order[:-1], order[1:]])
    if kind == "beam3":
        nodes = np.column_stack([order[:-1:2], order[2::2], order[1::2]])
    block = ElementBlock(kind, np.arange(elements) + 1, nodes, STEEL, section or square())
    points = np.outer(order / count * length, [1.0, 0.0, 0.0])
    sets = {"ROOT": np.array([0]), "TIP": np.array([count])}
    return Mesh(points, order + 1, (block,), sets, source="row of beams")


def frequencies(mesh: Mesh, count: int, held=(0,), theory="euler-bernoulli", rotary=False) -> np.ndarray:
    """rad/s, with all components of the nodes ``held`` fixed."""
    model = assemble(mesh, theory, rotary)
    fixed = np.zeros((len(model.mesh.points), 6), bool)
    fixed[list(held)] = True
    return 2 * np.pi * natural_modes(model, fixed.ravel(), count).frequencies


def nearest(found: np.ndarray, exact: np.ndarray) -> np.ndarray:
    return found[np.argmin(np.abs(found[:, None] - exact), axis=0)]


def cubic_error(exact: np.ndarray, h: float) -> np.ndarray:
    """Bound of the relative error of frequencies by Hermite cubics of length h: (k h)^4 / 1440 (Strang and Fix)."""
    return (h * np.sqrt(exact / np.sqrt(EI / LINE))) ** 4 / 1440 + 1e-8


def cantilever_roots(count, length=1.0, mass=0.0, arm=0.0, inertia=0.0, spring=0.0) -> np.ndarray:
    """omega of a clamped beam whose end carries a body (mass, its centre ``arm`` beyond, inertia) and a spring across.

    w = C1 (cosh - cos) + C2 (sinh - sin) of k x; at the end  EI w'' = omega^2 ((J + m e^2) w' + m e w)  and
    EI w''' = -omega^2 (m w + m e w') + spring w.
    """

    def determinant(k: float) -> float:
        omega2, x = EI * k**4 / LINE, k * length
        shapes = [  # each with its three derivatives, divided by cosh: the roots stay
            np.array([np.cosh(x) - np.cos(x), np.sinh(x) + np.sin(x), np.cosh(x) + np.cos(x), np.sinh(x) - np.sin(x)]),
            np.array([np.sinh(x) - np.sin(x), np.cosh(x) - np.cos(x), np.sinh(x) + np.sin(x), np.cosh(x) + np.cos(x)]),
        ]
        rows = []
        for shape in shapes:
            w, dw, ddw, dddw = shape / np.cosh(x) * k ** np.arange(4)
            moment = EI * ddw - omega2 * ((inertia + mass * arm**2) * dw + mass * arm * w)
            force = EI * dddw + omega2 * (mass * w + mass * arm * dw) - spring * w
            rows.append([moment, force])
        return np.linalg.det(np.array(rows) / (EI * k**2))

    grid = np.linspace(0.3, 4 * count + 2.0, 2000) / length
    signs = np.array([determinant(k) for k in grid])
    changes = np.flatnonzero(signs[1:] * signs[:-1] < 0)[:count]
    roots = [brentq(determinant, grid[i], grid[i + 1], xtol=1e-14, rtol=1e-14) for i in changes]
    return np.sqrt(EI / LINE) * np.array(roots) ** 2


def test_cantilever_with_a_body_at_its_tip():
    """Mass, offset along the beam and rotary inertia: the exact transcendental equation."""
    mass, arm, inertia = 0.6, 0.04, 2e-3
    body = PointMass("body", 40, mass, inertia * np.eye(3), np.array([arm, 0.0, 0.0]))
    found = frequencies(replace(row_of_beams(), point_masses=(body,)), 12)
    exact = cantilever_roots(4, mass=mass, arm=arm, inertia=inertia)
    assert np.all(abs(nearest(found, exact) / exact - 1) < cubic_error(exact, 1 / 40))


def test_cantilever_on_a_spring():
    mesh = row_of_beams()
    spring = SpringSection(np.array([3e3, 0, 0, 0, 0, 0]), first_dof=2)
    ground = ElementBlock("spring1", np.array([99]), np.array([[40]]), section=spring)
    found = frequencies(replace(mesh, blocks=(*mesh.blocks, ground)), 8)
    exact = np.concatenate([cantilever_roots(3, spring=3e3), cantilever_roots(3)])  # along y, along z
    assert np.all(abs(nearest(found, exact) / exact - 1) < cubic_error(exact, 1 / 40))


def two_beams(elements: int, apart: float) -> Mesh:
    """Two square bars, their axes ``apart`` from each other along z, on the same nodes between them."""
    mesh = row_of_beams(elements)
    half = np.zeros((elements, 2, 3))
    half[..., 2] = 0.5 * apart
    upper = replace(mesh.blocks[0], offsets=half)
    lower = replace(mesh.blocks[0], offsets=-half, ids=mesh.blocks[0].ids + 1000)
    return replace(mesh, blocks=(upper, lower))


def tip_deflection(mesh: Mesh, load: dict[int, float]) -> np.ndarray:
    """(6,) motion of node TIP of a mesh clamped at ROOT under a load of components 0 to 5 there."""
    model = assemble(mesh, "euler-bernoulli", False)
    D = model.dependence.D
    root, tip = (6 * int(model.mesh.node_sets[name][0]) for name in ("ROOT", "TIP"))
    free = ~np.isin(model.dependence.independent, root + np.arange(6))
    force = np.zeros(model.ndof)
    force[[tip + k for k in load]] = list(load.values())
    D = D[:, np.flatnonzero(free)]
    u = D @ np.linalg.solve((D.T @ model.K @ D).toarray(), D.T @ force)
    return u[tip : tip + 6]


def test_two_beams_with_offsets_bend_as_their_composite_section():
    apart = 3 * SIDE
    stiffness = 2 * EI + 2 * EA * (apart / 2) ** 2
    turned = tip_deflection(two_beams(3, apart), {4: 1.0})
    # constant moment: the axial displacement of each bar is linear, so any number of elements is exact
    assert turned[4] == pytest.approx(1.0 / stiffness, rel=1e-8)
    assert turned[2] == pytest.approx(-0.5 / stiffness, rel=1e-8)
    # Under a force the bars, which are joined at their nodes only, bend each for itself between them: a part of
    # 1 / 4 n^2 of the ratio of both stiffnesses. This is the exact solution for bars so joined.
    errors = [tip_deflection(two_beams(n, apart), {2: 1.0})[2] * 3 * stiffness - 1 for n in (4, 8, 16)]
    ratio = EA * (apart / 2) ** 2 / EI
    assert errors == pytest.approx([ratio / (4 * n**2) for n in (4, 8, 16)], rel=1e-6)


@pytest.mark.parametrize("theory", ["timoshenko", "euler-bernoulli"])
def test_offset_only_moves_the_nodes(theory):
    """A beam beside its nodes vibrates, stands in spin and moves to second order as the same beam on its nodes."""
    offset = np.array([0.0, 0.02, -0.03])
    plain = row_of_beams(12)
    beside = replace(
        plain, points=plain.points - offset, blocks=(replace(plain.blocks[0], offsets=np.broadcast_to(offset, (12, 2, 3))),)
    )
    centroid = replace(
        plain,
        points=plain.points - offset,
        blocks=(replace(plain.blocks[0], section=replace(square(), centroid=(offset[2], -offset[1]))),),
    )
    expected = frequencies(plain, 6, theory=theory, rotary=True)
    for mesh in (beside, centroid):
        assert frequencies(mesh, 6, theory=theory, rotary=True) == pytest.approx(expected, rel=1e-7)
    spun = []
    for mesh in (plain, beside):
        model = assemble(mesh, theory)
        held = np.zeros((len(model.mesh.points), 6), bool)
        held[0] = True
        stiffness = spin_stiffness(model, held.ravel(), 100.0, (0.0, 1.0, 0.0))
        spun.append(natural_modes(model, held.ravel(), 4, stiffness=stiffness).frequencies)
    assert spun[1] == pytest.approx(spun[0], rel=1e-7)
    assert spun[0][0] > 1.05 * expected[0] / (2 * np.pi)

    choice = {"interfaces": {"root": "ROOT", "tip": "TIP"}, "modes": fm.ClampedFree(at="root", count=4)}
    choice["beam_theory"] = theory
    first, second = (fm.reduce(mesh, **choice) for mesh in (plain, beside))
    sign = np.sign(np.sum(first.markers["tip"].Phi * (second.markers["tip"].Phi + 0.0), axis=1))
    turn = np.diag(sign)
    a, b = first.markers["tip"], second.markers["tip"]
    pair_sign = np.prod(sign[first.pairs], axis=1)[:, None]
    assert turn @ b.Psi == pytest.approx(a.Psi, abs=1e-5)
    assert turn @ b.Phi == pytest.approx(a.Phi - np.cross(a.Psi, offset), abs=1e-5)
    p, q = a.Psi[first.pairs[:, 0]], a.Psi[first.pairs[:, 1]]
    factor = np.where(first.pairs[:, 0] == first.pairs[:, 1], 0.5, 1.0)[:, None]
    bent = 0.5 * factor * (np.cross(p, np.cross(q, -offset)) + np.cross(q, np.cross(p, -offset)))
    scale = abs(a.Zu).max()
    assert pair_sign * b.Zr == pytest.approx(a.Zr, abs=1e-5 * abs(a.Zr).max())
    assert pair_sign * b.Zu == pytest.approx(a.Zu - np.cross(a.Zr, offset) + bent, abs=1e-5 * scale)


def tapered_roots(end: float, count: int) -> np.ndarray:
    """omega of a cantilever whose area and moment fall linearly to ``end`` times those of the root.

    Ritz with the polynomials x^2 P_i, converged to 1e-10 with 16 of them.
    """
    x, weight = np.polynomial.legendre.leggauss(40)
    x, weight = 0.5 * (1 + x), 0.5 * weight
    taper = 1.0 + (end - 1.0) * x
    square_of_x = np.polynomial.Polynomial([0, 0, 1])
    shapes = [square_of_x * legendre.Legendre.basis(i, domain=[0, 1]).convert(kind=np.polynomial.Polynomial) for i in range(16)]
    w, curvature = (np.array([s(x) for s in f]) for f in (shapes, [s.deriv(2) for s in shapes]))
    stiffness, mass = ((v * weight * taper) @ v.T for v in (curvature, w))
    return np.sqrt(EI / LINE * eigh(stiffness, mass, eigvals_only=True)[:count])


@pytest.mark.parametrize("end", [0.5, 0.2])
def test_tapered_cantilever(end):
    """Width falls linearly, depth stays: as area and moment in the plane of the depth do in a PBEAM."""
    section = square()
    taper = replace(section, area=end * AREA, Iy=end * MOMENT, Iz=end * MOMENT)
    found = frequencies(row_of_beams(1, section=replace(section, end=taper)), 8)
    exact = tapered_roots(end, 3)
    # uniform pieces that differ by 2.5 %: up to 3.3e-4 seen
    assert nearest(found, exact) == pytest.approx(exact, rel=5e-4)


def test_polynomials_reach_the_published_root_of_a_pointed_cantilever():
    """7.1565 for a width that falls to nothing (Mabie and Rogers, J. Acoust. Soc. Am. 36, 1964)."""
    assert tapered_roots(1e-9, 1)[0] / np.sqrt(EI / LINE) == pytest.approx(7.1565, abs=5e-5)


def test_thin_ring_of_three_node_beams():
    """In its plane: omega^2 = EI / (m R^4)  i^2 (i^2 - 1)^2 / (i^2 + 1) (Love; Timoshenko, Vibration Problems)."""
    count, radius = 32, 0.5
    angle = 2 * np.pi * np.arange(count) / count
    points = radius * np.column_stack([np.cos(angle), np.sin(angle), np.zeros(count)])
    first = np.arange(0, count, 2)
    nodes = np.column_stack([first, (first + 2) % count, first + 1])
    ring = Mesh(points, np.arange(count) + 1, (ElementBlock("beam3", first + 1, nodes, STEEL, square()),))
    found = frequencies(ring, 20, held=())
    i = np.array([2, 3, 4])
    exact = np.sqrt(EI / (LINE * radius**4) * i**2 * (i**2 - 1) ** 2 / (i**2 + 1))
    # sixteen parabolas cut into chords of 0.05 rad: 3e-4; extension of the ring: (SIDE / R)^2 / 12 i^2
    assert nearest(found[found > 1.0], exact) == pytest.approx(exact, rel=6e-4)
    assert assemble(ring).mass == pytest.approx(2 * np.pi * radius * LINE, rel=2e-4)


def test_quarter_arc_of_three_node_beams_bends_as_the_closed_form():
    """Clamped quarter circle, force along the tangent at its tip: M = F R (1 - sin), N = F sin (Castigliano)."""
    exact = (3 * np.pi / 4 - 2) / EI + np.pi / 4 / EA
    errors = []
    for elements in (1, 2, 4):
        angle = np.linspace(0.0, 0.5 * np.pi, 2 * elements + 1)
        points = np.column_stack([np.sin(angle), 1.0 - np.cos(angle), np.zeros(len(angle))])
        mesh = row_of_beams(elements, kind="beam3")
        moved = tip_deflection(_needs_dependence(replace(mesh, points=points)), {1: 1.0})
        errors.append(abs(moved[1] / exact - 1))
    # 7e-4 and 2e-4 seen, of which the chords of 0.05 rad are 1.4e-4; the rest are the parabolas
    assert np.all(errors < np.array([1e-3, 3e-4, 2e-4])), errors


def _needs_dependence(mesh: Mesh) -> Mesh:
    """A tiny mass makes the model a mixed one, which has ``dependence``."""
    return replace(mesh, point_masses=(PointMass("none", 0, 1e-12, np.zeros((3, 3)), np.zeros(3)),))


def dynamic_stiffness(omega: float, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """(6, 6) of x, y, rotation at both ends of a uniform beam in the plane, exact in omega (Koloušek)."""
    length = np.linalg.norm(end - start)
    axial = omega * np.sqrt(LINE / EA)
    k = (LINE * omega**2 / EI) ** 0.25
    C, S, c, s = np.cosh(k * length), np.sinh(k * length), np.cos(k * length), np.sin(k * length)
    basis = np.array([[1, 0, 1, 0], [0, k, 0, k], [C, S, c, s], [k * S, k * C, -k * s, k * c]])
    ends = EI * np.array(
        [
            [0, k**3, 0, -(k**3)],
            [-(k**2), 0, k**2, 0],
            [-(k**3) * S, -(k**3) * C, -(k**3) * s, k**3 * c],
            [k**2 * C, k**2 * S, -(k**2) * c, -(k**2) * s],
        ]
    )
    bending = ends @ np.linalg.inv(basis)
    local = np.zeros((6, 6))
    local[np.ix_([1, 2, 4, 5], [1, 2, 4, 5])] = bending
    t = EA * axial / np.sin(axial * length)
    local[np.ix_([0, 3], [0, 3])] = t * np.array([[np.cos(axial * length), -1], [-1, np.cos(axial * length)]])
    x, y = (end - start) / length
    turn = np.kron(np.eye(2), np.array([[x, y, 0], [-y, x, 0], [0, 0, 1]]))
    return turn.T @ local @ turn


def test_portal_frame():
    """Columns clamped at their feet, a longer beam on top: roots of its exact dynamic stiffness."""
    corners = np.array([[0, 0], [0, 1.0], [1.4, 1.0], [1.4, 0]])
    divisions = 20
    line = [corners[0]]
    for a, b in zip(corners[:-1], corners[1:], strict=True):
        line += [a + (b - a) * t for t in np.arange(1, divisions + 1) / divisions]
    points = np.column_stack([line, np.zeros(len(line))])
    order = np.arange(len(points))
    block = ElementBlock("beam2", order[1:], np.column_stack([order[:-1], order[1:]]), STEEL, square())
    found = frequencies(Mesh(points, order + 1, (block,)), 12, held=(0, len(points) - 1))

    def determinant(omega: float) -> float:
        total = np.zeros((12, 12))
        for i in range(3):
            place = np.arange(3 * i, 3 * i + 6)
            total[np.ix_(place, place)] += dynamic_stiffness(omega, corners[i], corners[i + 1])
        return np.linalg.det(total[3:9, 3:9] / EI)

    grid = np.linspace(20.0, 1.02 * found[-1], 4000)
    values = np.array([determinant(omega) for omega in grid])
    roots = []
    for i in np.flatnonzero(values[1:] * values[:-1] < 0):
        root = brentq(determinant, grid[i], grid[i + 1], xtol=1e-10)
        if abs(determinant(root)) < 1e-3 * max(abs(values[i]), abs(values[i + 1])):  # a root, not a pole
            roots.append(root)
    roots = np.array(roots[:3])
    assert len(roots) == 3
    assert np.all(abs(nearest(found, roots) / roots - 1) < cubic_error(roots, 1.4 / divisions))


def test_rigid_body_mass_of_beams_with_a_mass_beside_them():
    """R^T M R of the joined model is that of the rigid body, to rounding."""
    from flexmbs.fem.rigid_motion import rigid_motions

    J = np.diag([2e-3, 3e-3, 4e-3])
    arm = np.array([0.02, -0.1, 0.15])
    mesh = replace(two_beams(5, 0.04), point_masses=(PointMass("CONM2 1", 5, 0.8, J, arm),))
    model = assemble(mesh)
    R = rigid_motions(model.mesh.points, 6, np.zeros(3))
    found = R.T @ (model.M @ R)
    bars = 2 * LINE
    mass = bars + 0.8
    place = np.array([1.0, 0, 0]) + arm
    moment = bars * np.array([0.5, 0, 0]) + 0.8 * place
    own = 2 * STEEL.density * MOMENT
    second = bars * np.diag([1 / 3, 0, 0.02**2]) + own * np.diag([0, 1.0, 1.0]) + 0.8 * np.outer(place, place)
    inertia = np.trace(second) * np.eye(3) - second + J
    tilde = np.array([[0, -moment[2], moment[1]], [moment[2], 0, -moment[0]], [-moment[1], moment[0], 0]])
    exact = np.block([[mass * np.eye(3), -tilde], [tilde, inertia]])
    assert found == pytest.approx(exact, abs=1e-12 * abs(exact).max())
    assert model.mass == pytest.approx(mass, rel=1e-12)
    assert mass_properties(mesh).inertia == pytest.approx(model.inertia, rel=1e-12, abs=1e-14)

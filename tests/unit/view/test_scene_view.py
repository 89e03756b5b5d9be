"""One scene: the motion fills the picture, symbols and springs are where they belong, quantities have round ticks."""

import dataclasses
from itertools import combinations

import numpy as np
import pytest
import swinging_bar as bar

import flexmbs as fm
from flexmbs import Result
from flexmbs.view import opengl as gl
from flexmbs.view.canvas import Floor, length_text, pixels_per_metre
from flexmbs.view.colours import ticks_with_ends, unit_of_range
from flexmbs.view.exaggerated_motion import drawing, marker_in_world
from flexmbs.view.part_actors import path_of
from flexmbs.view.scene_parts import BODIES, scene_parts
from flexmbs.view.solids import box, cylinder, light_and_dark

SIZE = (320, 240)


@pytest.fixture(scope="module")
def crane():
    """A link on a hinge, a block on a slider, a spring between them; a far end of a spring on ground."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    link = system.add(fm.RigidBody.box(2700.0, (0.4, 0.03, 0.02), center=(0.2, 0.0, 0.0)), name="link")
    block = system.add(fm.RigidBody.box(2700.0, (0.05, 0.05, 0.05)), name="block")
    system.revolute(system.ground.marker("pivot", position=(0.1, 0.3, 0.0)), link["origin"], axis="z", name="hinge")
    system.prismatic(system.ground.marker("rail"), block["origin"], axis="x", name="slider")
    tip = link.marker("tip", position=(0.4, 0.0, 0.0))
    system.spring_damper(block["origin"], tip, 300.0, length=0.4, name="spring")
    wall = system.ground.marker("wall", position=(-1.2, 0.0, 0.0))
    system.spring_damper(wall, block["origin"], 20.0, length=1.0, name="far spring")
    return system.simulate(0.5, rtol=1e-4)


@pytest.fixture
def scene_of():
    try:
        gl.prepare_offscreen()
    except gl.RenderingUnavailable as error:
        pytest.skip(str(error))
    from flexmbs.view.scene import Scene

    made = []

    def make(result, **options):
        made.append(Scene(result, **({"window_size": SIZE, "smooth": False} | options)))
        return made[-1]

    yield make
    for scene in made:
        scene.close()


def in_picture(scene, points):
    """(k, 2) places of points (k, 3) in the picture, as fractions of width and height from the lower left corner."""
    width, height = scene.plotter.window_size
    matrix = scene.plotter.camera.GetCompositeProjectionTransformMatrix(width / height, -1.0, 1.0)
    rows = np.array([[matrix.GetElement(i, j) for j in range(4)] for i in range(4)])
    found = np.c_[points, np.ones(len(points))] @ rows.T
    return 0.5 * (found[:, :2] / found[:, 3:] + 1.0)


def shown(scene, name, group):
    """The actor of a part."""
    return next(one.actor for one in scene._parts.shown if (one.part.name, one.part.group) == (name, group))


def corners(actor):
    """Lowest and highest world coordinates of an actor."""
    bounds = np.array(actor.GetBounds()).reshape(3, 2)
    return bounds[:, 0], bounds[:, 1]


@pytest.mark.parametrize("camera", [None, "iso", "-z", (1.0, 2.0, 3.0)])
def test_motion_fills_the_picture_and_nothing_is_cut_off(scene_of, camera):
    result = Result(bar.structure(), bar.trajectory())
    scene = scene_of(result, camera=camera, title="Title", hide=("floor", "contacts"))
    q = result.resampled(np.linspace(result.t[0], result.t[-1], 41))
    surface = result.flexible("pendulum").surface.points
    bent = [result.flexible("pendulum").surface.modes[0] * q.trajectory.q[k, 1] for k in range(len(q.t))]
    run = q.trajectory
    points = [run.body_position[k, 1] + (surface + bent[k]) @ run.body_rotation[k, 1].T for k in range(len(q.t))]
    places = in_picture(scene, np.concatenate(points))
    assert places.min() > 0.02 and places.max() < 0.98
    assert places[:, 1].max() < 0.93  # below the title
    low, high = places.min(axis=0), places.max(axis=0)
    assert max(high - low) > 0.6


def test_ends_of_springs_on_ground_are_in_the_picture(scene_of, crane):
    places = in_picture(scene_of(crane), np.array([[-1.2, 0.0, 0.0], [0.1, 0.3, 0.0]]))
    assert places.min() > 0.02 and places.max() < 0.98


def test_given_cameras(scene_of, crane):
    scene = scene_of(crane, camera_position=(0.1, 0.1, 3.0), camera_target=(0.1, 0.1, 0.0))
    assert in_picture(scene, np.array([[0.1, 0.1, 0.0]]))[0] == pytest.approx([0.5, 0.5], abs=1e-6)
    near = np.ptp(in_picture(scene, np.array([[0.0, 0.0, 0.5], [0.1, 0.0, 0.5]]))[:, 0])
    far = np.ptp(in_picture(scene, np.array([[0.0, 0.0, -0.5], [0.1, 0.0, -0.5]]))[:, 0])
    assert near / far == pytest.approx(3.5 / 2.5)  # perspective
    scene = scene_of(crane, follow="block")
    seen = []
    for time in (0.0, 0.2, 0.5):
        scene.show_time(time)
        place = crane.resampled([time]).trajectory.body_position[0, crane.structure.body_index("block")]
        seen.append(in_picture(scene, place[None])[0])
    assert seen[1] == pytest.approx(seen[0], abs=1e-5) and seen[2] == pytest.approx(seen[0], abs=1e-5)
    moved = crane.trajectory.body_position[:, crane.structure.body_index("block")]
    assert np.ptp(moved[:, 0]) > 0.01


def test_bodies_have_colours_that_can_be_told_apart(scene_of, crane):
    values = [np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)]) / 255.0 for color in BODIES]
    assert min(float(np.linalg.norm(a - b)) for a, b in combinations(values, 2)) > 0.13
    scene = scene_of(crane)
    link, block = (shown(scene, name, "bodies").prop.color.hex_rgb for name in ("link", "block"))
    assert (link, block) == (BODIES[0], BODIES[1])


def test_symbols_of_joints_are_at_their_joints(scene_of, crane):
    scene = scene_of(crane)
    for time in (0.0, 0.4):
        scene.show_time(time)
        low, high = corners(shown(scene, "hinge", "joints"))
        assert 0.5 * (low + high) == pytest.approx([0.1, 0.3, 0.0], abs=1e-6)
        assert high[2] > 0.01 and (high - low)[2] > (high - low)[0]  # a pin along z, longer than the link is thick
        low, high = corners(shown(scene, "slider", "joints"))
        assert 0.5 * (low + high) == pytest.approx(np.zeros(3), abs=1e-6)
        assert (high - low)[0] > 5.0 * max((high - low)[1:])


def test_coil_ends_at_its_markers_also_with_exaggerated_deformation(crane):
    names = [f"{marker.body}.{marker.name}" for marker in crane.structure.markers]
    spring = next(link for link in scene_parts(crane, 1.0).links if link.name == "spring")
    assert spring.coil and [names[index] for index in spring.markers] == ["block.origin", "link.tip"]
    structure = bar.structure()
    base, tip = len(structure.markers), 1
    ground = dataclasses.replace(structure.markers[0], name="wall", body="ground", fields=None, position=np.ones(3))
    structure = dataclasses.replace(structure, markers=(*structure.markers, ground), links=(fm_link("pull", (tip, base)),))
    result = Result(structure, bar.trajectory())
    (link,) = scene_parts(result, 1.0).links
    for scale in (1.0, 6.0):
        here = drawing(result.resampled([0.2]), scale).here
        path = path_of(link, here, scale)
        assert path[0] == pytest.approx(marker_in_world(here, tip, scale)[0]) and path[-1] == pytest.approx(np.ones(3))
    moved = [path_of(link, result.resampled([0.2]), scale)[0] for scale in (1.0, 6.0)]
    assert np.linalg.norm(moved[1] - moved[0]) > 1e-2


def test_drawn_coils_follow_their_springs(scene_of, crane):
    scene = scene_of(crane)
    (mesh,) = [m for link, m in zip(scene._links._links, scene._links._meshes, strict=True) if link.name == "spring"]
    for time in (0.0, 0.3, 0.5):
        scene.show_time(time)
        here = crane.resampled([time])
        spring = next(link for link in scene_parts(crane, 1.0).links if link.name == "spring")
        ends = [marker_in_world(here, marker, 1.0)[0] for marker in spring.markers]
        rings = np.asarray(mesh.points, dtype=float).reshape(-1, 6, 3).mean(axis=1)
        assert rings[0] == pytest.approx(ends[0], abs=1e-6) and rings[-1] == pytest.approx(ends[1], abs=1e-6)


def fm_link(name, markers):
    from flexmbs.result.structure import LinkRecord

    return LinkRecord(name, "spring damper", markers)


def test_shadows_lie_on_the_floor_below_the_motion(scene_of, crane):
    scene = scene_of(crane)
    floor = scene._floor
    points = np.concatenate([part.reshape(-1, 3) for part in scene._points.values()])
    assert floor.level < points[:, 1].min()
    flat = np.c_[points, np.ones(len(points))] @ floor.flattening().T
    assert np.ptp(flat[:, 1]) == pytest.approx(0.0, abs=1e-12) and flat[0, 1] > floor.level
    assert flat[:, [0, 2]] == pytest.approx(points[:, [0, 2]])
    names = set(scene.plotter.actors)
    assert {"floor", "grid"} <= names and not {"floor", "grid"} & set(scene_of(crane, hide="floor").plotter.actors)


def test_quarters_show_how_round_bodies_turn():
    disc = cylinder(np.zeros(3), np.array([0.0, 0.0, 0.1]), 0.5, sides=48)
    light, dark = light_and_dark(disc.points, disc.faces)
    areas = [_area(part) for part in (light, dark)]
    assert areas[0] == pytest.approx(areas[1], rel=0.1) and sum(areas) == pytest.approx(_area(disc))
    brick = box(np.array([0.3, 0.2, 0.1]))
    assert not len(light_and_dark(brick.points, brick.faces)[1].faces)


def _area(solid):
    total, at = 0.0, 0
    while at < len(solid.faces):
        ring = solid.points[solid.faces[at + 1 : at + 1 + solid.faces[at]]]
        crossed = np.cross(ring[1:-1] - ring[0], ring[2:] - ring[0]).sum(axis=0)
        total += 0.5 * float(np.linalg.norm(crossed))
        at += 1 + int(solid.faces[at])
    return total


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 49.57, [0.0, 10.0, 20.0, 30.0, 40.0, 49.57]),
        (0.0, 362.7123, [0.0, 50.0, 100.0, 150.0, 200.0, 250.0, 300.0, 362.7123]),
        (-3.1, 7.7, [-3.1, -2.0, 0.0, 2.0, 4.0, 6.0, 7.7]),
        (0.0, 50.0, [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]),
    ],
)
def test_colour_bars_end_at_the_values_of_the_run(low, high, expected):
    assert ticks_with_ends(low, high) == pytest.approx(expected)


def test_colour_bar_of_a_scene(scene_of):
    result = Result(bar.structure(), bar.trajectory())
    scene = scene_of(result, color="von_mises")
    unit, factor = unit_of_range("von_mises", *scene._range())
    assert scene._bar.title == f"Von Mises stress\n[{unit}]\n" and scene._bar.ticks[0] == 0.0
    assert scene._range()[1] == pytest.approx(result.von_mises("pendulum", result.t).max(), rel=1e-9)
    assert shown(scene, "pendulum", "bodies").mapper.scalar_range == pytest.approx((0.0, factor * scene._range()[1]))
    assert scene._bar.ticks[-1] == pytest.approx(factor * scene._range()[1])
    given = scene_of(result, color="von_mises", color_range=(1e6, 7.3e6))
    assert shown(given, "pendulum", "bodies").mapper.scalar_range == pytest.approx((1.0, 7.3))
    plain = scene_of(result, color="body")
    assert not shown(plain, "pendulum", "bodies").mapper.scalar_visibility


def test_scale_bar_is_as_long_as_it_says(scene_of, crane):
    scene = scene_of(crane)
    places = np.asarray(scene._scale_bar._bar.mesh.points)[:, 0]
    assert length_text(np.ptp(places) / pixels_per_metre(scene.plotter)) == scene._scale_bar._text.actor.input
    assert [length_text(x) for x in (0.25, 0.05, 2.0, 5e-6, 3e3)] == ["0.25 m", "50 mm", "2 m", "5 um", "3 km"]


def test_belt_touches_its_pulleys_and_runs_straight_between_them(scene_of):
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    places, radii = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.8, 0.0]]), (0.1, 0.2, 0.15)
    joints = []
    for k, (place, radius) in enumerate(zip(places, radii, strict=True)):
        disc = system.add(fm.RigidBody.cylinder(2700.0, radius, 0.05, axis="z"), name=f"pulley {k}")
        joints.append(system.revolute(system.ground.marker(f"axle {k}", position=place), disc["origin"], axis="z"))
    system.belt(joints, radii, stiffness=1e4, name="belt")
    result = system.simulate(0.01, rtol=1e-3)
    (link,) = scene_parts(result, 1.0).links
    path = path_of(link, result.resampled([0.0]), 1.0)
    away = np.linalg.norm(path[:, None] - places[None], axis=2) - np.array(radii)
    assert np.abs(away.min(axis=1)).max() < 1e-12  # every point lies on a pulley
    assert away.min() > -1e-12  # and none inside another
    assert path[0] == pytest.approx(path[-1])
    length = np.linalg.norm(np.diff(path, axis=0), axis=1).sum()
    hull = _hull_length(places[:, :2], radii)
    assert length == pytest.approx(hull, rel=2e-3)  # polygons in place of arcs are shorter
    scene_of(result).show_time(0.01)


def _hull_length(centers, radii):
    """Of a rubber band around discs: that of the convex hull of many points on them."""
    from scipy.spatial import ConvexHull

    turn = np.linspace(0.0, 2.0 * np.pi, 3600)
    rim = [c + r * np.stack([np.cos(turn), np.sin(turn)], axis=1) for c, r in zip(centers, radii, strict=True)]
    return ConvexHull(np.concatenate(rim)).area  # in two dimensions the perimeter


def test_floor_of_bodies_without_a_size_has_few_lines():
    floor = Floor(np.array([[0.0, 0.0, 0.0], [2.0, 1.0, 0.5]]), np.array([0.0, 0.0, 1.0]), 1e-9)
    assert 10 < len(floor.grid()) < 500


def test_torsion_springs_are_spirals_about_their_hinge():
    system = fm.System()
    arm = system.add(fm.RigidBody.link(1.0, 0.3, 0.05, 0.02), name="arm")
    hinge = system.revolute(system.ground.marker("wall"), arm["origin"], axis="y", name="hinge")
    hinge.spring(stiffness=2.0, name="own")
    system.torsion_spring(system.ground["wall"], arm["origin"], stiffness=1.0, axis="y", name="coil")
    result = system.simulate(1e-3)
    found = [part for part in scene_parts(result, 0.3).parts if part.group == "springs"]
    assert sorted(part.name for part in found) == ["coil", "hinge.angle.own"]
    for part in found:
        wide = np.ptp(part.points, axis=0)
        assert wide[0] == pytest.approx(wide[2], rel=0.1)  # round, square to the axis of the hinge
        assert np.abs(part.points[:, 1]).min() > 0.02  # on both faces of the arm (0.05 m wide), not inside it
    assert not [link for link in scene_parts(result, 0.3).links if "coil" in link.name]

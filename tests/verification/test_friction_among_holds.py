"""Joints whose friction sticks where something else holds them too: a lock, or a rigid contact that sticks."""

import numpy as np
import pytest

import flexmbs as fm


def locked_slide(second, normal_force, rate, rtol=1e-6):
    """A slide with friction that carries two bodies, locked from 0.3 to 0.5 s."""
    system = fm.System(gravity=(1.0, -0.7, -9.81))
    a = system.add(fm.RigidBody(1.0, (0.02, 0.03, 0.04), center=(0.1, 0.0, 0.0)), "a")
    b = system.add(fm.RigidBody(0.5, (0.01, 0.01, 0.02), center=(0.1, 0.0, 0.02)), "b")
    c = system.add(fm.RigidBody(0.4, (0.005, 0.006, 0.007), center=(0.1, 0.03, 0.0)), "c")
    slide = system.prismatic(system.ground["origin"], a["origin"], axis="x", rate=rate, name="slide")
    axes = {} if second == "universal" else {"axis": "y"}
    system.joint(second, a.marker("end", (0.3, 0.0, 0.0)), b["origin"], "second", **axes)
    system.spherical(b.marker("end", (0.3, 0.0, 0.0)), c["origin"], name="third")
    slide.friction(fm.DryFriction(0.3, 0.2), normal_force=normal_force)
    system.event(0.3, fm.Lock(slide), name="lock")
    system.event(0.5, fm.Free(slide), name="free")
    return system.simulate(0.7, rtol=rtol)


@pytest.mark.parametrize("second", ["universal", "revolute", "cylindrical"])
@pytest.mark.parametrize(("normal_force", "rate"), [(20.0, 0.5), ("reaction", 0.0), ("reaction", 0.5)])
def test_friction_leaves_the_load_to_the_lock(second, normal_force, rate):
    """Both held the same coordinate, without a share of the load: the matrix was singular, or not, by rounding."""
    result, finer = (locked_slide(second, normal_force, rate, rtol) for rtol in (1e-6, 1e-7))
    held = (result.t > 0.3) & (result.t < 0.5)
    assert np.ptp(result["slide.displacement"][held]) < 1e-12
    assert result["slide.displacement"][-1] == pytest.approx(finer["slide.displacement"][-1], abs=2e-5)


@pytest.mark.parametrize("rate", [0.0, 1.0])
@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_hinge_and_contact_start_to_slide_together(rate, restitution):
    """A growing force moves an arm whose hinge and tip both stick: the mechanism slid and stuck 5000 times in 1e-9 s.

    With the contact that began to slide the hinge could just stick again, with that hinge the contact could.
    """

    def end(rtol):
        system = fm.System(gravity=(0.0, 0.0, -9.81))
        arm = system.add(fm.RigidBody(1.0, (0.01, 0.01, 0.01), center=(0.1, 0.0, 0.0)), "arm")
        hand = system.add(fm.RigidBody(0.5, (0.003, 0.003, 0.003), center=(0.1, 0.0, 0.0)), "hand")
        hinge = system.revolute(system.ground["origin"], arm["origin"], axis="y", name="hinge", angle=-0.3, rate=rate)
        system.revolute(arm.marker("out", (0.3, 0.0, 0.0)), hand["origin"], axis="y", name="elbow", angle=0.3)
        hinge.friction(fm.DryFriction(0.1, 0.07), normal_force="reaction", radius=0.02)
        floor = fm.Plane(system.ground.marker("floor", (0.0, 0.0, -0.05)), (0.0, 0.0, 1.0))
        law = fm.Rigid(restitution=restitution, friction=1.0)
        system.contact(fm.Point(hand.marker("tip", (0.25, 0.0, 0.0))), floor, law=law, name="floor")
        felt = system.state("filter", lambda t, x, v: 5.0 * (v - x), [system.sensor("rate", hinge)])
        system.force(arm["out"], (0.0, 0.0, system.function(lambda t, x: 5.0 * x, [felt])))
        result = system.simulate(1.0, rtol=rtol)
        return np.array([result["hinge.angle"][-1], result["elbow.angle"][-1]]), len(result.t)

    (coarse, steps), (fine, _) = end(1e-6), end(1e-7)
    assert steps < 1000
    assert coarse == pytest.approx(fine, abs=2e-5)


G = 9.81


def struts_at_a_box(struts, floor_static=0.5, strut_static=1.0):
    """A box of 4 kg on a floor (mu = 0.5), and guided rods with a friction of 10 N that links of 0.1 kg tie to it."""
    system = fm.System(gravity=(0.0, 0.0, -G))
    size = (0.2, 0.2, 0.1)
    box = system.add(fm.RigidBody.box(1000.0, size), "box")
    system.free(system.ground["origin"], box.frame, position=(0.0, 0.0, 0.05), name="box_place")
    law = fm.Rigid(friction=0.5, static_friction=floor_static)
    system.contact(fm.Box(box.frame, size), fm.Plane(system.ground["origin"], (0.0, 0.0, 1.0)), law=law, name="floor")
    for i, y in enumerate(struts):
        rod = system.add(fm.RigidBody(0.1, (1e-4, 1e-4, 1e-4)), f"rod{i}")
        guide = system.prismatic(system.ground.marker(f"guide{i}", (-0.5, y, 0.05)), rod["origin"], axis="x", name=f"guide{i}")
        guide.friction(fm.DryFriction(strut_static, 1.0), normal_force=10.0)
        link = system.add(fm.RigidBody(0.1, (1e-4, 1e-4, 1e-4), center=(0.1, 0.0, 0.0)), f"link{i}")
        system.spherical(rod["origin"], link["origin"], name=f"first{i}")
        system.spherical(link.marker("end", (0.4, 0.0, 0.0)), box.marker(f"at{i}", (-0.1, y, 0.0)), name=f"second{i}")
    return system, box


@pytest.mark.parametrize(
    ("struts", "floor_static", "strut_static"),
    [((0.0,), 0.5, 1.0), ((0.0,), 0.6, 1.0), ((0.0,), 0.5, 1.2), ((0.08, -0.08), 0.5, 1.0), ((0.08, -0.08), 0.7, 1.1)],
)
def test_floor_and_struts_let_go_when_all_their_friction_is_used(struts, floor_static, strut_static):
    """At mu_s (m + quarter of the links) g + c_s, whatever each would carry by itself: two struts changed modes 204 times.

    1e-8 s: the group may lack 1e-9 of its largest force.
    """
    system, box = struts_at_a_box(struts, floor_static, strut_static)
    system.force(box.frame, (fm.Polynomial([0.0, 10.0]), 0.0, 0.0))
    result = system.simulate(5.2, rtol=1e-8)
    lets_go = (floor_static * (4.0 + 0.025 * len(struts)) * G + 10.0 * strut_static * len(struts)) / 10.0
    instants = sorted({event.time for event in result.events if event.time > 0.0})
    assert instants == pytest.approx([lets_go], abs=1e-8)
    mass, kinetic = 4.0 + 0.2 * len(struts), 0.5 * (4.0 + 0.025 * len(struts)) * G + 10.0 * len(struts)
    t, t0 = 5.2, lets_go  # m x'' = 10 t - kinetic
    rate = (5.0 * (t**2 - t0**2) - kinetic * (t - t0)) / mass
    assert result["box_place.x.rate"][-1] == pytest.approx(rate, rel=1e-7)


def test_shaken_box_with_a_strut_moves_as_one_slide():
    """Sticks and slides as a slide of the same mass with the friction of both does."""
    system, box = struts_at_a_box((0.0,))
    system.force(box.frame, (fm.Harmonic(40.0, 1.0), 0.0, 0.0))
    slide = fm.System(gravity=(0.0, 0.0, -G))
    body = slide.add(fm.RigidBody(4.2, (0.01, 0.01, 0.01)), "body")
    joint = slide.prismatic(slide.ground["origin"], body["origin"], axis="x", name="slide")
    joint.friction(fm.DryFriction(0.5), normal_force=4.025 * G + 20.0)
    slide.force(body["origin"], (fm.Harmonic(40.0, 1.0), 0.0, 0.0))
    both, one = system.simulate(2.0, rtol=1e-9), slide.simulate(2.0, rtol=1e-9)
    assert both["box_place.x"][-1] == pytest.approx(one["slide.displacement"][-1], abs=1e-7)
    assert len({event.time for event in both.events}) == len({event.time for event in one.events})


def test_hinge_with_friction_by_its_reaction_holds_a_lever_down():
    """A lever of 1 kg leans on two points; its tip is lifted by 5 t. At its limit the hinge has its friction, mu r |R|.

    Moments about the hinge, with R = m g - F, as the points carry nothing there: F (0.4 cos + mu r) = m g (0.2 cos + mu r).
    """
    system = fm.System(gravity=(0.0, 0.0, -G))
    lever = system.add(fm.RigidBody(1.0, (0.01, 0.01, 0.01), center=(0.2, 0.0, 0.0)), "lever")
    hinge = system.revolute(system.ground["origin"], lever["origin"], axis="y", name="hinge", angle=0.3)
    hinge.friction(fm.DryFriction(0.2), normal_force="reaction", radius=0.05)
    for i, y in enumerate((-0.1, 0.1)):
        floor = fm.Plane(system.ground.marker(f"floor{i}", (0.0, 0.0, -0.4 * np.sin(0.3))), (0.0, 0.0, 1.0))
        system.contact(fm.Point(lever.marker(f"p{i}", (0.4, y, 0.0))), floor, law=fm.Rigid(friction=0.3), name=f"c{i}")
    system.force(lever.marker("tip", (0.4, 0.0, 0.0)), (0.0, 0.0, fm.Polynomial([0.0, 5.0])))
    result = system.simulate(1.1)
    arm = np.cos(0.3)
    lifts = G * (0.2 * arm + 0.01) / (0.4 * arm + 0.01) / 5.0
    assert sorted({event.time for event in result.events if event.time > 0.0}) == pytest.approx([lifts], abs=1e-8)


@pytest.mark.parametrize(("friction", "bearing_force"), [(0.3, 20.0), (0.6, 40.0), (0.1, 5.0)])
def test_ball_with_friction_and_a_tip_on_the_floor_use_the_best_share(friction, bearing_force):
    """An arm on a ball joint with the friction moment M rests with its tip on the floor, which is pushed sideways.

    The ball can also press the tip on the floor, by M_y: mu (m g a - M_y) + M_z, M_y^2 + M_z^2 = M^2, is at most
    mu m g a + M (1 + mu^2)^(1/2). Its cone was given as a whole to what the equations of motion happened to need: 2 to 9 %.
    """
    system = fm.System(gravity=(0.0, 0.0, -G))
    arm = system.add(fm.RigidBody(1.0, (0.01, 0.02, 0.02), center=(0.3, 0.0, 0.0)), "arm")
    ball = system.spherical(system.ground["origin"], arm["origin"], name="ball")
    ball.friction(fm.DryFriction(1.0), normal_force=bearing_force, radius=0.05)
    floor = fm.Plane(system.ground["origin"], (0.0, 0.0, 1.0))
    system.contact(fm.Point(arm.marker("tip", (0.5, 0.0, 0.0))), floor, law=fm.Rigid(friction=friction), name="floor")
    system.force(arm["tip"], (0.0, fm.Polynomial([0.0, 5.0]), 0.0))
    result = system.simulate(1.8)
    lets_go = (friction * G * 0.3 + 0.05 * bearing_force * np.hypot(1.0, friction)) / 0.5 / 5.0
    assert min(event.time for event in result.events if event.time > 0.0) == pytest.approx(lets_go, abs=1e-7)
    assert len(result.t) < 300


@pytest.mark.parametrize("along", [0.0, 3.0])
def test_ball_slips_when_its_whole_moment_is_used(along):
    """An arm held by a ball joint against its weight and a growing force: |M| = 4 N m. It ended there before."""
    system = fm.System(gravity=(0.0, 0.0, -G))
    arm = system.add(fm.RigidBody(1.0, (0.01, 0.02, 0.02), center=(0.3, 0.0, 0.0)), "arm")
    ball = system.spherical(system.ground["origin"], arm["origin"], name="ball")
    ball.friction(fm.DryFriction(1.0), normal_force=80.0, radius=0.05)
    system.force(arm.marker("push", (0.5, 0.0, 0.1)), (fm.Polynomial([0.0, along]), fm.Polynomial([0.0, 5.0]), 0.0))
    result = system.simulate(3.0)
    slips = min(event.time for event in result.events if event.time > 0.0)
    force = np.array([along * slips, 5.0 * slips, 0.0])
    moment = np.cross((0.5, 0.0, 0.1), force) + np.cross((0.3, 0.0, 0.0), (0.0, 0.0, -G))
    assert np.linalg.norm(moment) == pytest.approx(4.0, rel=1e-8)
    assert len(result.t) < 1000
    assert np.abs(result["energy.balance"]).max() < 1e-7


def links_with_friction(system, friction, normal_force, angle, count, radius=0.03):
    """Rods of 0.3 m and 1 kg on dry hinges about y."""
    at, rods = system.ground["origin"], []
    for i in range(count):
        rods.append(system.add(fm.RigidBody(1.0, (0.01, 0.015, 0.02), center=(0.15, 0.0, 0.0)), f"rod {i}"))
        hinge = system.revolute(at, rods[-1]["origin"], axis="y", name=f"hinge {i}", angle=0.0 if i else angle)
        hinge.friction(fm.DryFriction(friction), normal_force=normal_force, radius=radius)
        at = rods[-1].marker("end", (0.3, 0.0, 0.0))
    return rods


def test_a_hinge_lets_go_while_another_one_slides_by_its_reaction():
    """The friction of the one that slides followed the reaction of the instant before: no motion began, at 1.3857 s."""
    ends = []
    for rtol in (1e-7, 1e-9):
        system = fm.System(gravity=(0.0, 0.0, -G))
        links_with_friction(system, 0.4, "reaction", 0.5, 2)
        result = system.simulate(2.0, rtol=rtol)
        ends.append(result["hinge 1.angle"][-1])
        assert len(result.events) < 15 and np.abs(result["energy.balance"]).max() < 1e-7
    assert ends[0] == pytest.approx(ends[1], abs=1e-6)


def test_two_joints_at_their_limits_do_not_take_turns():
    """One began to slide, by which the other one, which had just begun, stuck again: 7191 events, 6e-15 s apart."""
    system = fm.System(gravity=(0.0, 0.0, -G))
    rods = links_with_friction(system, 0.5, 37.0, -0.2, 3)
    floor = fm.Plane(system.ground.marker("floor", (0.0, 0.0, -0.17)), (0.0, 0.0, 1.0))
    for i, rod in enumerate(rods):
        foot = fm.Sphere(rod.marker("foot", (0.3, 0.0, 0.0)), 0.01)
        system.contact(foot, floor, law=fm.Rigid(friction=0.2), name=f"foot {i}")
    system.force(rods[-1]["end"], (fm.Harmonic(15.0, 2.0), 0.0, fm.Harmonic(15.0, 1.3)))
    result = system.simulate(1.0, rtol=1e-7)
    assert len(result.events) < 150


def test_a_run_from_a_state_of_another_model_sticks_where_that_was():
    """With another coefficient the slide jumped to zero, in silence."""

    def slide(friction):
        system = fm.System(gravity=(0.0, 0.0, 0.0))
        body = system.add(fm.RigidBody(2.0, (0.01, 0.01, 0.01)), "body")
        joint = system.prismatic(system.ground["origin"], body["origin"], axis="x", name="slide", displacement=0.7)
        joint.friction(fm.DryFriction(friction), normal_force=20.0)
        system.force(body["origin"], (fm.Polynomial([0.0, 10.0]), 0.0, 0.0))
        return system

    first = slide(0.3).simulate(0.3)
    again = slide(0.4).simulate(0.5, start=first.final_state)
    assert again["slide.displacement"] == pytest.approx(0.7, abs=1e-12)


def test_a_slider_at_its_dead_centre_has_friction_as_soon_as_it_moves():
    """There its friction cannot hold it, and it was let go until its slip turned: 0.49 rad of the crank in place of 0.10."""
    found = []
    for law in (fm.DryFriction(0.3), fm.Coulomb(0.3, transition=1e-5)):
        system = fm.System(gravity=(0.0, 0.0, 0.0))
        crank = system.add(fm.RigidBody(1.0, (0.01, 0.01, 0.01), center=(0.1, 0.0, 0.0)), "crank")
        rod = system.add(fm.RigidBody(1.0, (0.02, 0.02, 0.02), center=(0.25, 0.0, 0.0)), "rod")
        slider = system.add(fm.RigidBody(2.0, (0.01, 0.01, 0.01)), "slider")
        main = system.revolute(system.ground["origin"], crank["origin"], name="main")
        system.revolute(crank.marker("pin", (0.2, 0.0, 0.0)), rod["origin"], name="big end")
        system.revolute(rod.marker("end", (0.5, 0.0, 0.0)), slider["origin"], name="small end")
        guide = system.prismatic(system.ground["origin"], slider["origin"], axis="x", name="guide", displacement=0.7)
        guide.friction(law, normal_force=60.0)
        main.actuate(fm.Polynomial([0.0, 1.0]))
        found.append(system.simulate(0.5, rtol=1e-8)["main.angle"][-1])
    assert found[0] == pytest.approx(found[1], rel=1e-3)  # the regularised one creeps


@pytest.mark.parametrize(
    ("angle", "pull", "apex_force", "friction", "feet", "slips"),
    [(0.9, 10.0, "reaction", 0.5, 1, 1.63204844), (0.6, 100.0, 0.0, 0.9, 3, 0.12035030), (0.6, 100.0, None, 0.9, 3, 0.12035030)],
)
def test_an_a_frame_on_the_floor_lets_go_on_time(angle, pull, apex_force, friction, feet, slips):
    """Rods of 0.5 m, dry at the apex, or the ground with 10 N; the apex is pulled down. N2 (cos - mu sin) = m g cos / 2 + c2 / L.

    The normal force in the apex is that by the forces that hold: it was late by steps, and by 6 % where it was zero.
    """
    system = fm.System(gravity=(0.0, 0.0, -G))
    rod = fm.RigidBody(2.0, (0.04, 0.04, 0.04), center=(0.25, 0.0, 0.0))
    one, two = system.add(rod, "one"), system.add(rod, "two")
    ground = system.revolute(system.ground["origin"], one["origin"], axis="-y", name="ground hinge", angle=angle)
    apex = system.revolute(one.marker("end", (0.5, 0.0, 0.0)), two["origin"], axis="-y", name="apex", angle=-2.0 * angle)
    if apex_force != "reaction":
        ground.friction(fm.DryFriction(0.3), normal_force=10.0, radius=0.03)
    if apex_force is not None:
        apex.friction(fm.DryFriction(0.3), normal_force=apex_force, radius=0.03)
    floor = fm.Plane(system.ground["origin"], (0.0, 0.0, 1.0))
    for i in range(feet):
        foot = fm.Point(two.marker(f"foot {i}", (0.5, 0.1 * (i - 0.5 * (feet - 1)), 0.0)))
        system.contact(foot, floor, law=fm.Rigid(friction=friction), name=f"foot {i}")
    system.force(one["end"], (0.0, 0.0, fm.Polynomial([0.0, -pull])))
    result = system.simulate(1.02 * slips)
    assert min(event.time for event in result.events if event.time > 0.0) == pytest.approx(slips, rel=1e-7)


def test_a_hinge_with_friction_by_its_reaction_is_freed_in_a_loop_at_rest():
    """Reactions were rounding there, and differences by parts of them none: "the accelerations are not determined"."""
    crank, rod, angle = 0.2, 0.5, 0.6
    tilt = np.arcsin(crank * np.sin(angle) / rod)
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    bar = fm.RigidBody(1.0, (0.01, 0.01, 0.01), center=(0.1, 0.0, 0.0))
    one, two, slider = (system.add(bar, name) for name in ("crank", "rod", "slider"))
    main = system.revolute(system.ground["origin"], one["origin"], name="main", angle=angle, rate=3.0)
    system.revolute(one.marker("pin", (crank, 0.0, 0.0)), two["origin"], name="big end", angle=-angle - tilt)
    system.revolute(two.marker("end", (rod, 0.0, 0.0)), slider["origin"], name="small end", angle=tilt)
    place = crank * np.cos(angle) + rod * np.cos(tilt)
    system.prismatic(system.ground["origin"], slider["origin"], axis="x", name="guide", displacement=place)
    main.friction(fm.DryFriction(0.1), normal_force="reaction", radius=0.02)
    main.actuate(6.0)
    system.event(0.1, fm.Lock(main))
    system.event(0.3, fm.Free(main))
    result = system.simulate(0.5, rtol=1e-8)
    held = (result.t > 0.1) & (result.t < 0.3)
    assert np.ptp(result["main.angle"][held]) < 1e-12 and result["main.angle.rate"][-1] > 1.0


@pytest.mark.parametrize("restitution", [0.0, 0.4, 0.8])
@pytest.mark.parametrize("feet", [1, 2])
def test_a_rod_that_wedges_itself_does_not_rebound(restitution, feet):
    """Impulses along the line from its foot to its hinge lie in the friction cone and change nothing: any are in balance.

    With restitution there were 1e8 N s, and 1 J of energy from rounding.
    """
    system = fm.System(gravity=(0.0, 0.0, -G))
    rod = system.add(fm.RigidBody(1.0, (0.01, 0.015, 0.02), center=(0.15, 0.0, 0.0)), "rod")
    system.revolute(system.ground["origin"], rod["origin"], axis="y", name="hinge")
    law = fm.Rigid(friction=0.6, restitution=restitution)
    for i in range(feet):
        foot = fm.Sphere(rod.marker(f"foot {i}", (0.3, 0.1 * i - 0.05 * (feet - 1), 0.0)), 0.01)
        floor = fm.Plane(system.ground.marker(f"floor {i}", (0.0, 0.0, -0.298)), (0.0, 0.0, 1.0))
        system.contact(foot, floor, law=law, name=f"foot {i}")
    result = system.simulate(0.4, rtol=1e-7)
    hits = [event.normal_impulse for event in result.events if event.kind == "impact"]
    assert len(hits) == feet and sum(hits) == pytest.approx(1.94, rel=0.01)
    assert np.abs(result["energy.balance"]).max() < 1e-8

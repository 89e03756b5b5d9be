"""Systems of the tests of long runs, and a run of one as a process of its own.

``python long_runs.py NAME FOLDER T_END`` resumes what it finds in the folder, and writes its first chunk at once: as
these runs are short, they would otherwise end before anything is written.
"""

import sys

import numpy as np

import flexmbs as fm
from flexmbs.analysis.run import run_in_chunks


def impact():
    """A flexible pendulum that hits a stop, rigid parts aside: contact, events, modes."""
    mesh = fm.read_mesh(fm.find_mesh("pendulum_beam.inp"))
    bar = fm.reduce(mesh, interfaces={"hinge": "ROOT", "tip": "TIP"}, modes=fm.ClampedFree("hinge", bending=(2, 0)))
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    pendulum = system.add(bar, name="pendulum")
    system.revolute(system.ground["origin"], pendulum["hinge"], name="hinge", angle=0.05)
    stop = fm.Plane(system.ground["origin"], normal=(0.0, 1.0, 0.0))
    system.contact(fm.Point(pendulum["tip"]), stop, law=fm.Hertz(1e8), name="stop")
    return system


def four_bar():
    """A driven loop with redundant constraints, and a ball joint: projection, choice of constraints, charts."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    crank, rod, rocker = (
        system.add(fm.RigidBody.rod(1.0, length), name=name) for name, length in (("crank", 0.5), ("rod", 2.0), ("rocker", 1.5))
    )
    top = system.add(fm.RigidBody(1.0, (0.02, 0.03, 0.01), center=(0.0, 0.0, 0.1)), name="top")
    system.revolute(system.ground["origin"], crank["origin"], name="first", angle=1.0, rate=9.0)
    far = system.ground.marker("far", position=(2.0, 0.0, 0.0))
    system.revolute(crank.marker("end", position=(0.5, 0.0, 0.0)), rod["origin"], name="second")
    system.revolute(far, rocker["origin"], name="third", angle=1.8)
    ends = rod.marker("end", position=(2.0, 0.0, 0.0)), rocker.marker("end", position=(1.5, 0.0, 0.0))
    system.revolute(*ends, name="fourth", cut=True)
    tip = rocker.marker("tip", position=(1.5, 0.0, 0.0))
    system.spherical(tip, top["origin"], angular_velocity=(0.0, 1.0, 30.0), name="ball")
    return system


def pendulum():
    """The cheapest run that there is."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    rod = system.add(fm.RigidBody.rod(1.0, 1.0), name="rod")
    system.revolute(system.ground["origin"], rod["origin"], name="hinge", angle=1.0)
    return system


SYSTEMS = {"impact": (impact, 2e-6), "four_bar": (four_bar, 1e-4), "pendulum": (pendulum, 1e-4)}  # and largest step, s


def run(name, t_end, out=None, **options):
    build, max_step = SYSTEMS[name]
    return build().simulate(t_end, max_step=max_step, out=out, **options)


def same(first, second):
    """Both results have the same digits, contacts and counters."""
    for name, array in first.trajectory.arrays().items():
        assert np.array_equal(array, getattr(second.trajectory, name)), name
    assert repr(first.contacts) == repr(second.contacts)  # also where an end is not a number
    assert first.events == second.events
    counters = [name for name in first.stats if not name.endswith("_seconds")]
    assert [first.stats[name] for name in counters] == [second.stats[name] for name in counters]


if __name__ == "__main__":
    run_in_chunks.WRITE_SECONDS = 0.0
    run(sys.argv[1], float(sys.argv[3]), sys.argv[2], resume=True)

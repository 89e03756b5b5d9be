"""Problems of verification that are stated here, not by a case that comes with flexmbs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import spsolve
from scipy.special import ellipj, ellipk

import flexmbs as fm
from flexmbs.core.methods.integrator import Integrator
from flexmbs.fem.vibration import natural_modes
from flexmbs.mesh.connectivity import outer_faces
from flexmbs.mesh.quadrature import surface_samples


def pendulum() -> fm.System:
    """IFToMM benchmark A01, released from the horizontal: a point mass "bob" of 1 kg at 1 m from its joint "hinge"."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    bob = system.add(fm.RigidBody.point(1.0, (0.0, -1.0, 0.0)), name="bob")
    bob.marker("mass", position=(0.0, -1.0, 0.0))
    system.revolute(system.ground.marker("pivot"), bob["origin"], axis="z", angle=-np.pi / 2, name="hinge")
    return system


def pendulum_angle(t: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Angle (rad) from hanging at times ``t`` (s): theta = -2 asin(k sn(K - w t, k)) with k = sin(45 degrees)."""
    sn = ellipj(ellipk(0.5) - np.sqrt(9.81) * np.asarray(t), 0.5)[0]
    return -2.0 * np.arcsin(np.sqrt(0.5) * sn)


def pendulum_run() -> fm.Result:
    """Ten seconds."""
    return pendulum().simulate(10.0, rtol=1e-9, atol=1e-11)


def pendulum_at_end() -> dict[str, Any]:
    """What is compared of the simple pendulum."""
    result = pendulum_run()
    names = ("hinge.angle", "hinge.angle.rate", "bob.mass.position.x", "bob.mass.position.y")
    return {name: result[name][-1] for name in names} | {"error": np.abs(result["hinge.angle"] - pendulum_angle(result.t)).max()}


def observed_order(integrator: Integrator, tolerances: tuple[float, float]) -> float:
    """How the largest error of the pendulum's angle in 3 s falls with the number of steps: error ~ steps^-order."""
    steps, errors = [], []
    for rtol in tolerances:
        result = pendulum().simulate(3.0, rtol=rtol, integrator=integrator)
        steps.append(result.stats["steps_accepted"])
        errors.append(np.abs(result["hinge.angle"] - pendulum_angle(result.t)).max())
    return float(np.log(errors[0] / errors[1]) / np.log(steps[1] / steps[0]))


# Of the impact of a sphere.
RADIUS, HEIGHT = 0.01, 1e-4  # m: of the sphere; its distance from the half-space at the start
DENSITY = 7850.0  # kg/m3
STEEL = fm.Material("steel", 210e9, 0.3, DENSITY)


def sphere_impact(speed: float, duration: float) -> fm.Result:
    """A steel sphere on a prismatic joint, without gravity, hits a steel half-space at ``speed`` (m/s).

    It runs to half a contact's ``duration`` (s) after the rebound, or somewhat more.
    """
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    ball = system.add(fm.RigidBody.sphere(DENSITY, RADIUS), name="ball")
    floor = system.ground.marker("floor")
    system.prismatic(floor, ball["origin"], axis="y", displacement=HEIGHT + RADIUS, rate=-speed)
    system.contact(fm.Sphere(ball["origin"], RADIUS), fm.Plane(floor), fm.Hertz.from_materials(RADIUS, STEEL, STEEL))
    return system.simulate(HEIGHT / speed + 2.0 * duration, rtol=1e-10, atol=1e-14)


def thick_plate_frequencies() -> NDArray[np.float64]:
    """(7,) Hz: FV52, a plate of 10 x 10 x 1 m held vertically at the edges of its lower face, 4 x 4 x 1 hex20."""
    model = fm.assemble(fm.box_mesh((10.0, 10.0, 1.0), (4, 4, 1), fm.Material("steel", 200e9, 0.3, 8000.0)))
    x, y, z = model.mesh.points.T
    held = np.zeros((len(x), 3), bool)
    held[(np.isin(x, (0.0, 10.0)) | np.isin(y, (0.0, 10.0))) & (z == 0.0), 2] = True
    found = natural_modes(model, held.ravel(), 7).frequencies
    return found[found > 0.0][:7]


def elliptic_plate_stress(cube: fm.Mesh) -> float:
    """Pa: LE10, the stress sigma_yy at D of a thick plate under 1 MPa on its upper face.

    A quarter between the ellipses (2, 1) and (3.25, 2.75) m, 0.6 m thick; the outer face is held in x and y, and
    vertically halfway up.

    Parameters
    ----------
    cube : elements of a cube of 1 m, which are mapped to the plate: x along the radius, y around, z upwards
    """
    s, t, height = cube.points.T
    angle = 0.5 * np.pi * t
    place = ((2.0 + 1.25 * s) * np.cos(angle), (1.0 + 1.75 * s) * np.sin(angle), 0.6 * height)
    model = fm.assemble(replace(cube, points=np.column_stack(place)))
    held = np.zeros((len(s), 3), bool)
    inner, outer, top = np.isclose(s, 0.0), np.isclose(s, 1.0), np.isclose(height, 1.0)
    held[np.isclose(t, 1.0), 0] = True  # symmetry
    held[np.isclose(t, 0.0), 1] = True
    held[outer, :2] = True
    held[outer & np.isclose(height, 0.5), 2] = True
    loads = np.zeros((len(s), 3))
    loads[:, 2] = -1e6 * consistent_areas(model.mesh, top)
    free = np.flatnonzero(~held.ravel())
    displacement = np.zeros(model.ndof)
    displacement[free] = spsolve(model.K[free][:, free].tocsc(), loads.ravel()[free])
    at_d = int(cube.node_ids[np.flatnonzero(inner & top & np.isclose(t, 0.0))[0]])
    return float(model.stress(displacement).of_nodes(at_d).stress[0, 1])


def consistent_areas(mesh: fm.Mesh, chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(nn,) m2: the integral of each node's shape function over the outer faces all of whose nodes are ``chosen``."""
    areas = np.zeros(len(mesh.points))
    for kind, faces, _ in outer_faces(mesh):
        nodes = faces[chosen[faces].all(axis=1)]
        _, weights, shapes = surface_samples(kind, mesh.points[nodes])
        np.add.at(areas, nodes, weights @ shapes)
    return areas


def oscillator() -> fm.Result:
    """One second of 1 kg on "guide", released 0.1 m from the rest of its spring of 400 N/m with a damper of 4 N s/m."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    mass, wall = system.add(fm.RigidBody(1.0), name="mass"), system.ground.marker("wall", position=(-1.0, 0.0, 0.0))
    system.prismatic(system.ground["origin"], mass["origin"], axis="x", displacement=0.1, name="guide")
    system.spring_damper(wall, mass["origin"], 400.0, 4.0, length=1.0)
    return system.simulate(1.0, rtol=1e-9, atol=1e-12)


def oscillator_error() -> float:
    """m: the largest, against x = 0.1 e^(-d t) (cos w t + d/w sin w t), with d = 2/s and w^2 = 400/s^2 - d^2."""
    result, frequency = oscillator(), np.sqrt(400.0 - 2.0**2)
    wave = np.cos(frequency * result.t) + 2.0 / frequency * np.sin(frequency * result.t)
    return float(np.abs(result["guide.displacement"] - 0.1 * np.exp(-2.0 * result.t) * wave).max())


def rest_times(restitutions: list[float]) -> NDArray[np.float64]:
    """Times (s) at which bouncing balls come to rest, from a study in a folder and a process of its own."""
    with TemporaryDirectory() as folder:
        study = fm.Study("bouncing_ball", {"restitution": restitutions}, "grid", folder=folder, keep="figures")
        study.run(workers=1, progress=False)
        records = {index: record for index, _, record in study.rows() if record is not None}
        return np.array([records[index].figures["rest_time"] for index in range(len(study))])


def changes_in_files() -> Mapping[str, float]:
    """Largest change of histories and of frequencies by writing and reading a result and a reduced body."""
    body = fm.reduce(
        fm.read_mesh(fm.find_mesh("pendulum_beam.inp")), interfaces={"end": "ROOT"}, modes=fm.ClampedFree("end", count=2)
    )
    result = oscillator()
    with TemporaryDirectory() as folder:
        result.save(folder)
        fm.save_body(body, Path(folder) / "body.h5")
        again, read = fm.load(folder), fm.load_body(Path(folder) / "body.h5")
        return {
            "change of histories": max(np.abs(again[name] - result[name]).max() for name in ("guide.displacement", "energy.total")),
            "change of frequencies": np.abs(read.frequencies - body.frequencies).max(),
        }

"""Spheres in a box in MuJoCo: free bodies, soft constraints with the stiffness of the springs and without damping."""

from __future__ import annotations

import time

import numpy as np

from peer_systems.sphere_box import Box, Run


def mujoco_spheres(box: Box, t_end: float, steps: int) -> Run:
    """A run of equal steps with RK4.

    A contact is a constraint whose reference acceleration is -stiffness gap / mass: ``solref`` = (-k / m, 0) with the
    effective mass of two spheres.
    """
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.timestep = t_end / steps
    spec.option.gravity = [0.0, 0.0, 0.0]
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    spec.option.cone = mujoco.mjtCone.mjCONE_PYRAMIDAL
    solref = [-2.0 * box.stiffness / box.mass, -1e-6]
    shape = {"condim": 1, "solref": solref, "solimp": [0.5, 0.5, 1e-3, 0.5, 2.0], "margin": 0.0}
    for place in box.places:
        body = spec.worldbody.add_body(pos=place)
        body.add_freejoint()
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[box.radius, 0, 0], density=box.density, **shape)
    for name, place, normal in box.walls():
        axis = int(np.argmax(np.abs(normal)))
        turn = np.zeros(4)
        mujoco.mju_quatZ2Vec(turn, normal)
        spec.worldbody.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1.0, 1.0, 0.1], pos=place, quat=turn, **shape)
        assert abs(normal[axis]) == 1.0
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qvel.reshape(-1, 6)[:, :3] = box.velocities
    begin = time.perf_counter()
    mujoco.mj_step(model, data, steps)
    seconds = time.perf_counter() - begin
    return Run(data.qpos.reshape(-1, 7)[:, :3].copy(), data.qvel.reshape(-1, 6)[:, :3].copy(), seconds, steps)

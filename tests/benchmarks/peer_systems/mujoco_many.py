"""Chain and chain of loops in MuJoCo: hinges of a tree, loops closed by soft equality constraints."""

from __future__ import annotations

import time

import numpy as np
from accuracy import End

STAGES = {"Euler": 1, "implicitfast": 1, "RK4": 4}  # solutions for accelerations a step


def mujoco_rods(mechanism: str, bodies: int, t_end: float, integrator: str, steps: int) -> End:
    """Centres of all rods (n, 2) and their velocities, in the order stated, at the end of equal steps.

    The steps are timed, the making of the model is not.
    """
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.timestep = t_end / steps
    spec.option.gravity = [0.0, -9.81, 0.0]
    spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
    spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT

    def rod(parent, name: str, position, turn) -> object:
        body = parent.add_body(name=name, pos=position, quat=turn)
        body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0.0, 0.0, 1.0], name=name)
        body.mass, body.inertia, body.ipos = 1.0, [1e-6, 1.0 / 12.0, 1.0 / 12.0], [0.5, 0.0, 0.0]
        body.explicitinertial = True
        names.append(name)
        return body

    straight, up, down = [1, 0, 0, 0], [0.5**0.5, 0, 0, 0.5**0.5], [0.5**0.5, 0, 0, -(0.5**0.5)]
    start: dict[str, float] = {}
    names: list[str] = []
    if mechanism == "chain":
        parent = spec.worldbody
        for i in range(bodies):
            parent = rod(parent, f"rod {i}", [1.0 if i else 0.0, 0.0, 0.0], straight)
    else:
        for i in range(bodies // 2 + 1):
            post = rod(spec.worldbody, f"post {i}", [float(i), 0.0, 0.0], up)
            start[f"post {i}"] = -1.0
            if i < bodies // 2:
                rod(post, f"bar {i + 1}", [1.0, 0.0, 0.0], down)
                start[f"bar {i + 1}"] = 1.0
                loop = spec.add_equality(
                    type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY, name1=f"bar {i + 1}", name2=f"post {i + 1}"
                )
                loop.data[:3] = [1.0, 0.0, 0.0]
    model = spec.compile()
    data = mujoco.MjData(model)
    for name, rate in start.items():
        data.qvel[model.joint(name).dofadr[0]] = rate
    begin = time.perf_counter()
    mujoco.mj_step(model, data, steps)
    seconds = time.perf_counter() - begin
    mujoco.mj_forward(model, data)
    # other codes know a loop's post before its bar
    order = sorted(range(len(names)), key=lambda i: (int(names[i].split()[1]), names[i].startswith("bar")))
    numbers = [model.body(names[i]).id for i in order]
    velocity, six = np.zeros((len(numbers), 2)), np.zeros(6)
    for row, number in enumerate(numbers):
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, number, six, 0)
        velocity[row] = six[3:5]
    return End(data.xipos[numbers][:, :2].copy(), velocity, seconds, steps, STAGES[integrator] * steps)

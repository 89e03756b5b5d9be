"""Chain and chain of loops in MuJoCo: hinges of a tree, loops closed by soft equality constraints."""

from __future__ import annotations

import time

STEPS, STEP = 200, 1e-3


def mujoco_seconds_per_step(mechanism: str, bodies: int) -> float:
    """Seconds per step of the semi-implicit Euler method."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.timestep = STEP
    spec.option.gravity = [0.0, -9.81, 0.0]
    spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT

    def rod(parent, name: str, position, turn) -> object:
        body = parent.add_body(name=name, pos=position, quat=turn)
        body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0.0, 0.0, 1.0], name=name)
        body.mass, body.inertia, body.ipos = 1.0, [1e-6, 1.0 / 12.0, 1.0 / 12.0], [0.5, 0.0, 0.0]
        body.explicitinertial = True
        return body

    straight, up, down = [1, 0, 0, 0], [0.5**0.5, 0, 0, 0.5**0.5], [0.5**0.5, 0, 0, -(0.5**0.5)]
    start = {}
    if mechanism == "chain":
        parent = spec.worldbody
        for i in range(bodies):
            parent = rod(parent, f"rod {i}", [1.0 if i else 0.0, 0.0, 0.0], straight)
    else:
        for i in range(bodies // 2 + 1):
            post = rod(spec.worldbody, f"post {i}", [float(i), 0.0, 0.0], up)
            start[f"post {i}"] = -1.0
            if i < bodies // 2:
                rod(post, f"bar {i}", [1.0, 0.0, 0.0], down)
                start[f"bar {i}"] = 1.0
                loop = spec.add_equality(
                    type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY, name1=f"bar {i}",
                    name2=f"post {i + 1}",
                )  # fmt: skip
                loop.data[:3] = [1.0, 0.0, 0.0]
    model = spec.compile()
    data = mujoco.MjData(model)
    for name, rate in start.items():
        data.qvel[model.joint(name).dofadr[0]] = rate
    mujoco.mj_step(model, data)
    begin = time.perf_counter()
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
    return (time.perf_counter() - begin) / STEPS

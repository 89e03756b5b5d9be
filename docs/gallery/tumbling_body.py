"""Handle tumbles in space
=======================

Rotation about the axis of the middle moment of inertia is unstable: a T-shaped handle turns over again and again,
although nothing acts on it (Dzhanibekov). Energy and angular momentum stay.
"""

import numpy as np

import flexmbs as fm

bar = fm.RigidBody.cylinder(7850, 0.01, 0.10, axis="y")
stem = fm.RigidBody.cylinder(7850, 0.01, 0.05, center=(0.035, 0, 0))
handle = fm.weld([bar, stem])
moments, axes = handle.principal_inertia()
spin = axes.matrix @ np.array([0.01, 20.0, 0.01])  # rad/s, almost about the middle axis

system = fm.System(gravity=(0, 0, 0))
body = system.add(handle, name="handle", angular_velocity=spin)
body.marker("end", axes.matrix @ np.array([0, 0.06, 0]))
result = system.simulate(6.0, rtol=1e-10, atol=1e-12)
end = np.array([result[f"handle.end.position.{axis}"] for axis in "xyz"])
middle = axes.matrix @ [0, 1, 0]
upright = middle @ end > 0
turns, drift = np.count_nonzero(np.diff(upright)), np.ptp(result["energy.kinetic"])
print(f"turned over {turns} times, kinetic energy is kept to {drift:.0e} J")
# %%
result.animate("tumbling_body.png", time=1.0)
result.to_html("tumbling_body.html", force=True)

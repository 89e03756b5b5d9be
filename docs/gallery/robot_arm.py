"""Flexible arm with a controlled motor
====================================

A digital controller (1 kHz) turns a slender aluminium arm by 60 degrees along a smooth path. The tip lags behind and
rings when the motor stops.
"""

import numpy as np

import flexmbs as fm

material = fm.Material("aluminium", 70e9, 0.33, 2700)
mesh = fm.line_mesh(1.0, 20, fm.rectangle(0.030, 0.006), material)
modes = fm.ClampedFree(at="root", bending=(3, 3))
body = fm.reduce(mesh, interfaces={"root": "ROOT", "tip": "TIP"}, modes=modes, damping=0.01)

system = fm.System(gravity=(0, 0, 0))
arm = system.add(body, name="arm")
payload = system.add(fm.RigidBody.sphere(7850, 0.02), name="payload")
rotor = system.add(fm.RigidBody.cylinder(7850, 0.08, 0.06, axis="z"), name="rotor")
shaft = system.revolute(system.ground["origin"], rotor["origin"], axis="z", name="shaft")
system.fixed(rotor.marker("flange", (0.08, 0, 0)), arm["root"])
system.fixed(arm["tip"], payload["origin"])
path = fm.Step(0.1, 0.6, 0.0, np.radians(60))
angle, speed = system.sensor("coordinate", shaft), system.sensor("rate", shaft)
command = system.controller("motor", lambda t, x, v: 150.0 * (path(t) - x) - 6.0 * v, [angle, speed], period=1e-3)
shaft.actuate(command)

result = system.simulate(2.0, rtol=1e-6)
bend = result["arm.tip.displacement.y"]
print(f"at the end {np.degrees(result['shaft.angle'][-1]):.2f} degrees; tip bends by {1e3 * np.abs(bend).max():.1f} mm")
# %%
result.animate("robot_arm.png", time=0.25, camera="z")
result.to_html("robot_arm.html", force=True)

"""Flexible pendulum hits a stop
=============================

A steel bar of solid elements swings down from the horizontal and hits a wall with its tip. Contact by Hertz, stress
from the modes; ``result.contacts`` lists the hit.
"""

import numpy as np

import flexmbs as fm

mesh = fm.read_mesh(fm.find_mesh("pendulum_hex20.inp"))
bar = fm.reduce(mesh, interfaces={"hinge": "ROOT", "tip": "TIP"}, modes=fm.ClampedFree(at="hinge", count=5))

system = fm.System(gravity=(0, -9.81, 0))
pendulum = system.add(bar, name="pendulum")
hanging = system.ground.marker("hanging", rotation=[[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
system.revolute(hanging, pendulum["hinge"], axis="z", angle=np.pi / 2, name="hinge")
steel = fm.Material("steel", 210e9, 0.3)
law = fm.Hertz.from_materials(0.01, steel, steel)
wall = fm.Plane(hanging, normal=(0, 1, 0))
system.contact(fm.Point(pendulum["tip"]), wall, law=law, name="stop")

result = system.simulate(t_end=0.6, rtol=1e-5)
hit = result.contacts[0]
print(f"hit at {hit.start:.4f} s, peak {hit.peak_force:.0f} N, impulse {hit.impulse:.3f} N s")
# %%
result.animate("pendulum_impact.png", time=0.5, color="von_mises", camera="z")
result.to_html("pendulum_impact.html", force=True)

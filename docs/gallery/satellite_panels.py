"""Satellite unfolds its panels, which lock
========================================

Three panels folded on each other are driven by springs; cables keep their hinges in step, and latches close where the
panels are straight. The hub turns back; each latch takes an impulse.
"""

import numpy as np

import flexmbs as fm

system = fm.System(gravity=(0, 0, 0))
hub = system.add(fm.RigidBody.box(200, (1.2, 1.2, 1.0)), name="hub")
system.planar(system.ground["origin"], hub["origin"], name="motion")
carrier = hub.marker("hinge", (0.6, 0.6, 0))
hinges = []
for i, start in enumerate([-np.pi / 2, np.pi, -np.pi]):
    panel = system.add(fm.RigidBody.box(100, (1.2, 0.03, 1.0), center=(0.6, 0, 0)), name=f"panel {i + 1}")
    hinge = system.revolute(carrier, panel["origin"], axis="z", angle=start, rate=0, name=f"hinge {i + 1}")
    hinge.spring(stiffness=0.2, damping=0.05, preload=0.1 * np.sign(start))
    system.latch(hinge, at=0.0, name=f"latch {i + 1}")
    if hinges:
        system.couple((hinge, 1.0), (hinges[-1], 2.0 if i == 1 else 1.0), value=0.0, name=f"cable {i}")
    hinges.append(hinge)
    carrier = panel.marker("end", (1.2, 0, 0))

result = system.simulate(9.0, rtol=1e-8)
locked = [event for event in result.events if event.kind == "lock"]
print(f"locked at {locked[0].time:.2f} s, {sum(event.energy_lost for event in locked):.3f} J lost")
print(f"hub turned by {np.degrees(result['motion.angle'][-1]):.2f} degrees")
# %%
result.animate("satellite_panels.png", time=0.6 * locked[0].time)
result.to_html("satellite_panels.html", force=True)

"""Block on a belt: stick and slip
===============================

A belt carries a block along until its spring pulls it loose; it slips back and sticks again. Rigid contact with dry
friction: every change of slip and stick is located exactly.
"""

import flexmbs as fm

mass, stiffness, belt_speed = 1.0, 100.0, 0.1  # kg, N/m, m/s
system = fm.System(gravity=(0, 0, -9.81))
size = 0.04
block = system.add(fm.RigidBody.box(mass / size**3, (size, size, size)), name="block")
base = block.marker("base", (0, 0, -0.5 * size))
motion = system.planar(system.ground["origin"], base, normal="y", v_rate=belt_speed, name="motion")
motion.prescribe(0.0, coordinate="angle")
motion.spring(stiffness, coordinate="v")
belt = system.add(fm.RigidBody.box(1000, (1.0, 0.08, 0.01), center=(0, 0, -0.005)), name="strip")
system.prismatic(system.ground["origin"], belt["origin"], axis="x", name="drive").prescribe(rate=belt_speed)
law = fm.Rigid(friction=0.3, static_friction=0.4)
system.contact(fm.Point(base), fm.Plane(belt["origin"], (0, 0, 1)), law=law, name="belt")

result = system.simulate(2.0, rtol=1e-9, atol=1e-12)
slips = [event.time for event in result.transitions("belt") if event.time > 0 and event.mode == "sliding"]
print(f"slips at {', '.join(f'{time:.4f}' for time in slips)} s")
# %%
result.animate("stick_slip.png", time=slips[0])
result.to_html("stick_slip.html", force=True)

"""Quarter car drives over a bump
==============================

Two wishbones carry the wheel; spring and damper stand on the lower one. The tyre is a spring between the hub of the
wheel and the road, which rises by 60 mm and falls again.
"""

import numpy as np

import flexmbs as fm

system = fm.System(gravity=(0, 0, -9.81))
ground = system.ground
car = system.add(fm.RigidBody.box(1700, (0.5, 0.5, 0.95), center=(0, 0, 0.425)), name="quarter car")
low = system.add(fm.RigidBody.box(7850, (0.40, 0.05, 0.03), center=(0.2, 0, 0)), name="lower arm")
high = system.add(fm.RigidBody.box(7850, (0.40, 0.04, 0.02), center=(0.2, 0, 0)), name="upper arm")
upright = fm.RigidBody.box(7850, (0.06, 0.08, 0.30), center=(0.02, 0, 0))
wheel = system.add(fm.weld([upright, fm.RigidBody.cylinder(500, 0.30, 0.18, center=(0.14, 0, 0))]), name="wheel")
system.prismatic(ground.marker("lift"), car["origin"], axis="z", displacement=0.175, name="heave")
system.revolute(car.marker("low", (0.25, 0, 0)), low["origin"], axis="y", angle=0.0, name="low pivot")
system.revolute(car.marker("high", (0.25, 0, 0.25)), high["origin"], axis="y", angle=0.0, name="high pivot")
system.revolute(low.marker("end", (0.4, 0, 0)), wheel.marker("low", (0, 0, -0.125)), axis="y", name="low ball")
system.revolute(high.marker("end", (0.4, 0, 0)), wheel.marker("high", (0, 0, 0.125)), axis="y", name="high ball")
foot, tower = low.marker("foot", (0.3, 0, 0)), car.marker("tower", (0.28, 0, 0.5))
system.spring_damper(foot, tower, stiffness=8e4, damping=5e3, length=0.58, name="strut")

road = system.add(fm.RigidBody.box(2000, (0.5, 1.0, 0.04), center=(0, 0, -0.02)), name="road")
profile = system.prismatic(ground.marker("track", (0.79, 0, 0)), road["origin"], axis="z", name="profile")
up, down = fm.Step(0.5, 0.6, 0.0, 0.06), fm.Step(0.6, 0.7, 0.0, 0.06)
profile.prescribe(lambda t: up(t) - down(t))
system.spring_damper(wheel.marker("hub", (0.14, 0, 0)), road["origin"], 2e5, 300.0, length=0.30, name="tyre")

result = system.simulate(2.0, rtol=1e-6, max_step=0.02, from_equilibrium=True)
lift, strut = result["heave.displacement"], result["strut.length"]
print(f"car rises by {1e3 * (lift.max() - lift[0]):.1f} mm, strut moves by {1e3 * np.ptp(strut):.1f} mm")
# %%
result.animate("suspension.png", time=0.6, camera="-y")
result.to_html("suspension.html", force=True)

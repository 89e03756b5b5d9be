"""Cam and roller follower
=======================

An eccentric disc drives a roller; a spring presses the roller onto the cam. The contact is a constraint between the
roller and an outline (here a circle, in general any closed curve), so its force is a reaction.
"""

import numpy as np

import flexmbs as fm

radius, roller, offset, speed = 0.04, 0.012, 0.015, 20.0  # m, m, m, rad/s
system = fm.System(gravity=(0, -9.81, 0))
disc = fm.RigidBody.cylinder(7850, radius, 0.012, (offset, 0, 0), axis="z")
cam = system.add(disc, name="cam")
stem = fm.RigidBody.box(7850, (0.008, 0.10, 0.008), (0, 0.05, 0))
follower = system.add(fm.weld([stem, fm.RigidBody.cylinder(7850, roller, 0.01, axis="z")]), name="follower")
axle = system.revolute(system.ground.marker("axle"), cam["origin"], axis="z", name="axle")
axle.prescribe(rate=speed)
height = np.sqrt((radius + roller) ** 2 - offset**2)
guide = system.prismatic(system.ground["origin"], follower["origin"], axis="y", displacement=height, name="guide")
guide.spring(stiffness=2000.0, rest=0.0)
outline = fm.Curve.circle(radius, center=(offset, 0), start=np.arctan2(height, -offset))
system.cam_roller(cam["origin"], follower["origin"], outline, roller, s=0.0, name="roller")

result = system.simulate(2 * np.pi / speed, rtol=1e-8)
lift, force = result["guide.displacement"], result["roller.reaction.force.y"]
print(f"lift {1e3 * np.ptp(lift):.2f} mm, force between {force.min():.0f} and {force.max():.0f} N")
# %%
result.animate("cam_follower.png", time=0.05, camera="z")
result.to_html("cam_follower.html", force=True)

"""Newton's cradle
===============

Five steel balls on rods, rigid contacts, restitution 1. The first ball is let go at 50 degrees, and the last one goes
up as high; with gaps of a micrometre the hits follow one another.
"""

import numpy as np

import flexmbs as fm

radius, length, gap = 0.02, 0.25, 1e-6
system = fm.System(gravity=(0, -9.81, 0))
balls = []
for i in range(5):
    rod = fm.RigidBody.cylinder(1e-3, 0.002, length, center=(0, -0.5 * length, 0), axis="y")
    drawn = fm.SurfaceMesh.joined([rod.surface, fm.RigidBody.sphere(7850, radius, center=(0, -length, 0)).surface])
    mass = 7850 * 4 / 3 * np.pi * radius**3
    ball = fm.RigidBody(mass, (0.4 * mass * radius**2,) * 3, center=(0, -length, 0), surface=drawn)
    part = system.add(ball, name=f"ball {i + 1}")
    top = system.ground.marker(f"top {i + 1}", position=((2 * radius + gap) * i, length, 0))
    angle = np.radians(-50) if i == 0 else 0.0
    system.revolute(top, part["origin"], axis="z", angle=angle, rate=0.0, name=f"pivot {i + 1}")
    balls.append(fm.Sphere(part.marker("ball", (0, -length, 0)), radius))
for i in range(4):
    system.contact(balls[i], balls[i + 1], law=fm.Rigid(restitution=1.0), name=f"hit {i + 1}")

result = system.simulate(0.6, rtol=1e-9, atol=1e-12)
highest = [np.degrees(result[f"pivot {i + 1}.angle"].max()) for i in range(5)]
print("largest angles:", ", ".join(f"{angle:.2f}" for angle in highest), "degrees")
# %%
result.animate("newton_cradle.png", time=0.55, camera="z")
result.to_html("newton_cradle.html", force=True)

"""Spheres fall into a heap
========================

Forty-eight spheres with friction fall into a box without a lid and come to rest. Time stepping solves all rigid
contacts of a step at once.
"""

import numpy as np

import flexmbs as fm

radius, side, count = 0.02, 0.16, 48
rng = np.random.default_rng(1)
system = fm.System(gravity=(0, 0, -9.81))
shapes = []
ball = fm.RigidBody.sphere(2500, radius)
for i in range(count):
    cell = np.array([i % 3, i // 3 % 3, i // 9])
    place = 0.046 * (cell + 0.5) + rng.uniform(-0.002, 0.002, 3) + (0.011, 0.011, 0.0)
    shapes.append(fm.Sphere(system.add(ball, name=f"ball {i + 1}", position=place)["origin"], radius))
for axis, place, sign in [(2, 0, 1), (0, 0, 1), (0, side, -1), (1, 0, 1), (1, side, -1)]:
    normal, position = np.zeros(3), np.zeros(3)
    normal[axis], position[axis] = sign, place
    wall = system.ground.marker(f"wall {axis} {sign}", position=position)
    shapes.append(fm.Plane(wall, normal=tuple(normal)))
system.contact_all(shapes, law=fm.Rigid(restitution=0.3, friction=0.4), name="heap", grouped=True)

result = system.simulate(0.8, integrator=fm.Moreau(step=1e-3))
heights = np.array([result[f"ball {i + 1}.position.z"][-1] for i in range(count)])
print(f"top of the heap at {1e3 * (heights.max() + radius):.0f} mm")
# %%
result.animate("heap_of_spheres.png", time=0.8)
result.to_html("heap_of_spheres.html", force=True)

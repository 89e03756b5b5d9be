"""Disc rolls in a circle
======================

A thin disc rolls without slipping, tilted by 27 degrees: with the right rate of precession it rolls round a circle
for ever.
"""

import numpy as np

import flexmbs as fm

mass, radius, tilt, distance = 2.0, 0.3, 1.1, 0.8  # kg, m, angle of the axle from the vertical, radius of the circle
s, c = np.sin(tilt), np.cos(tilt)
diameter, axle = 0.25 * mass * radius**2, 0.5 * mass * radius**2
about = (axle + mass * radius**2) * distance / radius + diameter * c
precession = np.sqrt(mass * radius * 9.81 * c / (s * about))

spoke = fm.RigidBody.box(1.0, radius * np.array([1.8, 0.15, 0.15])).surface  # shows that it turns
drawn = fm.SurfaceMesh.joined([fm.RigidBody.cylinder(1.0, radius, 0.05 * radius, axis="z").surface, spoke])
axes = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
spin = np.array([-precession * s, 0, -precession * distance / radius])
system = fm.System(gravity=(0, 0, -9.81))
disc = system.add(
    fm.RigidBody(mass, (diameter, diameter, axle), surface=drawn),
    name="disc",
    position=(distance, 0, radius * s),
    rotation=axes,
    velocity=-np.cross(axes @ spin, axes @ [radius, 0, 0]),
    angular_velocity=spin,
)
system.rolling_disc(disc["origin"], system.ground.marker("plane"), radius, name="rolling")

result = system.simulate(2 * np.pi / precession, rtol=1e-9, atol=1e-11)
end = [result[f"disc.position.{axis}"][-1] for axis in "xyz"]
print(f"after one round of {result.t[-1]:.2f} s: {end[0]:.6f}, {end[1]:.6f}, {end[2]:.6f} m")
# %%
result.animate("rolling_disc.png", time=0.8)
result.to_html("rolling_disc.html", force=True)

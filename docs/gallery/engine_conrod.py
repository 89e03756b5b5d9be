"""Engine with a connecting rod from a Gmsh mesh
=============================================

A rod in millimetres, its bores as physical groups, becomes a flexible body of a slider-crank at 3000 rpm. The markers
stand on the axes of the bores.
"""

import numpy as np

import flexmbs as fm

mesh = fm.read_mesh(fm.find_mesh("gmsh_conrod.msh"), units="mm-t-s")
mesh = fm.with_material(mesh, youngs_modulus=210e9, poisson_ratio=0.3, density=7850)
modes = fm.CraigBampton(at="big", count=4, frequency_tolerance=None)
body = fm.reduce(mesh, interfaces={"big": "big end", "small": "small end"}, modes=modes, damping=0.02)

radius, speed = 0.040, 3000 * 2 * np.pi / 60  # m, rad/s
length = np.linalg.norm(body.markers["small"].position - body.markers["big"].position)
engine = fm.System(gravity=(0, 0, 0))
ground, rod = engine.ground, engine.add(body, name="rod")
web = fm.RigidBody.cylinder(7850, 0.055, 0.012, center=(0, 0, -0.025), axis="z")
crank = engine.add(web, name="crank")
piston = engine.add(fm.RigidBody.cylinder(2700, 0.038, 0.050, center=(0.035, 0, 0)), name="piston")
engine.revolute(ground.marker("shaft"), crank["origin"], axis="z", name="drive").prescribe(rate=speed)
engine.revolute(crank.marker("pin", (radius, 0, 0)), rod["big"], axis="z", angle=0, name="crank pin")
engine.prismatic(ground.marker("bed"), piston["origin"], axis="x", displacement=radius + length)
engine.revolute(rod["small"], piston["origin"], axis="z", angle=0, name="piston pin")

result = engine.simulate(t_end=0.02, rtol=1e-6, quasi_static_start=True)
peak = result.largest_von_mises("rod")
print(f"largest stress {peak / 1e6:.0f} MPa, crank at {np.degrees(speed * peak.time) % 360:.0f} degrees")
# %%
result.animate("engine_conrod.png", time=0.0190, color="von_mises", camera="z")
result.to_html("engine_conrod.html", force=True)

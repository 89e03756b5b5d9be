"""Slider-crank with play in a pin
===============================

The pin of the slider has 0.5 mm of radial clearance. At 5000 rev/min it flies through its bore and hits: the
acceleration of the slider is many times that of an ideal joint.
"""

from math import pi

import flexmbs as fm


def bar(length, middle):
    return fm.RigidBody.box(7850, (length, 0.012, 0.012), center=(middle, 0, 0))


def run(play):
    system = fm.System(gravity=(0, 0, 0))
    crank, rod = system.add(bar(0.05, 0.025), name="crank"), system.add(bar(0.12, 0.0), name="rod")
    slider = system.add(fm.RigidBody.box(7850, (0.03, 0.02, 0.02)), name="slider")
    shaft = system.revolute(system.ground.marker("shaft"), crank["origin"], name="shaft")
    shaft.prescribe(rate=5000 * pi / 30)
    system.revolute(crank.marker("pin", (0.05, 0, 0)), rod.marker("big end", (-0.06, 0, 0)), name="crank pin")
    system.prismatic(system.ground.frame, slider["origin"], displacement=0.17, name="guide")
    system.revolute(slider["origin"], rod.marker("small end", (0.06, 0, 0)), name="pin", clearance=play)
    return system.simulate(0.012, rtol=1e-7)


law = fm.LankaraniNikravesh(6.6e10, restitution=0.9)
result, ideal = run(fm.Clearance(radial=5e-4, law=law)), run(None)
worst, expected = (abs(r.extreme("guide.displacement.acceleration")[1]) for r in (result, ideal))
print(f"{len(result.contacts)} contacts, acceleration {worst / expected:.1f} times that of an ideal joint")
# %%
result.animate("clearance_slider_crank.png", time=0.003, camera="z")
result.to_html("clearance_slider_crank.html", force=True)

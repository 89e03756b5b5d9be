"""Spinning beam stiffens
======================

The beam of Kane, Ryan and Banerjee (1987), 10 m long, is spun up to 6 rad/s in 15 s. It bends back while it is
accelerated and then straightens: without its geometric stiffness it would bend without bound.
"""

from math import cos, pi, sin

import flexmbs as fm

rate, until = 6.0, 15.0  # rad/s, s
k = 2 * pi / until


def angle(t):
    return rate / until * (0.5 * t * t + (cos(k * t) - 1) / k**2) if t < until else rate * (t - 0.5 * until)


def speed(t):
    return rate / until * (t - sin(k * t) / k) if t < until else rate


def acceleration(t):
    return rate / until * (1 - cos(k * t)) if t < until else 0.0


section, material = fm.section_from_rigidities(2.8e7, 1.4e4, 1.4e4, 1.4e4, 1.2)  # EA, EI, EI, GJ, mass per length
modes = fm.ClampedFree(at="root", bending=(3, 0))
body = fm.reduce(fm.line_mesh(10.0, 40, section, material), interfaces={"root": "ROOT", "tip": "TIP"}, modes=modes)
system = fm.System(gravity=(0, 0, 0))
beam = system.add(body, name="beam")
system.revolute(system.ground["origin"], beam["root"], axis="z", name="spin").prescribe(angle, speed, acceleration)
result = system.simulate(20.0, rtol=1e-7, atol=1e-9)
time, deflection = result.extreme("beam.tip.displacement.y")
print(f"tip {deflection:.4f} m behind at {time:.2f} s, {result['beam.tip.displacement.y'][-1]:.1e} m at the end")
# %%
result.animate("spinning_beam.png", time=time, camera="z")
result.to_html("spinning_beam.html", force=True)

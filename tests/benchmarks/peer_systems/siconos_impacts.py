"""Siconos on two problems with impact and friction, by its Moreau-Jean time stepping; run by a Python that has it.

    python siconos_impacts.py SYSTEM STEP        SYSTEM: table or oscillator

Prints one line of JSON: times of the events, and seconds of the loop.
"""

import json
import sys
import time

import numpy as np
import siconos.kernel as sk

GRAVITY, AMPLITUDE, FREQUENCY, RESTITUTION, HEIGHT, TABLE_END = 9.81, 0.01, 30.0, 0.8, 0.1, 0.49


class BallOverTable(sk.LagrangianLinearTIDS):
    """Height above the moving table, in its frame."""

    def computeFExt(self, t):
        self.setFExtPtr(np.array([-GRAVITY + AMPLITUDE * FREQUENCY**2 * np.sin(FREQUENCY * t)]))


def table():
    motion = BallOverTable([HEIGHT], [-AMPLITUDE * FREQUENCY], np.eye(1))
    motion.computeFExt(0.0)
    contact = sk.Interaction(sk.NewtonImpactNSL(RESTITUTION), sk.LagrangianLinearTIR(np.array([[1.0]])))
    return motion, contact, sk.LCP(), TABLE_END


def oscillator():
    """Coordinates: height, and way along the ground; friction against the spring."""
    motion = sk.LagrangianLinearTIDS([0.0, 12.0], [0.0, 6.0], np.eye(2))
    motion.setKPtr(np.diag([0.0, 1.0]))
    motion.setFExtPtr(np.array([-10.0, 0.0]))
    contact = sk.Interaction(sk.NewtonImpactFrictionNSL(0.0, 0.0, 0.1, 2), sk.LagrangianLinearTIR(np.eye(2)))
    return motion, contact, sk.FrictionContact(2), 23.0


def main():
    name, step = sys.argv[1], float(sys.argv[2])
    motion, contact, solver, end = {"table": table, "oscillator": oscillator}[name]()
    model = sk.NonSmoothDynamicalSystem(0.0, end)
    model.insertDynamicalSystem(motion)
    model.link(contact, motion)
    steps = sk.TimeStepping(model, sk.TimeDiscretisation(0.0, step), sk.MoreauJeanOSI(0.5), solver)
    times, speeds = [0.0], [motion.velocity()[-1]]
    begin = time.perf_counter()
    while steps.hasNextEvent():
        steps.computeOneStep()
        times.append(steps.nextTime())
        speeds.append(motion.velocity()[-1])
        steps.nextStep()
    seconds = time.perf_counter() - begin
    print(json.dumps({"t": times, "speed": [float(v) for v in speeds], "seconds": seconds}))


if __name__ == "__main__":
    main()

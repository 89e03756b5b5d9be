"""Exudyn's solvers, one thread, only the solve timed."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import numpy as np

sys.exudynFast = True  # the build without range checks


def exudyn():
    """The exudyn module, silent."""
    import exudyn as exu

    exu.SetWriteToConsole(False)
    exu.SuppressWarnings(True)
    return exu


@dataclass(frozen=True)
class Solved:
    """State at the end and what it cost."""

    position: np.ndarray
    velocity: np.ndarray
    seconds: float
    steps: int
    evaluations: int  # Newton iterations of implicit methods, right-hand sides of explicit ones


def solve(mbs, sensors, t_end: float, steps: int, newton_tolerance: float | None) -> Solved:
    """Generalised-alpha (index 3, dense solver, modified Newton), or RK44 when there is no Newton tolerance."""
    exu = exudyn()
    settings = exu.SimulationSettings()
    time_integration = settings.timeIntegration
    time_integration.numberOfSteps, time_integration.endTime = steps, t_end
    time_integration.verboseMode = 0
    time_integration.minimumStepSize = 1e-12
    time_integration.newton.useModifiedNewton = True
    time_integration.generalizedAlpha.spectralRadius = 0.9
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = 1e10
    settings.linearSolver.solverType = exu.LinearSolverType.EXUdense
    settings.parallel.numberOfThreads = 1
    kind = exu.DynamicSolverType.RK44
    if newton_tolerance is not None:
        time_integration.newton.relativeTolerance = newton_tolerance
        time_integration.newton.absoluteTolerance = 1e-10
        kind = exu.DynamicSolverType.GeneralizedAlpha
    begin = time.perf_counter()
    mbs.SolveDynamic(settings, solverType=kind)
    seconds = time.perf_counter() - begin
    iterations = mbs.sys["dynamicSolver"].it.newtonStepsCount
    position, velocity = (np.array(mbs.GetSensorValues(sensor)) for sensor in sensors)
    return Solved(position, velocity, seconds, steps, iterations if newton_tolerance is not None else 4 * steps)

"""Exudyn's solvers, one thread, only the solve timed."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import numpy as np

sys.exudynFast = True  # the build without range checks

STAGES = {"RK44": 4, "RK67": 7, "DOPRI5": 6}  # right-hand sides a step


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


@dataclass(frozen=True)
class Choice:
    """A solver with its settings: a number of equal steps, or (DOPRI5) a tolerance of its step control."""

    solver: str  # "GeneralizedAlpha", "TrapezoidalIndex2", "RK44", "RK67", "DOPRI5"
    steps: int = 0
    newton: float = 1e-8  # relative tolerance of Newton's iteration, of implicit solvers
    spectral_radius: float = 0.9
    tolerance: float = 0.0

    @property
    def explicit(self) -> bool:
        return self.solver in STAGES


@dataclass(frozen=True)
class Run:
    """What a solve cost."""

    seconds: float
    steps: int
    evaluations: int

    def solved(self, position: np.ndarray, velocity: np.ndarray) -> Solved:
        return Solved(position, velocity, self.seconds, self.steps, self.evaluations)


def solve(mbs, sensors, t_end: float, choice: Choice) -> Solved:
    """One run of an assembled system whose two sensors are read at the end."""
    run = run_solver(mbs, t_end, choice)
    return run.solved(*(np.array(mbs.GetSensorValues(sensor)) for sensor in sensors))


def run_solver(mbs, t_end: float, choice: Choice) -> Run:
    """One run; implicit solvers with dense matrices and modified Newton."""
    exu = exudyn()
    settings = exu.SimulationSettings()
    time_integration = settings.timeIntegration
    time_integration.endTime, time_integration.verboseMode = t_end, 0
    time_integration.minimumStepSize = 1e-12
    time_integration.newton.useModifiedNewton = True
    time_integration.newton.relativeTolerance, time_integration.newton.absoluteTolerance = choice.newton, 1e-10
    time_integration.generalizedAlpha.spectralRadius = choice.spectral_radius
    time_integration.numberOfSteps = choice.steps or 10  # with a tolerance: the largest step
    time_integration.automaticStepSize = choice.tolerance > 0.0
    if choice.tolerance > 0.0:
        time_integration.relativeTolerance, time_integration.absoluteTolerance = choice.tolerance, choice.tolerance
        time_integration.initialStepSize = 1e-4 * t_end
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = 1e10
    settings.linearSolver.solverType = exu.LinearSolverType.EXUdense
    settings.parallel.numberOfThreads = 1
    begin = time.perf_counter()
    mbs.SolveDynamic(settings, solverType=getattr(exu.DynamicSolverType, choice.solver))
    seconds = time.perf_counter() - begin
    iterations = mbs.sys["dynamicSolver"].it
    steps = choice.steps or int(iterations.currentStepIndex)
    evaluations = STAGES[choice.solver] * steps if choice.explicit else iterations.newtonStepsCount
    return Run(seconds, steps, evaluations)

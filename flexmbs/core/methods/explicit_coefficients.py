"""Coefficients of the two explicit Runge-Kutta pairs, as arrays (pair, stage, ...) padded with zeros.

LOW, order 5 with an estimate of order 4: Bogacki and Shampine, An efficient Runge-Kutta (4,5) pair, Computers
Math. Applic. 32 (6) (1996) 15.  HIGH, order 8 with estimates of orders 5 and 3: Dormand and Prince in Hairer, Norsett
and Wanner, Solving Ordinary Differential Equations I (1993), II.5 and the code DOP853.  The last stage of both is the
end of the step.
"""

from __future__ import annotations

import numpy as np

from flexmbs.machine_code.kernel import kernel

LOW, HIGH = 0, 1
# Relative tolerance of a step below which order 8 needs fewer evaluations than order 5 (docs/work_precision.md).
TIGHT = 2e-8
_LOW_ROWS = (
    {0: 1 / 6},
    {0: 2 / 27, 1: 4 / 27},
    {0: 183 / 1372, 1: -162 / 343, 2: 1053 / 1372},
    {0: 68 / 297, 1: -4 / 11, 2: 42 / 143, 3: 1960 / 3861},
    {0: 597 / 22528, 1: 81 / 352, 2: 63099 / 585728, 3: 58653 / 366080, 4: 4617 / 20480},
    {0: 174197 / 959244, 1: -30942 / 79937, 2: 8152137 / 19744439, 3: 666106 / 1039181, 4: -29421 / 29068, 5: 482048 / 414219},
    {0: 587 / 8064, 2: 4440339 / 15491840, 3: 24353 / 124800, 4: 387 / 44800, 5: 2152 / 5985, 6: 7267 / 94080},
)
_LOW_NODES = (0, 1 / 6, 2 / 9, 3 / 7, 2 / 3, 3 / 4, 1, 1)
_LOW_WEIGHTS = {
    0: 2479 / 34992,
    2: 123 / 416,
    3: 612941 / 3411720,
    4: 43 / 1440,
    5: 2272 / 6561,
    6: 79937 / 1113912,
    7: 3293 / 556956,
}
_HIGH_ROWS = (
    {0: 0.05260015195876773},
    {0: 0.0197250569845379, 1: 0.0591751709536137},
    {0: 0.02958758547680685, 2: 0.08876275643042054},
    {0: 0.2413651341592667, 2: -0.8845494793282861, 3: 0.924834003261792},
    {0: 0.037037037037037035, 3: 0.17082860872947386, 4: 0.12546768756682242},
    {0: 0.037109375, 3: 0.17025221101954405, 4: 0.06021653898045596, 5: -0.017578125},
    {0: 0.03709200011850479, 3: 0.17038392571223998, 4: 0.10726203044637328, 5: -0.015319437748624402, 6: 0.008273789163814023},
    {
        0: 0.6241109587160757,
        3: -3.3608926294469414,
        4: -0.868219346841726,
        5: 27.59209969944671,
        6: 20.154067550477894,
        7: -43.48988418106996,
    },
    {
        0: 0.47766253643826434,
        3: -2.4881146199716677,
        4: -0.590290826836843,
        5: 21.230051448181193,
        6: 15.279233632882423,
        7: -33.28821096898486,
        8: -0.020331201708508627,
    },
    {
        0: -0.9371424300859873,
        3: 5.186372428844064,
        4: 1.0914373489967295,
        5: -8.149787010746927,
        6: -18.52006565999696,
        7: 22.739487099350505,
        8: 2.4936055526796523,
        9: -3.0467644718982196,
    },
    {
        0: 2.273310147516538,
        3: -10.53449546673725,
        4: -2.0008720582248625,
        5: -17.9589318631188,
        6: 27.94888452941996,
        7: -2.8589982771350235,
        8: -8.87285693353063,
        9: 12.360567175794303,
        10: 0.6433927460157636,
    },
    {
        0: 0.054293734116568765,
        5: 4.450312892752409,
        6: 1.8915178993145003,
        7: -5.801203960010585,
        8: 0.3111643669578199,
        9: -0.1521609496625161,
        10: 0.20136540080403034,
        11: 0.04471061572777259,
    },
)
_HIGH_NODES = (
    0.0,
    0.05260015195876773,
    0.0789002279381516,
    0.1183503419072274,
    0.2816496580927726,
    0.3333333333333333,
    0.25,
    0.3076923076923077,
    0.6512820512820513,
    0.6,
    0.8571428571428571,
    1.0,
    1.0,
)
# the solution minus that of order 5
_HIGH_FIFTH = {
    0: 0.01312004499419488,
    5: -1.2251564463762044,
    6: -0.4957589496572502,
    7: 1.6643771824549864,
    8: -0.35032884874997366,
    9: 0.3341791187130175,
    10: 0.08192320648511571,
    11: -0.022355307863886294,
}
# the solution of order 3
_HIGH_THIRD = {0: 0.2440944881889764, 8: 0.7338466882816118, 11: 0.022058823529411766}


def _full(rows, width: int = 13) -> np.ndarray:
    out = np.zeros((width, width))
    for i, row in enumerate(rows, start=1):
        for j, value in row.items():
            out[i, j] = value
    return out


def _row(values: dict[int, float], width: int = 13) -> np.ndarray:
    return np.array([values.get(j, 0.0) for j in range(width)])


STAGES = np.array([8, 13])
ORDER = np.array([5, 8])
# a row of A holds what a stage takes of those before it; the last one is also the weights of the solution
A = np.stack([_full(_LOW_ROWS), _full(_HIGH_ROWS)])
C = np.stack([np.pad(_LOW_NODES, (0, 5)), np.array(_HIGH_NODES)])
# weights of the error estimates: the size of the error is E^2 / sqrt(E^2 + 0.01 F^2) (DOP853), E alone where F is zero
E = np.stack([A[LOW, 7] - _row(_LOW_WEIGHTS), _row(_HIGH_FIFTH)])
F = np.stack([np.zeros(13), A[HIGH, 12] - _row(_HIGH_THIRD)])


@kernel
def pair_for(settings):
    """Number of the pair for the tolerance of the run."""
    return HIGH if settings.rtol < TIGHT else LOW

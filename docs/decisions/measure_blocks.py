"""A kernel called with a block against one called with a tuple of the same arrays: the figures of 0001-blocks.md.

python docs/decisions/measure_blocks.py
"""

from __future__ import annotations

import time
from collections import namedtuple

import numba
import numpy as np

from flexmbs.machine_code.blocks import Block

CALLS = 1_000_000
NAMES = [f"a{i}" for i in range(14)]
ArrayTuple = namedtuple("ArrayTuple", NAMES)


class ArrayBlock(Block):
    fields = {name: ("f8", 1) for name in NAMES}


@numba.njit
def layer0(x, i, out):
    out[i & 7] += x.a3[i & 7] * x.a11[i & 3]


def layer(inner):
    """A kernel that calls ``inner`` twice and adds a little of its own."""

    @numba.njit(no_cpython_wrapper=True)
    def outer(x, i, out):
        inner(x, i, out)
        inner(x, i + 1, out)
        out[0] += x.a5[i & 7]
        if out[0] > 1e300:
            raise ValueError("never")

    return outer


def chain(depth: int):
    function = layer0
    for _ in range(depth):
        function = layer(function)

    @numba.njit
    def loop(x, calls, out):
        for i in range(calls):
            function(x, i, out)

    return loop


def measure(make, depth: int) -> tuple[float, float]:
    """Compile seconds, and microseconds of one call of the outermost kernel (with all calls inside it)."""
    x = make(**{name: np.full(8, 1e-6) for name in NAMES})
    loop, out = chain(depth), np.zeros(8)
    begin = time.perf_counter()
    loop(x, 1, out)
    compiled = time.perf_counter() - begin
    best = np.inf
    for _ in range(5):
        begin = time.perf_counter()
        loop(x, CALLS // 10, out)
        best = min(best, time.perf_counter() - begin)
    return compiled, best / (CALLS // 10) * 1e6


def main() -> None:
    measure(ArrayBlock, 1)  # what numba itself loads and compiles once
    print("| arguments | compile six kernels [s] | 63 nested calls [us] |\n| --- | --- | --- |")
    for name, make in (("tuple of 14 arrays", ArrayTuple), ("block of 14 arrays", ArrayBlock)):
        compiled, cost = measure(make, 5)
        print(f"| {name} | {compiled:.2f} | {cost:.3f} |")


if __name__ == "__main__":
    main()

"""For which processor kernels are compiled: the baseline of its architecture, or this one where it is less."""

from __future__ import annotations

import platform
from dataclasses import dataclass

X86_64 = "x86-64-v3"
#: What x86-64-v3 has beyond the first x86-64 processors, as LLVM names it (System V psABI, x86-64 supplement, 3.1.1).
X86_64_FEATURES = (
    "cx16",
    "sahf",
    "popcnt",
    "sse3",
    "ssse3",
    "sse4.1",
    "sse4.2",
    "avx",
    "avx2",
    "bmi",
    "bmi2",
    "f16c",
    "fma",
    "lzcnt",
    "movbe",
    "xsave",
)


@dataclass(frozen=True)
class Target:
    """A processor as LLVM knows it.

    Attributes
    ----------
    name : processor
    features : its features beyond the name, ``+a,-b``
    lacking : what this machine lacks of the baseline; empty: the target is the baseline
    """

    name: str
    features: str = ""
    lacking: tuple[str, ...] = ()


def baseline() -> Target:
    """What the wheel's machine code is made for on this architecture."""
    return Target(X86_64 if platform.machine().lower() in ("x86_64", "amd64") else "generic")


def target_here() -> Target:
    """The baseline, or this processor where it cannot run the baseline's machine code."""
    import llvmlite.binding as llvm

    common = baseline()
    if common.name != X86_64:
        return common
    features = llvm.get_host_cpu_features()
    lacking = tuple(name for name in X86_64_FEATURES if not features.get(name, False))
    if not lacking:
        return common
    return Target(llvm.get_host_cpu_name(), features.flatten(), lacking)

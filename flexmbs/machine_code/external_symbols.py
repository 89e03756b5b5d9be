"""What machine code of entries may call outside the entries: functions of the C library, and one of ours."""

from __future__ import annotations

#: Functions of the C library.
FROM_C = (
    "acos",
    "asin",
    "atan",
    "atan2",
    "cbrt",
    "ceil",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "floor",
    "fmod",
    "hypot",
    "ldexp",
    "log",
    "log10",
    "log1p",
    "log2",
    "pow",
    "rint",
    "round",
    "sin",
    "sincos",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "trunc",
    "memcpy",
    "memmove",
    "memset",
    "printf",
)
#: C function that is told the name of an entry in which an error occurred: void f(const char *)
FAILURE = "flexmbs.failure"

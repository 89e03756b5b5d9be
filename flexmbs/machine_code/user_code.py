"""Functions of users as C functions: the only place at which a user's process needs numba."""

from __future__ import annotations

import math

from flexmbs.machine_code.blocks import Block
from flexmbs.machine_code.signature import ArrayOf, Signature


def compile_user_function(function, signature: Signature):
    """(address, what must be kept) of the C function; an exception inside gives NaN, as none can cross into C."""
    import numba
    from numba import types

    inner = function if hasattr(function, "py_func") else numba.njit(function)
    arguments, c_types, lines = [], [], []
    parameters = []
    for name, kind in zip(signature.names, signature.kinds, strict=True):
        parameters.append(name)
        if isinstance(kind, ArrayOf):
            lengths = [f"{name}_{i}" for i in range(kind.dimensions)]
            parameters += lengths
            scalar = numba.from_dtype(_dtype(kind))
            c_types += [types.CPointer(scalar), *[types.int64] * kind.dimensions]
            arguments.append(f"carray({name}, ({', '.join(lengths)},))")
        elif isinstance(kind, type) and issubclass(kind, Block) or not isinstance(kind, type):
            raise TypeError(f"a user's function cannot take {name}")
        else:
            c_types.append(types.float64 if kind is float else types.int64)
            arguments.append(name)
    call = f"inner({', '.join(arguments)})"
    results = signature.results
    if not results:
        lines = ["try:", f"    {call}", "except Exception:", *_nan_everywhere(signature)]
        c_result = types.void
    elif len(results) == 1:
        kind, otherwise = ("float", "nan") if results[0] is float else ("int", "0")
        lines = ["try:", f"    return {kind}({call})", "except Exception:", f"    return {otherwise}"]
        c_result = types.float64 if results[0] is float else types.int64
    else:
        if not all(result is float for result in results):
            raise TypeError("a user's function returns numbers of one kind: floats")
        parameters.append("results")
        c_types.append(types.CPointer(types.float64))
        count = len(results)
        lines = [
            f"found = carray(results, ({count},))",
            "try:",
            f"    values = {call}",
            *(f"    found[{i}] = values[{i}]" for i in range(count)),
            "except Exception:",
            "    found[:] = nan",
        ]
        c_result = types.void
    source = f"def call({', '.join(parameters)}):\n" + "\n".join(f"    {line}" for line in lines)
    scope = {"inner": inner, "carray": numba.carray, "nan": math.nan}
    exec(source, scope)
    compiled = numba.cfunc(c_result(*c_types))(scope["call"])
    return compiled.address, compiled


def _dtype(kind: ArrayOf):
    import numpy as np

    return np.dtype(kind.dtype)


def _nan_everywhere(signature: Signature) -> list[str]:
    """What a function without results writes to its last array when it fails."""
    arrays = [(name, kind) for name, kind in zip(signature.names, signature.kinds, strict=True) if isinstance(kind, ArrayOf)]
    if not arrays:
        return ["    pass"]
    name, kind = arrays[-1]
    return [f"    carray({name}, ({', '.join(f'{name}_{i}' for i in range(kind.dimensions))},))[:] = nan"]

"""Functions of time: called through their address, so that a user's function never recompiles a kernel."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from flexmbs.kernels.jit import kernel
from flexmbs.kernels.tables import POSITION_LEVEL, VELOCITY_LEVEL


@intrinsic
def call_address(typingctx, address, time):
    """Call the C function ``double f(double)`` at ``address``."""
    signature = types.float64(types.int64, types.float64)

    def codegen(context, builder, signature, arguments):
        function_type = ir.FunctionType(ir.DoubleType(), [ir.DoubleType()])
        pointer = builder.inttoptr(arguments[0], cgutils.voidptr_t)
        function = builder.bitcast(pointer, function_type.as_pointer())
        return builder.call(function, [arguments[1]])

    return signature, codegen


@kernel
def evaluate_signals(tables, t, out):
    """out[i] = value, first and second derivative of signal i at time t."""
    for i in range(len(tables.signals)):
        signal = tables.signals[i]
        out[i, 0] = signal.constant
        out[i, 1] = out[i, 2] = 0.0
        if signal.value != 0:
            out[i, 0] = call_address(signal.value, t)
        if signal.rate != 0:
            out[i, 1] = call_address(signal.rate, t)
        if signal.acceleration != 0:
            out[i, 2] = call_address(signal.acceleration, t)


@kernel
def impose_drivers(tables, signal, q, v, a):
    """Overwrite the driven coordinates by their signals (already evaluated), and by their rates what is driven by rate.

    What the signal does not say (position where the velocity is prescribed) is integrated from the acceleration.
    """
    for i in range(len(tables.coordinates)):
        s = tables.coordinates[i].signal
        if s < 0:
            continue
        if tables.coordinates[i].level == POSITION_LEVEL:
            q[i], v[i], a[i] = signal[s, 0], signal[s, 1], signal[s, 2]
        elif tables.coordinates[i].level == VELOCITY_LEVEL:
            v[i], a[i] = signal[s, 0], signal[s, 1]
        else:
            a[i] = signal[s, 0]

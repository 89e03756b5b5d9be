"""Functions of time at the end of a step."""

from flexmbs.machine_code.kernel import kernel


@kernel
def set_end_signals(tables, scratch, work):
    """Functions of time as they are at the end of the step."""
    for j in range(len(tables.signals)):
        for k in range(3):
            work.signal[j, k] = scratch.end_signal[j, k]

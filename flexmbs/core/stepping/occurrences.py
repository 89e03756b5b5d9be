"""What happens at an instant, in the log (core.layout.state.OCCURRENCE)."""

from flexmbs.machine_code.kernel import kernel


@kernel
def new_occurrence(state, log, kind, source):
    """The next record of ``log.occurrences``: now, behind the rows written so far; all its other numbers are zero."""
    found = log.occurrences[log.occurrence_count]
    found.time, found.row, found.kind, found.source = state.time, log.row_count, kind, source
    found.pair = found.mode = found.mode_before = 0
    found.approach_speed = found.rebound_speed = found.normal_impulse = found.energy_lost = 0.0
    for k in range(3):
        found.slip_before[k] = found.slip_after[k] = found.friction_impulse[k] = 0.0
        found.normal[k] = found.place[k] = 0.0
    log.occurrence_count += 1
    return found

"""Blocks of the integrator from their addresses."""

from __future__ import annotations

from flexmbs.integrate.state import Scratch, Settings, State
from flexmbs.kernels.blocks import block_at

state_at, scratch_at, settings_at = block_at(State), block_at(Scratch), block_at(Settings)

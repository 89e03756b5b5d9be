"""Blocks of the integrator from their addresses."""

from __future__ import annotations

from flexmbs.core.abi.blocks import block_at
from flexmbs.core.layout.state import Scratch, Settings, State

state_at, scratch_at, settings_at = block_at(State), block_at(Scratch), block_at(Settings)

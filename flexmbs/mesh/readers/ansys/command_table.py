"""Which function does what each command says."""

from __future__ import annotations

from collections.abc import Callable

from flexmbs.mesh.readers.ansys.commands import Command
from flexmbs.mesh.readers.ansys.constraint_commands import CONSTRAINT_COMMANDS
from flexmbs.mesh.readers.ansys.deck import Deck
from flexmbs.mesh.readers.ansys.element_commands import ELEMENT_COMMANDS
from flexmbs.mesh.readers.ansys.element_types import TYPE_BLOCK_COMMANDS
from flexmbs.mesh.readers.ansys.file_commands import FILE_COMMANDS
from flexmbs.mesh.readers.ansys.material_commands import MATERIAL_COMMANDS
from flexmbs.mesh.readers.ansys.node_commands import NODE_COMMANDS
from flexmbs.mesh.readers.ansys.section_commands import SECTION_COMMANDS
from flexmbs.mesh.readers.ansys.set_commands import SET_COMMANDS

HANDLERS: dict[str, Callable[[Deck, Command], None]] = {
    **NODE_COMMANDS,
    **ELEMENT_COMMANDS,
    **TYPE_BLOCK_COMMANDS,
    **MATERIAL_COMMANDS,
    **SECTION_COMMANDS,
    **SET_COMMANDS,
    **CONSTRAINT_COMMANDS,
    **FILE_COMMANDS,
}

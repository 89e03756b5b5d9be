"""A group of commands whose modules are imported only when a command runs."""

from __future__ import annotations

from collections.abc import Mapping

import click

from flexmbs.common.lazy_import import load


class LazyGroup(click.Group):
    """``commands_by_name``: name -> ("module:command", first sentence of its help)."""

    def __init__(self, *args, commands_by_name: Mapping[str, tuple[str, str]], **options) -> None:
        super().__init__(*args, **options)
        self._by_name = dict(commands_by_name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self._by_name)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load(self._by_name[cmd_name][0]) if cmd_name in self._by_name else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of --help, from the table."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._by_name[name][1]) for name in self.list_commands(ctx)])

"""Command-line options with several values: ``--fix A B`` as well as ``--fix A --fix B``."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import click


class ListCommand(click.Command):
    """A command with one argument, whose options with ``multiple=True`` take all values that follow them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        options = [option for option in self.params if isinstance(option, click.Option)]
        lists = {name for option in options if option.multiple for name in option.opts}
        valued = {name for option in options if not (option.is_flag or option.count) for name in option.opts}
        return super().parse_args(ctx, spread(args, lists, valued))


def spread(args: Sequence[str], lists: Collection[str], valued: Collection[str]) -> list[str]:
    """The same arguments, with the option name repeated before each of its values.

    Parameters
    ----------
    lists : options that take several values
    valued : all options that take a value, including those in ``lists``

    If no other text can be the command's argument, it is the last value of a list: ``--fix A FILE``.
    """
    result: list[str] = []
    further: list[int] = []  # positions in the result of the repeated option names
    current, waiting, argument_is_given = None, False, False
    for place, text in enumerate(args):
        if text == "--":
            argument_is_given = argument_is_given or place + 1 < len(args)
            result += args[place:]
            break
        if waiting:
            waiting = False
        elif text.startswith("-") and len(text) > 1:
            name, equals, _ = text.partition("=")
            waiting = name in valued and not equals
            current = name if name in lists else None
        elif current is not None:
            further.append(len(result))
            result.append(current)
        else:
            argument_is_given = True
        result.append(text)
    if further and not argument_is_given:
        del result[further[-1]]
    return result

"""Tables of the parts of a mechanism as HTML, for reports and notebooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from flexmbs.common.html_pieces import paragraph, plain_table, text

MAX_ROWS = 40  # of a table


def titled_table(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], count: int | None = None, note: str = ""
) -> Iterator[str]:
    """A table of at most ``MAX_ROWS`` rows of ``count`` (None: all are given); nothing without rows."""
    count = len(rows) if count is None else count
    if not count:
        return
    yield f"<h3>{text(title)}</h3>"
    yield plain_table(header, rows[:MAX_ROWS], len(header))
    more = f"{count - MAX_ROWS:,} more are not listed. " if count > MAX_ROWS else ""
    if more or note:
        yield paragraph(f"{more}{note}", soft=True)


def joints_table(joints: Sequence[Any]) -> Iterator[str]:
    """Joints: entries with name, kind, both ends, coordinates, what is prescribed, forces, and if they close a loop."""
    rows = [
        [
            joint.name,
            joint.kind or "-",
            ".".join(joint.a),
            ".".join(joint.b),
            _coordinates(joint),
            "closes a loop" if joint.closes_loop else "",
        ]
        for joint in joints[:MAX_ROWS]
    ]
    yield from titled_table("Joints", ["name", "kind", "from", "to", "coordinates", ""], rows, len(joints))


def others_tables(constraints: Sequence[Any], forces: Sequence[Any], contacts: Sequence[Any]) -> Iterator[str]:
    """Entries with a name, a kind, and what they act on."""
    for title, entries in (("Constraints", constraints), ("Forces", forces), ("Contacts", contacts)):
        rows = [[one.name, one.kind, ", ".join(map(str, one.acts_on or one.bodies)) or "-"] for one in entries[:MAX_ROWS]]
        yield from titled_table(title, ["name", "kind", "acts on"], rows, len(entries))


def _coordinates(joint: Any) -> str:
    acting = {coordinate: kind for coordinate, kind in joint.forces}
    parts = []
    for name in joint.coordinates:
        notes = ["prescribed"] if name in joint.prescribed else []
        notes += [acting[name]] if name in acting else []
        parts.append(f"{name} ({', '.join(notes)})" if notes else name)
    return ", ".join(parts) or "-"

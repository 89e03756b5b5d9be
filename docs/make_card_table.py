"""Write mesh_cards.md: which cards of decks are read, and which of their fields, as the readers declare them.

python docs/make_card_table.py
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from flexmbs.mesh.readers.abaqus.deck_reader import LATER_CARDS, READ_AT_ONCE, SECTION_CARDS
from flexmbs.mesh.readers.ansys.read_ansys import HANDLERS as ANSYS
from flexmbs.mesh.readers.nastran.card import REQUIRED, Field, Fields
from flexmbs.mesh.readers.nastran.material_cards import MATERIALS
from flexmbs.mesh.readers.nastran.node_and_element_cards import OTHERS
from flexmbs.mesh.readers.nastran.read_nastran import BATCH_HANDLERS, HANDLERS

PAGE = Path(__file__).with_name("mesh_cards.md")
HEAD = """\
# Cards that are read

`python docs/make_card_table.py` writes this page from what the readers of decks declare. A card that is not here is listed in
`Mesh.skipped` with its lines; what the readers make of a card is in [mesh_files.md](mesh_files.md).
"""
# Declarations that are for a part of a card, or for several cards.
ALSO = {
    "PROD": "PROD, CONROD (from field 4)",
    "PBEAM_LAST": "PBEAM, last two lines",
    "PLY": "PCOMP, PCOMPG: each ply",
    "SCALAR": "CELAS1, CELAS2, CDAMP1, CDAMP2, CMASS1, CMASS2",
    "BUSHING": "CBUSH, CBUSH1D, CVISC",
    "MAT12": "MAT12, MAT9OR",
}


def page() -> str:
    """The page as it should be."""
    modules = [module for name, module in sys.modules.items() if name.startswith("flexmbs.mesh.readers.nastran.")]
    declared = {name: fields for module in modules for name, fields in vars(module).items() if isinstance(fields, Fields)}
    stated = {name for key in declared for name in re.findall(r"\w+", ALSO.get(key, key))}
    without_body = {*OTHERS, *MATERIALS} - stated
    others = {*BATCH_HANDLERS, *HANDLERS} - stated - without_body
    return "\n".join(
        [
            HEAD,
            "## Nastran\n",
            "Fields are counted as in the manual: the name of the card is field 1 of its line; lines after the first are named.",
            'A blank field has the value behind "="; "-" is a field that may be blank.\n',
            "| card | fields |\n|---|---|",
            *(f"| {ALSO.get(name, name)} | {', '.join(map(_stated, declared[name].places))} |" for name in sorted(declared)),
            f"\nOther cards: {', '.join(sorted(others))}.\n",
            "Taken, but for elements that no body has (`Mesh.other_elements`) and for materials that are not linear elastic",
            f"(bodies that need one are refused): {', '.join(sorted(without_body))}.\n",
            "## Abaqus and CalculiX\n",
            *_described({**READ_AT_ONCE, **SECTION_CARDS, **LATER_CARDS}, "*"),
            "## Ansys\n",
            "The first four letters of a command count.\n",
            *_described(ANSYS, ""),
        ]
    )


def _stated(place: tuple[str, str, Field, int]) -> str:
    """A field with its place, the value of a blank one, and its bound."""
    _, label, field, index = place
    last = f" to {_number(index + field.count - 1)}" if field.count else ""
    default = "" if field.default is REQUIRED else " -" if field.default in (None, "") else f" = {field.default:g}"
    return f"{label} ({_number(index)}{last}){default}{'' if field.least is None else f' ≥ {field.least:g}'}"


def _number(index: int) -> str:
    line, field = divmod(index, 8)
    return f"{field + 2} of line {line + 1}" if line else f"{field + 2}"


def _described(handlers: Mapping[str, Callable], mark: str) -> list[str]:
    """A line for each function that reads cards: how it says that they look, or else their names."""
    cards: dict[Callable, list[str]] = {}
    for name, handler in handlers.items():
        cards.setdefault(handler, []).append(mark + name)
    lines, others = [], []
    for handler, names in cards.items():
        told = re.sub(r"\s+", " ", (handler.__doc__ or "").split("\n\n")[0]).strip()
        if told.startswith(names[0][: len(mark) + 2]):
            form, _, meaning = told.rstrip(".").partition(": ")
            lines.append("| `{}` | {} |".format(*(part.replace("|", "\\|") for part in (form, meaning))))
        else:
            others += names
    return ["| card | lines and meaning |\n|---|---|", *sorted(lines), f"\nOther cards: {', '.join(sorted(others))}.\n"]


if __name__ == "__main__":
    PAGE.write_text(page())

"""Formulas as MathML, made while the site is built: browsers draw them without a script and without the network."""

from __future__ import annotations

from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

_CONVERTER = LatexToMathML(fancy_error=False, annotation=True)
_log = logging.getLogger(__name__)


def mathml(node: nodes.Element, displayed: bool) -> str:
    """The formula of a node; an error of its LaTeX is a warning of the build."""
    try:
        return _CONVERTER.convert_with_local_state(node.astext(), displaystyle=displayed)
    except LatexError as error:
        _log.warning("formula %r: %s", node.astext(), error, location=node, type="math")
        return f"<code>{node.astext()}</code>"


def inline_formula(writer, node: nodes.math) -> None:
    writer.body.append(mathml(node, displayed=False))
    raise nodes.SkipNode


def displayed_formula(writer, node: nodes.math_block) -> None:
    """A formula on a line of its own, with its number at the right."""
    anchor = f' id="{node["ids"][0]}"' if node["ids"] else ""
    number = f'<span class="eqno">({get_node_equation_number(writer, node)})</span>' if node["number"] else ""
    writer.body.append(f'<div class="math"{anchor}>{mathml(node, displayed=True)}{number}</div>\n')
    raise nodes.SkipNode


def setup(app) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (inline_formula, None), (displayed_formula, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Pages of the reference, one for each part of flexmbs: all public names, from their docstrings.

``GROUPS`` says which public names a page holds, by the modules that define them; flexmbs/__init__.py has the names.
"""

from __future__ import annotations

import builtins
import inspect
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref

import flexmbs

FOLDER = "reference"
# title: beginnings of names of modules; a name is on the first page that fits
GROUPS = {
    "System and analyses": ("flexmbs.analysis.",),
    "Bodies, markers, joints": (
        "flexmbs.mechanism.rigid_body",
        "flexmbs.mechanism.composite_body",
        "flexmbs.mechanism.body_in_system",
        "flexmbs.mechanism.markers",
        "flexmbs.mechanism.joint",
        "flexmbs.mechanism.clearance.",
        "flexmbs.mechanism.geometry.",
    ),
    "Contact": ("flexmbs.mechanism.contact.", "flexmbs.core.laws.contact.", "flexmbs.core.laws.friction."),
    "Forces, functions of time, sensors, events": ("flexmbs.mechanism.", "flexmbs.core.laws.force."),
    "Integrators": ("flexmbs.core.methods.",),
    "Results": ("flexmbs.result.", "flexmbs.view."),
    "Meshes": ("flexmbs.mesh.",),
    "Finite elements": ("flexmbs.fem.",),
    "Flexible bodies": ("flexmbs.reduction.",),
    "Exchange with other tools": ("flexmbs.interop.",),
    "Cases": ("flexmbs.case.",),
    "Studies": ("flexmbs.study.",),
    "Errors, warnings, progress": ("flexmbs.common.",),
}
# what methods of public classes refer to
ALSO = {
    "Bodies, markers, joints": ("flexmbs.mechanism.geometry.euler_angles.euler_angles",),
    "Results": ("flexmbs.view.animate.animate", "flexmbs.view.animate.show", "flexmbs.view.plots.plot_histories"),
}
# whose members are Python's own
_FOREIGN_BASES = ("object", "BaseException", "Exception", "float", "int", "str", "tuple", "dict", "Protocol", "Generic")


def file_name(title: str) -> str:
    return title.lower().replace(",", "").replace(" ", "_")


def names_by_group() -> dict[str, list[str]]:
    """Title -> public names, in the order of flexmbs/__init__.py."""
    found: dict[str, list[str]] = {title: [] for title in GROUPS}
    for name, module in flexmbs._MODULE_OF.items():
        title = next(
            (title for title, starts in GROUPS.items() if (module + ".").startswith(starts) or module.startswith(starts)), None
        )
        if title is None:
            raise ValueError(f"{name} of {module} is on no page of the reference: see GROUPS of {__file__}")
        found[title].append(name)
    return found


def entry(name: str) -> str:
    """What documents one public name with its members."""
    value = getattr(flexmbs, name)
    if inspect.isclass(value):
        return (
            f".. autoclass:: flexmbs.{name}\n   :members:\n   :member-order: bysource\n"
            f"   :inherited-members: {', '.join(_FOREIGN_BASES)}\n"
        )
    if callable(value):
        return f".. autofunction:: flexmbs.{name}\n"
    return f".. autodata:: flexmbs.{name}\n   :no-value:\n"


def page(title: str, names: list[str]) -> str:
    table = "\n".join(f"   ~flexmbs.{name}" for name in names)
    also = "".join(f"\n.. autofunction:: {function}\n" for function in ALSO.get(title, ()))
    head = f"{title}\n{'=' * len(title)}\n\n.. autosummary::\n   :nosignatures:\n\n{table}\n\n"
    return head + "\n".join(entry(name) for name in names) + also


def write_reference(docs: Path) -> None:
    """Write the pages into docs/reference, where they have changed."""
    folder = docs / FOLDER
    folder.mkdir(exist_ok=True)
    pages = {file_name(title): page(title, names) for title, names in names_by_group().items()}
    contents = "\n".join(f"   {name}" for name in pages)
    pages["index"] = (
        "Python reference\n================\n\nEvery public name is ``flexmbs.NAME``; here as "
        "``import flexmbs as fm``. SI units everywhere.\n\n"
        f".. toctree::\n   :maxdepth: 1\n\n{contents}\n"
    )
    for name, text in pages.items():
        path = folder / f"{name}.rst"
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


def resolve(app, env, node: pending_xref, contnode: nodes.Node) -> nodes.Node | None:
    """Links of types and roles that name a public name by its last part or by the module that defines it.

    Types in signatures that are not public names stay plain text; anything else that is not found is reported.
    """
    if node.get("refdomain") != "py":
        return None
    last = node["reftarget"].split(".")[-1]
    if last in flexmbs.__all__ and node["reftarget"] != f"flexmbs.{last}":
        domain = env.get_domain("py")
        return domain.resolve_xref(env, node["refdoc"], app.builder, node["reftype"], f"flexmbs.{last}", node, contnode)
    in_signature = isinstance(contnode, nodes.Text)
    return contnode if in_signature or hasattr(builtins, last) else None


def setup(app) -> dict[str, bool]:
    app.connect("builder-inited", lambda app: write_reference(Path(app.srcdir)))
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True}

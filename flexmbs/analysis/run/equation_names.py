"""Names of equations for messages: joint and bodies, mode and body, or row of a constraint."""

from __future__ import annotations

from flexmbs.core.layout.tables import COUPLING
from flexmbs.model.compiled_model import Model


def equation_name(system, model: Model, k: int) -> str:
    """Name of equation or coordinate number ``k``.

    "coordinate 'hinge.angle' of joint 'hinge' (between body 'crank' and body 'rod')", "mode 'bending y 2' of body
    'rod'", "row 'force along x' of constraint 'loop' (between body 'a' and body 'b')", "user state 'charge'".
    """
    name = model.coordinate_names[k]
    if k >= model.coordinate_count:
        return _constraint(model, k)
    if model.state_coordinates[k]:
        return f"user state '{model.rate_names[k]}'"
    for body, part in model.modal.items():
        if part.start <= k < part.stop:
            return f"mode '{name.removeprefix(f'{body}.')}' of body '{body}'"
    owner = max((joint for joint in system.joints if name.startswith(f"{joint}.")), key=len, default=None)
    if owner is not None:
        joint = system.joints[owner]
        return f"coordinate '{name}' of joint '{owner}' ({_between(joint.a.body, joint.b.body)})"
    for branch in model.tree.branches:
        if name.startswith(f"{branch.joint.name}."):
            return f"coordinate '{name}' of body '{branch.body}'"
    return f"coordinate '{name}'"


def _constraint(model: Model, k: int) -> str:
    """Name of a scalar constraint."""
    for c, constraint in enumerate(model.tables.constraints):
        if constraint["row"] <= k < constraint["row"] + constraint["rows"]:
            owner = model.constraint_names[c]
            row = model.coordinate_names[k].removeprefix(f"{owner}.")
            if constraint["kind"] == COUPLING:
                terms = model.tables.terms["coordinate"][constraint["start"] : constraint["end"]]
                tied = ", ".join(f"'{model.coordinate_names[term]}'" for term in terms)
                return f"row '{row}' of constraint '{owner}' (on {tied})"
            a, b = (model.body_names[model.tables.markers["body"][constraint[end]]] for end in "ab")
            return f"row '{row}' of constraint '{owner}' ({_between(a, b)})"
    return f"constraint '{model.coordinate_names[k]}'"


def _between(a: str, b: str) -> str:
    return f"between {_body(a)} and {_body(b)}"


def _body(name: str) -> str:
    return name if name == "ground" else f"body '{name}'"

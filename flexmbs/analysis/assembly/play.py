"""Coordinates that only a clearance leaves free: where they start is nobody's statement, and how far they may go is known."""

from __future__ import annotations

from flexmbs.model.compiled_model import Model


def play_limits(model: Model) -> list[tuple[list[int], float]]:
    """Coordinates of play with what their size may be: shifts across and along a joint (m), each tilt (rad)."""
    found = []
    for joint in [branch.joint for branch in model.tree.branches] + list(model.tree.cut):
        play, units = joint.clearance, joint.type.coordinates
        number = {name: model.coordinate_index[f"{joint.name}.{name}"] for name in joint.type.play}
        if play is not None:
            across = [k for name, k in number.items() if units[name] == "m" and name != "w"]
            found.append((across, play.dry))
            found += [([number["w"]], play.axial)] if "w" in number else []
            tilt = 2.0 * play.radial / (play.length or play.radial)
            found += [([k], tilt) for name, k in number.items() if units[name] == "rad"]
    return found

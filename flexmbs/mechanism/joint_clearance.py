"""The contacts and the start values of a joint with clearance."""

from __future__ import annotations

from flexmbs.common.errors import MechanismError
from flexmbs.common.plausible_values import warn_if_implausible
from flexmbs.mechanism.clearance.clearance import Clearance
from flexmbs.mechanism.clearance.play_points import film_point, play_points
from flexmbs.mechanism.contact.contact import Contact, checked_friction
from flexmbs.mechanism.contact.shapes import Shape
from flexmbs.mechanism.joint import Joint

FILM = "film"  # its contact is called "JOINT.film"


def checked_clearance(clearance: object, name: str) -> Clearance:
    """A Clearance; MechanismError for anything else."""
    if not isinstance(clearance, Clearance):
        raise MechanismError(
            f"joint '{name}': clearance= must be a Clearance, such as fm.Clearance(radial=5e-4, law=...), not {clearance!r}"
        )
    return clearance


def play_contacts(joint: Joint, clearance: Clearance) -> list[Contact]:
    """Contacts of a joint with clearance: the dry one has the name of the joint."""
    first, second, where = Shape(joint.b), Shape(joint.a), f"joint '{joint.name}'"
    checked_friction(clearance.friction, (first, second), where)
    if clearance.radius is not None:
        warn_if_implausible("clearance", clearance.radial, where, radius=clearance.radius)
    points = play_points(joint.type, clearance, joint.a, joint.b, where)
    found = [Contact(joint.name, first, second, clearance.law, points, clearance.friction)]
    if clearance.film is not None:
        film = film_point(joint.type, clearance, joint.a, joint.b, where)
        found.append(Contact(f"{joint.name}.{FILM}", first, second, clearance.law, (film,)))
    return found


def start_of_play(joint: Joint, clearance: Clearance) -> None:
    """Centred and at rest, unless the clearance says otherwise; only what it says counts as stated."""
    for values, start, given, word in (
        (clearance.offset, joint.start, joint.given, "offset"),
        (clearance.velocity, joint.start_rate, joint.given_rates, "velocity"),
    ):
        shifts = [name for name in joint.type.play if joint.type.coordinates[name] == "m"]
        if len(values) > len(shifts):
            raise MechanismError(
                f"joint '{joint.name}': clearance: {word} has {len(values)} numbers, but only {', '.join(shifts)} are free"
            )
        start.update(zip(shifts, values, strict=False))
        given.update(shifts[: len(values)])

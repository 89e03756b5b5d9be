"""What results keep of the shapes of contacts, for pictures."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.analysis.recording.result_structure import result_structure
from flexmbs.mechanism.contact.shapes import Shape
from flexmbs.model.compile_mechanism import compile_system

POINTS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
TRIANGLES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


@dataclass(frozen=True)
class Wedge(Shape):
    def outline(self):
        return POINTS, TRIANGLES


@pytest.fixture
def system():
    found = fm.System()
    body = found.add(fm.RigidBody.point(1.0), name="ball")
    found.prismatic(found.ground["origin"], body["origin"], axis="y", name="drop")
    law = fm.LinearContact(1e5)
    ball, plane = fm.Sphere(body["origin"], 0.1), fm.Plane(found.ground["origin"])
    for name in ("floor", "wall"):
        found.contact(ball, plane, law=law, name=name)
    return found


def structure(system):
    return result_structure(system, compile_system(system))


def test_spheres_and_planes_are_drawn_from_their_numbers(system):
    found = structure(system)
    assert found.outlines == ()
    assert [(pair.radius_a, tuple(pair.normal)) for pair in found.contacts] == [(0.1, (0.0, 1.0, 0.0))] * 2


def test_outlines_of_other_shapes_are_kept_once_each(system):
    for name, contact in system.contacts.items():
        system.contacts[name] = replace(contact, first=Wedge(contact.first.marker))
    (outline,) = structure(system).outlines
    marker = structure(system).markers[outline.marker]
    assert (marker.body, marker.name) == ("ball", "origin")
    assert np.array_equal(outline.points, POINTS)
    assert np.array_equal(outline.faces.reshape(-1, 4), np.insert(TRIANGLES, 0, 3, axis=1))


def test_shapes_without_a_surface_have_no_outline(system):
    assert Shape(system.ground["origin"]).outline() is None

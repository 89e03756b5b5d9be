"""Contact patches of bodies from meshes: static flexibility without inertia, and what may be asked for."""

from dataclasses import replace

import numpy as np
import pytest

import flexmbs as fm
from flexmbs import BodyError, line_mesh, rectangle

STEEL = fm.Material("steel", 210e9, 0.3, 7850.0)
ELEMENTS = 24


def beam(kind="massless", directions=("y",), modes=None, patches=None, **options):
    mesh = line_mesh(0.3, ELEMENTS, rectangle(0.005, 0.02), STEEL)
    mesh = replace(mesh, node_sets={"ENDS": np.array([0, ELEMENTS]), "MIDDLE": np.array([ELEMENTS // 2]), "TIP": [ELEMENTS // 4]})
    patches = {"hit": fm.ContactPatch(kind, directions)} if patches is None else patches
    return fm.reduce(
        mesh,
        interfaces={"held": fm.Interface(set="ENDS", kind="rigid"), "hit": "MIDDLE", "other": "TIP"},
        modes=modes or fm.ClampedFree(at="held", bending=(5, 0)),
        contact_patches=patches,
        beam_theory="euler-bernoulli",
        rotary_inertia=False,
        **options,
    )


def test_residual_flexibility_is_that_of_the_exact_modes():
    exact = fm.uniform_beam(
        length=0.3,
        bending_stiffness=43.75,
        mass_per_length=0.785,
        supports=("clamped", "clamped"),
        modes=5,
        markers={"hit": 0.15},
        contact_patches={"hit": "massless"},
    )
    body = beam(damping=0.01)
    assert list(body.massless) == [False] * 5 + [True]
    assert body.mode_labels[-1] == "hit y (massless)"
    # static flexibility L^3 / 192 EI less that of five exact modes: own computation, reference sphere_on_beam
    assert 1.0 / exact.Ke[-1, -1] == pytest.approx(7.3525190236660495e-09, rel=1e-8)
    assert 1.0 / body.Ke[-1, -1] == pytest.approx(7.3525190236660495e-09, rel=5e-3)  # 24 elements
    assert body.frequencies[-1] == pytest.approx(exact.frequencies[-1], rel=1e-2)


def test_a_patch_completes_the_static_deflection_and_has_no_inertia(tmp_path):
    plain, body = beam("plain"), beam()
    assert plain.advice().static_error["hit"][1] > 1e-3 and body.advice().static_error["hit"][1] < 1e-9
    assert np.all(np.isfinite(body.advice().effective_mass))
    assert not np.any(body.inertia.P[-1]) and not np.any(body.Me[-1]) and not np.any(body.De[-1])
    assert np.array_equal(body.pairs, plain.pairs)  # no second-order displacement
    assert body.markers["hit"].Phi[-1, 1] == pytest.approx(1.0, rel=1e-9)
    assert np.any(body.modes[-1]) and not np.any(body.markers["other"].Phi[-1])
    fm.save_body(body, tmp_path / "beam.h5")
    assert np.array_equal(fm.load_body(tmp_path / "beam.h5").massless, body.massless)


def test_attachment_mode_is_the_same_deflection_with_inertia():
    body, massless = beam("attachment"), beam()
    assert body.mode_count == 6 and not np.any(body.massless)
    assert body.advice().static_error["hit"][1] < 1e-9
    assert body.frequencies[-1] == pytest.approx(massless.frequencies[-1], rel=1e-6)


def test_craig_and_bampton_leave_massless_interfaces_free():
    body = beam(modes=fm.CraigBampton(at="held", count=4))
    assert list(body.massless) == [False] * (body.mode_count - 1) + [True]
    assert body.advice().static_error["other"][1] < 1e-8
    assert body.Ke[-1, :-1] == pytest.approx(0.0, abs=1e-6 * body.Ke[-1, -1])


def test_directions_are_named_or_vectors():
    both, turned = (beam(directions=("y", "rot z"), modes=fm.ClampedFree(at="held", count=4)), beam(directions=[(0, -2, 0)]))
    assert both.massless.sum() == 2 and both.mode_labels[-1] == "hit rot z (massless)"
    assert turned.Ke[-1, -1] == pytest.approx(beam().Ke[-1, -1], rel=1e-9)


@pytest.mark.parametrize(
    ("patches", "modes", "message"),
    [
        ({"hit": fm.ContactPatch("light")}, None, "contact patch 'hit': kind must be 'plain', 'attachment', 'massless'"),
        ({"hit": fm.ContactPatch(directions=("w",))}, None, "direction 'w' is none of x, y, z, rot x"),
        ({"hit": fm.ContactPatch(directions=[(0, 0, 0)])}, None, "or \\(x, y, z\\) other than zero"),
        ({"hit": fm.ContactPatch(directions="y")}, None, "directions must be a list"),
        ({"hit": "massless"}, None, "must be a ContactPatch"),
        ({"hut": fm.ContactPatch()}, None, "contact patch 'hut': no such interface.*hit"),
        ({"held": fm.ContactPatch()}, None, "holds the frame of the body, so it does not yield"),
        ({"hit": fm.ContactPatch()}, fm.CraigBampton(at="held", keep=["hit"], count=2), "cannot be in keep as well"),
    ],
)
def test_bad_patches(patches, modes, message):
    with pytest.raises(BodyError, match=message):
        beam(patches=patches, modes=modes)

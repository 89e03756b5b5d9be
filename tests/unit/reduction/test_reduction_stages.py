"""A mesh on its way through the five stages to the stored body: each hands on what it got, with more known."""

from dataclasses import fields as entries

import pytest
from same_values import assert_same

from flexmbs import ClampedFree, ContactPatch, load_body, reduce, save_body
from flexmbs.reduction.bases import bases
from flexmbs.reduction.body import body
from flexmbs.reduction.checked import Reduction, checked
from flexmbs.reduction.fields import fields
from flexmbs.reduction.inertia import inertia

FOUND = {  # by each stage, besides what follows from it
    checked: {"fem", "attached", "patches", "choice", "T", "problem"},
    bases: {"vibrating", "basis", "massless", "amplitudes", "flexibility"},
    fields: {"pairs", "Z", "samples", "weights", "markers", "surface"},
    inertia: {"inertia", "Me", "Ke", "De"},
    body: {"body"},
}


@pytest.mark.parametrize("mesh", ["blade", "square_solid"])
def test_stages_add_what_they_are_named_after_and_change_nothing_else(request, tmp_path, mesh):
    mesh = request.getfixturevalue(mesh)
    asked = {"interfaces": {"hinge": "ROOT", "tip": "TIP"}, "modes": ClampedFree("hinge", count=3), "damping": 0.01}
    asked |= {"contact_patches": {"tip": ContactPatch("massless", ("y",))}}
    known = Reduction(mesh=mesh, **asked)
    for stage, found in FOUND.items():
        before, known = known, stage(known)
        changed = {entry.name for entry in entries(Reduction) if getattr(before, entry.name) is not getattr(known, entry.name)}
        assert found == changed - {"remarks"}
    assert_same(known.body, reduce(mesh, cache=False, **asked))
    save_body(known.body, tmp_path / "body.h5")
    assert load_body(tmp_path / "body.h5").mode_labels[-1] == "tip y (massless)"

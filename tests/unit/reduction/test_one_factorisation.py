"""A body is factorised once, whatever is asked of it."""

import numpy as np
import pytest

from flexmbs import ClampedFree, CraigBampton, FreeFree, Interface, Material, StaticModes, assemble, box_mesh, natural_modes
from flexmbs.fem import vibration
from flexmbs.reduction import constrained_body as constrained
from flexmbs.reduction.reduce import reduce_model

STEEL = Material("STEEL", 210e9, 0.3, 7850.0)


@pytest.fixture(scope="module")
def fem():
    """1143 components: Lanczos iteration, not LAPACK."""
    return assemble(box_mesh((0.5, 0.04, 0.02), (12, 2, 2), STEEL))


@pytest.fixture
def factorised(monkeypatch):
    """The sizes of all matrices that are factorised."""
    sizes = []
    for module in (constrained, vibration):
        original = module.symmetric_factor

        def counting(matrix, *args, original=original):
            sizes.append(matrix.shape[0])
            return original(matrix, *args)

        monkeypatch.setattr(module, "symmetric_factor", counting)
    return sizes


@pytest.mark.parametrize(
    "modes",
    [
        ClampedFree("root", count=6, static=StaticModes(interfaces=["tip"], acceleration=True)),
        CraigBampton("root", count=6, static=StaticModes(acceleration=True)),
        CraigBampton("root", max_frequency=9000.0),
        FreeFree(count=6, attachment=True),
    ],
    ids=["clamped", "craig-bampton", "by frequency", "free"],
)
@pytest.mark.parametrize("kind", ["averaged", pytest.param("rigid", marks=pytest.mark.slow)])
def test_modes_statics_second_order_fields_and_flexibility_share_it(fem, factorised, modes, kind):
    interfaces = {name: Interface(set=name.upper(), kind=kind) for name in ("root", "tip")}
    body = reduce_model(fem, interfaces=interfaces, modes=modes)
    assert len(factorised) == 1
    assert np.abs(body.quadratic).max() > 0.0 and np.abs(body.flexibility).max() > 0.0  # all of it was computed


def test_natural_modes_up_to_a_frequency(fem, factorised):
    held = np.repeat(fem.mesh.points[:, 0] < 1e-9, 3)
    highest = natural_modes(fem, held, count=40).frequencies[-1]
    del factorised[:]
    found = natural_modes(fem, held, max_hz=1.0001 * highest)  # more than are looked for at first
    assert len(found.frequencies) == 40 and len(factorised) == 1

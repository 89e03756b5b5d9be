"""Dataset 164: the units that a universal file states are those that its numbers are converted from."""

import numpy as np
import pytest

from flexmbs import MeshError, mass_properties, read_mesh, with_material

NODES = ((0.0, 0.0, 0.0), (100.0, 0.0, 0.0), (0.0, 100.0, 0.0), (0.0, 0.0, 100.0))


def dataset(number, *lines):
    return "\n".join(["    -1", f"{number:6d}", *lines, "    -1", ""])


def units(name, lengths, forces, code=5):
    factors = "".join(f"{value:25.16E}".replace("E", "D") for value in (lengths, forces, 1.0))
    return dataset(164, f"{code:10d}{name:20s}{2:10d}", factors, f"{273.15:25.16E}")


MESH = dataset(
    2411,
    *(
        line
        for number, point in enumerate(NODES, 1)
        for line in (f"{number:10d}{1:10d}{1:10d}{11:10d}", "".join(f"{x:25.16E}" for x in point))
    ),
)
MESH += dataset(2412, f"{1:10d}{111:10d}{1:10d}{1:10d}{7:10d}{4:10d}", "".join(f"{i:10d}" for i in (1, 2, 3, 4)))


def read(tmp_path, text, given=None):
    path = tmp_path / "part.unv"
    path.write_text(text)
    return read_mesh(path, given)


@pytest.mark.parametrize(
    ("stated", "name", "metre"),
    [
        (("SI: Meter (newton)", 1.0, 1.0), "m-kg-s", 1.0),
        (("mm (newton)", 1e3, 1.0), "mm-t-s", 1e-3),
        (("mm (milli-newton)", 1e3, 1e3), "mm-kg-s", 1e-3),
        (("Inch (pound f)", 1 / 0.0254, 1 / 4.4482216152605), "in-lbf-s", 0.0254),
        (("cm (newton)", 100.0, 1.0), "0.01,100,1", 0.01),
    ],
)
def test_the_units_that_the_file_states_are_used(tmp_path, stated, name, metre):
    mesh = read(tmp_path, units(*stated) + MESH)
    assert mesh.units == ("" if name == "m-kg-s" else name) and mesh.stated_units.units == name
    assert np.allclose(mesh.points, metre * np.array(NODES), rtol=1e-12)
    told = [warning for warning in mesh.warnings if f"its units as {stated[0]}, {name}" in warning]
    assert len(told) == (name != "m-kg-s")
    steel = with_material(mesh, youngs_modulus=210e9, poisson_ratio=0.3, density=6000.0)
    assert mass_properties(steel).mass == pytest.approx(1000.0 * (100 * metre) ** 3)


def test_given_units_come_before_stated_ones_and_a_contradiction_is_told(tmp_path):
    text = units("mm (newton)", 1e3, 1.0) + MESH
    assert read(tmp_path, text, "m-kg-s").points.max() == 100.0
    mesh = read(tmp_path, text, "mm-kg-s")
    assert mesh.points.max() == pytest.approx(0.1)
    (doubt,) = [warning for warning in mesh.warnings if "which is correct?" in warning]
    assert "part.unv:3" in doubt and "mm-t-s, but mm-kg-s were given" in doubt
    assert not any("which is correct?" in warning for warning in read(tmp_path, text, "mm-t-s").warnings)


def test_units_that_cannot_be(tmp_path):
    mesh = read(tmp_path, units("none", 0.0, 1.0) + MESH)
    assert mesh.points.max() == 100.0 and any("numbers are used as given" in warning for warning in mesh.warnings)
    with pytest.raises(MeshError, match=r"part.unv:9: dataset 164: the units are mm-t-s here, but m-kg-s before"):
        read(tmp_path, units("SI", 1.0, 1.0) + units("mm", 1e3, 1.0) + MESH)

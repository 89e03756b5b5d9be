"""Units: every quantity of a mesh is converted with its own power of length, mass and time."""

from dataclasses import replace

import numpy as np
import pytest

from flexmbs import (
    AnisotropicMaterial,
    CoordinateSystem,
    Coupling,
    Damping,
    ElementBlock,
    Equation,
    Layer,
    Material,
    Mesh,
    MeshError,
    OrthotropicMaterial,
    PointMass,
    ShellSection,
    SpringSection,
    TrussSection,
    box_mesh,
    mass_properties,
    pipe,
    read_mesh,
    rectangle,
    with_material,
)
from flexmbs.mesh.material_units import check_units, likely_system
from flexmbs.mesh.mesh import StatedUnits
from flexmbs.mesh.summary import summarize
from flexmbs.mesh.unit_systems import SI, UNIT_SYSTEMS, UnitSystem, converted, unit_system

STEEL = {
    "m-kg-s": (210e9, 7850.0),
    "mm-t-s": (210e3, 7.85e-9),
    "mm-kg-ms": (210.0, 7.85e-6),
    "mm-kg-s": (2.1e8, 7.85e-6),
    # 210e9 Pa / 6894.757 and 7850 kg/m3 / 10686895.6 (lbf s2/in4)
    "in-lbf-s": (3.0457926e7, 7.3454445e-4),
}
OTHER = UnitSystem("other", 0.5, 3.0, 0.1)  # factors that no power confuses


@pytest.mark.parametrize("name", UNIT_SYSTEMS)
def test_steel_in_every_system_is_steel(name):
    modulus, density = STEEL[name]
    steel = with_material(box_mesh((1, 1, 1), (1, 1, 1)), Material("S", modulus, 0.3, density))
    material = converted(steel, unit_system(name)).blocks[0].material
    assert material.youngs_modulus == pytest.approx(210e9, rel=1e-7)
    assert material.density == pytest.approx(7850.0, rel=1e-7)


def everything() -> Mesh:
    """One of each kind of thing that has units, all numbers 1 or simple."""
    one = np.eye(6)
    isotropic = Material("ISO", 1.0, 0.3, 1.0, Damping(1.0, 1.0, 0.02))
    layer = OrthotropicMaterial("LAYER", 1.0, 1.0, None, 0.3, None, None, 1.0, 1.0, 1.0, 1.0)
    solid = AnisotropicMaterial("ANISO", one, 1.0)
    beam = replace(rectangle(1.0, 1.0), nonstructural_mass=1.0, centroid=(1.0, 2.0), end=rectangle(1.0, 1.0))
    shell = ShellSection(None, (Layer(layer, 1.0, 0.5),), offset=1.0, nonstructural_mass=1.0)
    ids, pair, corners = np.array([1]), np.array([[0, 1]]), np.array([[0, 1, 2, 3]])
    return Mesh(
        points=np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 1.0]]),
        node_ids=np.arange(1, 5),
        blocks=(
            ElementBlock("beam2", ids, pair, isotropic, beam, offsets=np.ones((1, 2, 3))),
            ElementBlock("quad4", ids + 1, corners, None, shell, thickness=np.ones((1, 4)), shell_offsets=np.ones(1)),
            ElementBlock("tet4", ids + 2, corners, solid),
            ElementBlock("truss2", ids + 3, pair, isotropic, TrussSection(1.0, 1.0, 1.0)),
            ElementBlock("spring2", ids + 4, pair, None, SpringSection(np.ones(6), np.ones(6), mass=1.0)),
            ElementBlock("spring2", ids + 5, pair, None, SpringSection(np.ones(6), first_dof=1, second_dof=5)),
        ),
        materials={"ISO": isotropic, "LAYER": layer, "ANISO": solid},
        couplings=(Coupling("c", "average", 0, np.array([1, 2]), weights=np.ones(2)),),
        equations=(
            Equation("mixed", np.array([0, 1]), np.array([1, 5]), np.ones(2), 1.0),
            Equation("turns", np.array([0, 1]), np.array([4, 4]), np.ones(2), 1.0),
        ),
        point_masses=(PointMass("m", 0, 1.0, np.eye(3), np.ones(3)),),
        coordinate_systems={"s": CoordinateSystem("s", "cylindrical", np.ones(3), np.eye(3))},
    )


def test_every_quantity_has_its_power():
    mesh = converted(everything(), OTHER)
    m, kg, s = OTHER.length, OTHER.mass, OTHER.time
    beam, shell, tet, truss, spring, scalar = mesh.blocks
    pascal, density = kg / (m * s**2), kg / m**3
    assert mesh.points.max() == m and mesh.coordinate_systems["s"].origin.tolist() == [m, m, m]
    assert (beam.material.youngs_modulus, beam.material.density) == pytest.approx((pascal, density))
    assert beam.material.poisson_ratio == 0.3
    damping = beam.material.damping
    assert (damping.alpha, damping.beta, damping.structural) == pytest.approx((1 / s, s, 0.02))
    section = beam.section
    assert (section.area, section.Iy, section.end.Iy) == pytest.approx((m**2, m**4 / 12, m**4 / 12))
    assert section.torsion_constant == pytest.approx(0.1406 * m**4, rel=1e-3)
    assert (section.nonstructural_mass, section.centroid) == (pytest.approx(kg / m), (m, 2 * m))
    assert np.ptp(section.outline, axis=0) == pytest.approx([m, m]) and np.all(beam.offsets == m)
    assert shell.section.layers[0].material.E1 == pytest.approx(pascal) and shell.section.layers[0].material.E3 is None
    assert (shell.section.layers[0].thickness, shell.section.layers[0].angle, shell.section.offset) == (m, 0.5, m)
    assert shell.section.nonstructural_mass == pytest.approx(kg / m**2)
    assert np.all(shell.thickness == m) and np.all(shell.shell_offsets == m)
    assert np.diag(tet.material.stiffness) == pytest.approx(np.full(6, pascal))
    assert (truss.section.area, truss.section.torsion_constant) == pytest.approx((m**2, m**4))
    assert truss.section.nonstructural_mass == pytest.approx(kg / m)
    newton = kg * m / s**2
    assert spring.section.stiffness == pytest.approx([newton / m] * 3 + [newton * m] * 3)
    assert spring.section.damping == pytest.approx([newton / m * s] * 3 + [newton * m * s] * 3)
    assert spring.section.mass == kg
    assert scalar.section.stiffness[0] == pytest.approx(newton)  # force per rotation
    assert mesh.equations[0].coefficients.tolist() == [1.0, m] and mesh.equations[0].constant == m
    assert mesh.equations[1].coefficients.tolist() == [1.0, 1.0] and mesh.equations[1].constant == 1.0
    point = mesh.point_masses[0]
    assert (point.mass, point.inertia[0, 0], point.offset[0]) == pytest.approx((kg, kg * m**2, m))
    assert mesh.couplings[0].weights.tolist() == [1.0, 1.0]
    assert mesh.materials["ISO"] is beam.material  # one material stays one


def test_mass_of_a_pipe_in_millimetres_and_tonnes():
    section, steel = pipe(10.0, 2.0), Material("S", 210e3, 0.3, 7.85e-9)
    mesh = Mesh(
        np.array([[0, 0, 0], [1000.0, 0, 0]]),
        np.array([1, 2]),
        (ElementBlock("beam2", np.array([1]), np.array([[0, 1]]), steel, section),),
    )
    expected = 7850.0 * np.pi * (0.010**2 - 0.008**2) * 1.0
    assert mass_properties(converted(mesh, unit_system("mm-t-s"))).mass == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("units", [(1e-3, 1e3, 1), "0.001,1000,1", " 1e-3, 1e3, 1.0", np.array([1e-3, 1e3, 1.0])])
def test_three_factors(units):
    system = unit_system(units)
    assert (system.length, system.mass, system.time) == (1e-3, 1e3, 1.0)
    assert unit_system(system.name) == system


@pytest.mark.parametrize("units", ["mm", "1,2", (1, 0, 1), (1, 2, 3, 4), "1,2,x", (1, -1, 1), "nan,1,1", [[1, 2, 3]], 5])
def test_units_that_are_none(units):
    with pytest.raises(MeshError, match=r"units .* unknown.*m-kg-s.*three positive factors"):
        unit_system(units)


@pytest.mark.parametrize("name", UNIT_SYSTEMS)
def test_the_likely_system_is_recognised(name):
    modulus, density = STEEL[name]
    mesh = with_material(box_mesh((1, 0.1, 0.1), (2, 1, 1)), Material("S", modulus, 0.3, density))
    assert likely_system(mesh).name == name
    assert check_units(mesh) == () if name == "m-kg-s" else f"--units {name}" in check_units(mesh)[0]
    assert check_units(converted(mesh, unit_system(name))) == ()


@pytest.mark.parametrize(
    ("modulus", "density"),
    [(5e6, 1000.0), (2e9, 1150.0), (70e9, 2700.0), (30e9, 2400.0), (400e9, 19300.0), (140e9, 1600.0), (10e9, 500.0)],
    ids=["rubber", "nylon", "aluminium", "concrete", "tungsten", "carbon fibre", "wood"],
)
def test_real_materials_in_si_raise_no_suspicion(modulus, density):
    mesh = with_material(box_mesh((1, 0.1, 0.1), (2, 1, 1)), Material("S", modulus, 0.3, density))
    assert check_units(mesh) == () and likely_system(mesh) is SI


def test_wrong_units_given_are_doubted():
    mesh = with_material(box_mesh((1, 0.1, 0.1), (2, 1, 1)), Material("S", 210e9, 0.3, 7850.0))
    (warning,) = check_units(converted(mesh, unit_system("mm-t-s")))
    assert "m-kg-s" in warning and "mm-t-s" in warning and "which is correct" in warning


def test_two_materials_in_two_systems(tmp_path):
    path = tmp_path / "two.inp"
    path.write_text(
        "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n5,1,1,1\n"
        "*ELEMENT, TYPE=C3D4, ELSET=A\n1,1,2,3,4\n*ELEMENT, TYPE=C3D4, ELSET=B\n2,2,3,4,5\n"
        "*SOLID SECTION, ELSET=A, MATERIAL=STEEL\n*SOLID SECTION, ELSET=B, MATERIAL=ALU\n"
        "*MATERIAL, NAME=STEEL\n*ELASTIC\n210e9, .3\n*DENSITY\n7850.\n"
        "*MATERIAL, NAME=ALU\n*ELASTIC\n70e3, .3\n*DENSITY\n2.7e-9\n"
    )
    with pytest.raises(MeshError, match=r"two.inp:\d+: inconsistent units.*ALU.*like mm-t-s.*STEEL.*like m-kg-s"):
        read_mesh(path)
    assert any("inconsistent" in warning for warning in read_mesh(path, units="m-kg-s").warnings)


def test_modulus_and_density_of_two_systems(tmp_path):
    path = tmp_path / "mixed.inp"
    path.write_text(
        "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT, TYPE=C3D4, ELSET=A\n1,1,2,3,4\n"
        "*SOLID SECTION, ELSET=A, MATERIAL=STEEL\n*MATERIAL, NAME=STEEL\n*ELASTIC\n210000., .3\n*DENSITY\n7850.\n"
    )
    with pytest.raises(MeshError, match=r"mixed.inp:\d+: inconsistent units.*density 7850.*E = 210000.*multiply E by"):
        read_mesh(path)


@pytest.mark.parametrize(("modulus", "density"), [(7.3e7, 2.8e-6), (2.1e8, 7.85e-6), (3e7, 2.4e-6)])
def test_materials_in_mm_kg_s_are_no_mixture(modulus, density):
    """kPa look like psi, densities like those of mm-kg-ms: only both together tell."""
    mesh = with_material(box_mesh((1, 0.1, 0.1), (2, 1, 1)), Material("S", modulus, 0.3, density))
    assert likely_system(mesh).name == "mm-kg-s"
    assert len(check_units(mesh)) == 1
    without_density = with_material(box_mesh((1, 0.1, 0.1), (2, 1, 1)), Material("S", 3e7, 0.3, None))
    assert likely_system(without_density).name == "in-lbf-s"


@pytest.mark.parametrize(
    ("modulus", "density", "said"),
    [
        (3e7, 0.1, "psi and lb/in3"),
        (1e7, 0.1, "psi and lb/in3"),
        (2.9e7, 0.284, "psi and lb/in3"),
        (4.32e9, 15.2, "units='0.3048,14.5939029372,1'"),  # steel in feet, pounds of force, slugs
        (1.5e9, 5.3, "units='0.3048,14.5939029372,1'"),  # aluminium
    ],
)
def test_numbers_of_no_named_system_get_one_remark(modulus, density, said):
    mesh = with_material(box_mesh((1, 0.1, 0.1), (2, 1, 1)), Material("S", modulus, 0.3, density))
    (remark,) = check_units(mesh)
    assert said in remark and "in-lbf-s" not in remark and likely_system(mesh) is None
    if "units='" in said:
        in_si = converted(mesh, unit_system("0.3048,14.5939029372,1")).blocks[0].material
        assert 6e10 < in_si.youngs_modulus < 2.2e11 and 2600 < in_si.density < 8000


@pytest.mark.parametrize(
    ("modulus", "density"), [(36e6, 32.0), (55e6, 48.0), (5.4e8, 37.0), (4e9, 150.0), (3e9, 1200.0), (1e7, 1100.0)]
)
def test_foam_balsa_and_plastics_in_si_are_no_feet_and_slugs(modulus, density):
    mesh = with_material(box_mesh((1, 0.1, 0.1), (2, 1, 1)), Material("S", modulus, 0.3, density))
    assert not any("slug" in remark for remark in check_units(mesh))


def test_the_file_s_own_statement_is_not_talked_over():
    mesh = with_material(box_mesh((200, 10, 10), (2, 1, 1)), Material("S", 2.1e5, 0.3, 7.85e-9))
    mesh = replace(mesh, stated_units=StatedUnits("m-kg-s", "part.unv:9: dataset 164"))
    (remark,) = check_units(mesh)
    assert remark.endswith("as in the mm-t-s system, but m-kg-s are stated or given; which is correct?")
    assert summarize(mesh)["units"] == "m-kg-s"


def test_megapascals_with_kilograms_per_cubic_millimetre_are_a_mixture():
    mesh = with_material(box_mesh((1, 0.1, 0.1), (2, 1, 1)), Material("S", 210e3, 0.3, 7.85e-6))
    with pytest.raises(MeshError, match="inconsistent units"):
        check_units(mesh)

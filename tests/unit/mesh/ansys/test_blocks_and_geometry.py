"""Formats of NBLOCK and EBLOCK as other programs write them, geometry ahead of the mesh, plane elements by name."""

import numpy as np
import pytest

from flexmbs import MeshError, mass_properties, read_mesh

CORNERS = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
# Ansys Neutral File as CAD translators write it: each command, the name in the CAD program, lines of numbers.
GEOMETRY = """/AUX15
IOPTN,IGES,NODEFEAT
KPT,1,0.0,0.0,0.0
POINT 1
KPT,2,1.0,0.0,0.0
POINT 2
LCURV,1,1,1,2,0.0,1.0
EDGE 1
0 2 0 4 2
0.0 0.0 1.0 1.0
0.0 0.0 0.0
1.0 0.0 0.0
LCURV,2,1,1,2,0.0,1.0
0 2 0 4 2
ASURF,1,1,1,4,0.,1.,0.,1.
FACE 1
0 4
1 2 -3 4
VBODY,1,1
BODY 1
0 1
1
FINISH
"""
IGES = "".join(
    f"{text:72}{section}{number:7d}\n"
    for text, section, number in (
        ("", "S", 1),
        ("1H,,1H;,4HCUBE,8Hcube.igs,5HANSYS,5H18.0 ,32,38,6,308,15,4HCUBE,1.,1", "G", 1),
        ("     110       1", "D", 1),
        ("110,0.,0.,0.,1.,0.,0.;", "P", 1),
        ("S      1G      1D      1P      1", "T", 1),
    )
)


def deck(nodes="(3i9,6e21.13)", elements="(19i9)", before="", routine=185, count=8):
    """One tetrahedron as a degenerate SOLID185, or one plane element."""
    widths, spec = [9, 9, 9] if nodes.startswith("(3i9") else [7, 9, 9], nodes
    lines = [
        f"{i:{widths[0]}d}{0:{widths[1]}d}{0:{widths[2]}d}" + "".join(f"{x:21.13E}" for x in p) for i, p in enumerate(CORNERS, 1)
    ]
    corner = [1, 2, 3, 3, 4, 4, 4, 4][:count] if count == 8 else [1, 2, 4, 3]
    first = 7 if elements.startswith("(1i7") else 9
    numbers = [1, 1, 1, 1, 0, 0, 0, 0, count, 0, 1, *corner]
    element = f"{numbers[0]:{first}d}" + "".join(f"{n:9d}" for n in numbers[1:])
    return "\n".join(
        [
            "/PREP7",
            before + f"ET,1,{routine}",
            "NBLOCK,6,SOLID,4,4",
            spec,
            *lines,
            "N,R5.3,LOC,       -1,",
            "EBLOCK,19,SOLID,1,1",
            elements,
            element,
            "       -1",
            "MP,EX,1,2.1E11",
            "MP,PRXY,1,0.3",
            "MP,DENS,1,6000.",
            "FINISH",
            "",
        ]
    )


def read(tmp_path, text):
    path = tmp_path / "deck.cdb"
    path.write_text(text)
    return read_mesh(path)


@pytest.mark.parametrize("nodes", ["(3i9,6e21.13)", "(1i7,2i9,6e21.13)", "(i7,2i9,6e21.13e3)", "(1I7,1I9,1I9,6E21.13)"])
@pytest.mark.parametrize("elements", ["(19i9)", "(1i7,18i9)"])
def test_formats_with_integers_of_several_widths(tmp_path, nodes, elements):
    mesh = read(tmp_path, deck(nodes, elements))
    assert np.array_equal(mesh.points, CORNERS)
    assert mass_properties(mesh).mass == pytest.approx(1000.0)


@pytest.mark.parametrize("nodes", ["(6e21.13,3i9)", "(1i7,6e21.13,2i9)", "(1i0,6e21.13)"])
def test_formats_that_are_none(tmp_path, nodes):
    with pytest.raises(MeshError, match=r"deck.cdb:4: NBLOCK: the format .*integers, then real numbers"):
        read(tmp_path, deck().replace("(3i9,6e21.13)", nodes))


@pytest.mark.parametrize("geometry", [GEOMETRY, IGES, GEOMETRY + IGES])
def test_geometry_ahead_of_the_nodes_is_left_out(tmp_path, geometry):
    mesh = read(tmp_path, deck(before=geometry))
    assert len(mesh.points) == 4 and mass_properties(mesh).mass == pytest.approx(1000.0)
    left_out = {entry.card: entry for entry in mesh.skipped}
    assert all(left_out[card].analysis for card in ("LCURV", "IGES") if card in left_out)
    assert ("LCURV" in left_out) == ("LCURV" in geometry) and ("IGES" in left_out) == (IGES in geometry)


@pytest.mark.parametrize("routine", [182, 183, 42, 25])
def test_plane_elements_are_named_whatever_format_their_nodes_have(tmp_path, routine):
    with pytest.raises(MeshError, match=rf"PLANE{routine} \(plane\)"):
        read(tmp_path, deck("(1i7,2i9,6e21.13)", before=GEOMETRY, routine=routine, count=4))

"""S8R5 with the optional node in its middle, on one line or two."""

import pytest

from flexmbs import mass_properties, read_mesh

DECK = """*NODE
1,0,0,0
2,1,0,0
3,1,1,0
4,0,1,0
5,.5,0,0
6,1,.5,0
7,.5,1,0
8,0,.5,0
9,.5,.5,0
10,2,0,0
11,2,1,0
12,1.5,0,0
13,2,.5,0
14,1.5,1,0
15,1.5,.5,0
*ELEMENT, TYPE=S8R5, ELSET=S
{elements}
*SHELL SECTION, ELSET=S, MATERIAL=M
.01
*MATERIAL, NAME=M
*ELASTIC
210e9,.3
*DENSITY
1000
"""
EIGHT = "1,1,2,3,4,5,6,7,8", "2,2,10,11,3,12,13,14,6"


@pytest.mark.parametrize(
    ("elements", "with_nine"),
    [
        ("\n".join(EIGHT), False),
        (f"{EIGHT[0]},9\n{EIGHT[1]},15", True),
        (f"{EIGHT[0]},9\n{EIGHT[1]}", True),
        (f"{EIGHT[0]},\n9\n{EIGHT[1]},\n15", True),
        (f"{EIGHT[0]},\n{EIGHT[1]},", False),
        ("1,1,2,3,4,5,\n6,7,8,9\n" + EIGHT[1], True),
    ],
)
def test_s8r5_with_eight_or_nine_nodes(tmp_path, elements, with_nine):
    path = tmp_path / "plate.inp"
    path.write_text(DECK.format(elements=elements))
    mesh = read_mesh(path)
    assert sum(len(block.ids) for block in mesh.blocks) == 2 and {block.kind for block in mesh.blocks} == {"quad8"}
    assert mass_properties(mesh).mass == pytest.approx(20.0)  # 2 m2 of 10 mm with 1000 kg/m3
    told = [warning for warning in mesh.warnings if "nodes in the middle of its faces" in warning]
    assert len(told) == with_nine

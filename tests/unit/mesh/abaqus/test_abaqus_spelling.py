"""Blanks and case in the format's own words are nothing; names of the assembly reach what is in it."""

import re

import pytest

from flexmbs import MeshError

HEAD = (
    "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 1, 1, 0\n4, 0, 1, 0\n9, 0, 0, 5\n*NSET, NSET=ENDS\n1, 2\n"
    "*ELEMENT, TYPE=S4, ELSET=E\n1, 1, 2, 3, 4\n*SURFACE, NAME=S\nE, SPOS\n*SURFACE, NAME=N, TYPE=NODE\n9\n"
    "*MATERIAL, NAME=M\n*ELASTIC\n1e9, .3\n*DENSITY\n7850.\n"
)
SHELL = "*SHELL SECTION, ELSET=E, MATERIAL=M\n.1\n"


def without_blanks(text):
    """Keyword lines without any blank."""
    return re.sub(r"(?m)^\*.*$", lambda line: line[0].replace(" ", ""), text)


@pytest.mark.parametrize(
    ("cards", "value"),
    [
        ("*RIGID BODY, REF NODE=9, TIE NSET=ENDS, PIN NSET=ENDS", lambda m: [(c.reference, len(c.nodes)) for c in m.couplings]),
        ("*COUPLING, REF NODE=9, SURFACE=S, CONSTRAINT NAME=GRIP\n*KINEMATIC\n1, 3", lambda m: [c.name for c in m.couplings]),
        ("*COUPLING, REF NODE=1, SURFACE=S, INFLUENCE RADIUS=1.\n*KINEMATIC", lambda m: m.couplings[0].nodes.tolist()),
        ("*COUPLING, REF NODE=9, SURFACE=S\n*DISTRIBUTING, WEIGHTING METHOD=CUBIC", lambda m: len(m.warnings)),
        ("*KINEMATIC COUPLING, REF NODE=9\nENDS, 1, 3", lambda m: m.couplings[0].nodes.tolist()),
        ("*TIE, NAME=T, POSITION TOLERANCE=.5\nN, S", lambda m: m.ties[0].tolerance),
        ("*TIE, NAME=T, CYCLIC SYMMETRY\nN, S", lambda m: [s.why for s in m.skipped]),
        ("*NODAL THICKNESS\nENDS, .2", lambda m: [b.thickness for b in m.blocks]),
        ("*NONSTRUCTURAL MASS, ELSET=E, UNITS=MASS PER AREA\n3.", lambda m: m.blocks[0].section.nonstructural_mass),
        ("*BOUNDARY\n1, X SYMM", lambda m: [b.dofs for b in m.boundary_conditions]),
        (
            "*NSET, NSET=ALL\n1\n*NCOPY, CHANGE NUMBER=10, OLD SET=ALL, SHIFT, NEW SET=NEW\n5.",
            lambda m: m.node_sets["NEW"].tolist(),
        ),
        ("*ELEMENT, TYPE=MASS, ELSET=L\n5, 9\n*ROTARY INERTIA, ELSET=L\n1., 1., 1.", lambda m: len(m.point_masses)),
    ],
)
def test_blanks_in_keywords_parameters_and_their_values_do_not_matter(read, cards, value):
    cards = SHELL + cards + "\n"
    usual, joined = read(HEAD + cards), read(without_blanks(HEAD + cards))
    assert value(joined) == value(usual)
    assert joined.warnings == usual.warnings
    assert [(s.card, s.why) for s in joined.skipped] == [(s.card, s.why) for s in usual.skipped]


def test_thickness_of_nodes_is_used_however_its_parameter_is_spelled(read):
    section = "*SHELL SECTION, ELSET=E, MATERIAL=M, NODAL THICKNESS\n.1\n*NODAL THICKNESS\n1, .2\n2, .3\n"
    usual, joined = read(HEAD + section), read(without_blanks(HEAD + section))
    assert usual.blocks[0].thickness.tolist() == joined.blocks[0].thickness.tolist() == [[0.2, 0.3, 0.1, 0.1]]


def test_messages_keep_the_usual_spelling(read):
    with pytest.raises(MeshError, match=r":20: \*RIGID BODY: REF NODE must be one node; ENDS has 2"):
        read(HEAD + "*RIGIDBODY,REFNODE=ENDS,NSET=ENDS\n")


ASSEMBLY = (
    "*PART, NAME=P\n*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 1, 1, 0\n4, 0, 1, 0\n*ELEMENT, TYPE=S4, ELSET=E\n1, 1, 2, 3, 4\n"
    "*NSET, NSET=IN\n1, 4\n*SURFACE, NAME=FACE\nE, SPOS\n*END PART\n*ASSEMBLY, NAME=Asm\n*INSTANCE, NAME=P-1, PART=P\n"
    "*END INSTANCE\n*INSTANCE, NAME=P-2, PART=P\n0., 0., 2.\n*END INSTANCE\n*NODE\n9, 0, 0, 1\n"
    "*NSET, NSET=LEFT, INSTANCE=P-1\n1, 4\n*NSET, NSET=RIGHT, INSTANCE=ASM.P-2\n2, 3\n"
    "*SURFACE, NAME=TOP\nASM.P-2.E, SPOS\n*ELEMENT, TYPE=SPRINGA, ELSET=SPRINGS\n1, ASM.P-1.1, P-2.1\n*END ASSEMBLY\n"
)


def test_the_name_of_the_assembly_may_stand_before_names_of_what_is_in_it(read):
    mesh = read(
        ASSEMBLY + "*RIGID BODY, REF NODE=ASM.9, PIN NSET=asm.left\n*COUPLING, REF NODE=ASM.P-2.1, SURFACE=ASM.P-1.FACE\n"
        "*KINEMATIC\n*TIE, NAME=T\nASM.TOP, ASM.P-1.FACE\n*MPC\nPIN, ASM.P-1.2, ASM.P-2.2\n"
        "*EQUATION\n2\nAsm.P-1.3, 1, 1., P-2.3, 1, -1.\n*SPRING, ELSET=ASM.SPRINGS\n\n5.\n*STEP\n*STATIC\n*BOUNDARY\n"
        "ASM.LEFT, 1, 3\nASM.P-2.IN, 1\nAsm.P-2.4, 2\n*END STEP\n"
    )
    assert [(c.reference, c.nodes.tolist()) for c in mesh.couplings] == [(8, [0, 3]), (4, [0, 1, 2, 3])]
    assert [(tie.first, tie.second) for tie in mesh.ties] == [("TOP", "P-1.FACE")]
    assert [e.nodes.tolist() for e in mesh.equations] == [[1, 5]] * 3 + [[2, 6]]
    assert [(b.nodes.tolist(), b.dofs) for b in mesh.boundary_conditions] == [([0, 3], (1, 2, 3)), ([4, 7], (1,)), ([7], (2,))]
    assert [b.name for b in mesh.boundary_conditions] == ["LEFT", "P-2.IN", "P-2.4"]
    assert mesh.node_sets["RIGHT"].tolist() == [5, 6]
    (spring,) = (block for block in mesh.blocks if block.kind == "spring2")
    assert spring.nodes.tolist() == [[0, 4]]
    assert spring.section.stiffness[0] == 5.0


def test_what_the_assembly_has_not_is_refused_by_name(read):
    for name, message in (("ASM.RIGHTS", "node set ASM.RIGHTS"), ("ASM.P-3.1", "node set ASM.P-3.1"), ("ASM2.LEFT", "ASM2.LEFT")):
        with pytest.raises(MeshError, match=rf"{message}, which is not defined"):
            read(ASSEMBLY + f"*BOUNDARY\n{name}, 1\n")

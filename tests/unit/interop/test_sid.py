"""SID_FEM: what a body has to first order comes back; bad files are named by line."""

import re
from dataclasses import fields

import numpy as np
import pytest

from flexmbs import BodyError, read_sid, write_sid
from flexmbs.interop.moments import moments_of_fields
from flexmbs.interop.sid_file import read_sid_data, write_sid_data


def assert_moments(first, second, tolerance):
    for part in fields(first):
        a, b = getattr(first, part.name), getattr(second, part.name)
        assert np.shape(a) == np.shape(b), part.name
        np.testing.assert_allclose(b, a, atol=tolerance * np.abs(a).max(initial=1e-300), err_msg=part.name)


def test_a_body_comes_back_to_first_order(body, tmp_path):
    write_sid(body, tmp_path / "b.SID_FEM")
    again = read_sid(tmp_path / "b.SID_FEM")
    assert_moments(moments_of_fields(body.inertia, body.mass), moments_of_fields(again.inertia, again.mass), 1e-12)
    for name in ("Ke", "De"):
        np.testing.assert_array_equal(getattr(again, name), getattr(body, name))
    assert again.mode_labels == body.mode_labels and again.name == body.name
    for old, new in zip(body.markers.values(), again.markers.values(), strict=True):
        for part in ("position", "Phi", "Psi", "Zu", "Zr"):
            np.testing.assert_array_equal(getattr(new, part), getattr(old, part), err_msg=part)
    assert again.warnings == ()


def test_what_the_format_cannot_hold_is_said(block, tmp_path):
    said = write_sid(block, tmp_path / "b.SID_FEM")
    assert any("'hinge' is node 1" in text for text in said) and any("first order" in text for text in said)


def test_every_number_of_a_file_is_kept(body, tmp_path):
    write_sid(body, tmp_path / "a.SID_FEM")
    data = read_sid_data(tmp_path / "a.SID_FEM")
    write_sid_data(data, tmp_path / "b.SID_FEM")
    assert (tmp_path / "a.SID_FEM").read_text() == (tmp_path / "b.SID_FEM").read_text()


def test_a_held_node_is_the_frame(blade, tmp_path):
    write_sid(blade, tmp_path / "b.SID_FEM")
    assert read_sid(tmp_path / "b.SID_FEM").attached_at == "1"


def without(text: str, part: str) -> str:
    head, _key, rest = text.partition(f"\n           {part}\n")
    return head + rest.partition(f"end {part}")[2]


def test_sources_of_the_same_integral_agree(blade, tmp_path):
    """Without Gr the integrals follow from Cr, Oe, Ge and Me, without Oe from J too; the motion stays the same."""
    write_sid(blade, tmp_path / "b.SID_FEM")
    text = (tmp_path / "b.SID_FEM").read_text()
    want = moments_of_fields(blade.inertia, blade.mass)
    for parts in (("Gr",), ("Gr", "Oe")):
        shorter = text
        for part in parts:
            shorter = without(shorter, part)
        (tmp_path / "c.SID_FEM").write_text(shorter)
        body = read_sid(tmp_path / "c.SID_FEM")
        got = moments_of_fields(body.inertia, body.mass)
        np.testing.assert_allclose(got.mode_position, want.mode_position, atol=1e-12 * abs(want.mode_position).max())
        np.testing.assert_allclose(body.Me, blade.Me, rtol=1e-9, atol=1e-9 * abs(blade.Me).max())
        assert any("directions x, y, z" in text for text in body.warnings)


def test_without_geometric_stiffness(blade, tmp_path):
    from dataclasses import replace

    stiff = replace(
        blade,
        pairs=blade.pairs[:0],
        quadratic=blade.quadratic[:0],
        quadratic_rotations=blade.quadratic_rotations[:0],
        inertia=replace(blade.inertia, Z=blade.inertia.Z[:0]),
        markers={k: replace(m, Zu=m.Zu[:0], Zr=m.Zr[:0]) for k, m in blade.markers.items()},
    )
    write_sid(stiff, tmp_path / "b.SID_FEM")
    body = read_sid(tmp_path / "b.SID_FEM")
    assert len(body.pairs) == 0 and any("does not stiffen" in text for text in body.warnings)
    (tmp_path / "c.SID_FEM").write_text(without((tmp_path / "b.SID_FEM").read_text(), "Gr"))
    again = moments_of_fields(read_sid(tmp_path / "c.SID_FEM").inertia, body.mass)
    assert_moments(moments_of_fields(stiff.inertia, stiff.mass), again, 1e-12)


SMALL = """    1    1    :No. nodes, No. modes:made by hand
 part
      new modal                                 = bar
           refmod
                mass                            = 2.00000000000D+00
                nelastq                         =    1
                ielastq (   1)                  = Eigen Mode    1 :       10.000 Hz
           end refmod
           frame
                new node                        =       7
                     rframe                     = body ref
                     origin
                          order                 =    1
                          nrow                  =    3
                          ncol                  =    1
                          nq                    =    1
                          nqn                   =    0
                          structure             =    3
                          m0( 1, 1)             = 1.00000000000D+00
                          m1( 2, 1, 1)          = 1.00000000000D+00
                     end origin
                     phi
                          order                 =    0
                          nrow                  =    3
                          ncol                  =    1
                          structure             =    3
                          m0( 2, 1)             = 1.00000000000D+00
                     end phi
                end node
           end frame
           mdCM
                          nrow                  =    3
                          ncol                  =    1
                          structure             =    0
           end mdCM
           J
                          nrow                  =    6
                          ncol                  =    1
                          structure             =    3
                          m0( 1, 1)             = 1.00000000000D+00
                          m0( 2, 1)             = 1.00000000000D+00
                          m0( 3, 1)             = 1.00000000000D+00
           end J
           Ct
                          nrow                  =    1
                          ncol                  =    3
                          structure             =    0
           end Ct
           Cr
                          nrow                  =    1
                          ncol                  =    3
                          structure             =    0
           end Cr
           Me
                          nrow                  =    1
                          ncol                  =    1
                          structure             =    4
           end Me
           Ke
                          nrow                  =    1
                          ncol                  =    1
                          structure             =    1
                          m0( 1, 1)             = 4.00000000000D+00
           end Ke
      end modal
 end part
"""


def test_a_file_of_other_tools(tmp_path):
    """Fortran exponents, a unit matrix that is not listed, no Gr, Ge, Oe, De."""
    (tmp_path / "bar.SID_FEM").write_text(SMALL)
    body = read_sid(tmp_path / "bar.SID_FEM")
    assert body.mass == 2.0 and list(body.markers) == ["7"] and body.mode_labels == ("Eigen Mode 1 : 10.000 Hz",)
    assert body.Me[0, 0] == pytest.approx(1.0, rel=1e-9) and body.frequencies[0] == pytest.approx(1.0 / np.pi)
    assert not body.markers["7"].has_rotation
    np.testing.assert_array_equal(body.markers["7"].Phi, [[0.0, 1.0, 0.0]])


@pytest.mark.parametrize(
    ("old", "new", "line", "what"),
    [
        ("nelastq                         =    1", "nelastq                         =    x", 6, "whole number"),
        ("nelastq                         =    1", "nelastq                         = 9999999", 6, "nelastq"),
        ("m0( 1, 1)             = 1.00000000000D+00", "m0( 1, 4)             = 1.0", 19, "outside"),
        ("m0( 1, 1)             = 1.00000000000D+00", "m0( 1, 1)             = nan", 19, "finite"),
        ("m0( 1, 1)             = 1.00000000000D+00", "m0( 1, 1)             = abc", 19, "not a number"),
        ("           mdCM\n", "           bogus\n", 31, "unknown 'bogus'"),
        (" end part\n", "", None, "the file ends within 'part'"),
        ("           J\n", "           mdCM\n", 36, "is repeated"),
        ("nrow                  =    6", "nrow                  =    5", 36, "5 x 1"),
        ("mass                            = 2.0", "mass                            = -2.0", None, "the mass is -2"),
        (" part\n", " port\n", 2, "expected 'part'"),
    ],
)
def test_bad_files_are_named_by_line(tmp_path, old, new, line, what):
    assert old in SMALL
    (tmp_path / "bad.SID_FEM").write_text(SMALL.replace(old, new, 1))
    with pytest.raises(BodyError, match=what) as caught:
        read_sid(tmp_path / "bad.SID_FEM")
    assert "bad.SID_FEM" in str(caught.value)
    if line:
        assert f"bad.SID_FEM:{line}:" in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\0\1\2", b"hello\nworld\n"])
def test_files_that_are_no_sid(tmp_path, content):
    (tmp_path / "bad.SID_FEM").write_bytes(content)
    with pytest.raises(BodyError, match="bad.SID_FEM"):
        read_sid(tmp_path / "bad.SID_FEM")


def test_inertia_of_no_body(tmp_path):
    text = SMALL.replace(
        "m0( 1, 1)             = 1.00000000000D+00\n                          m0( 2, 1)",
        "m0( 1, 1)             = 9.00000000000D+00\n                          m0( 2, 1)",
    )
    assert text != SMALL
    (tmp_path / "bad.SID_FEM").write_text(text)
    with pytest.raises(BodyError, match="sum of the other two"):
        read_sid(tmp_path / "bad.SID_FEM")


def as_other_writers_do(text: str) -> str:
    """nelastq counts all modes of the mesh, M1(i, j, k) has the mode last, J is a symmetric matrix."""
    text = re.sub(r"(nelastq\s*=).*", r"\1   40", text)
    text = re.sub(r"m1\(([^,]*),([^,]*),([^)]*)\)", r"m1(\1,\3,\2)", text)
    head, _key, rest = text.partition("\n           J\n")
    block, _key, rest = rest.partition("           end J")
    block = re.sub(r"nrow(\s*)=.*", r"nrow\1= 3", re.sub(r"ncol(\s*)=.*", r"ncol\1= 3", block))
    for row, (i, j) in reversed(list(enumerate(((1, 1), (2, 2), (3, 3), (1, 2), (1, 3), (2, 3)), start=1))):
        block = re.sub(rf"m0\(\s*{row},\s*1\)", f"m0 ({i}, {j})", block)
        block = re.sub(rf"m1\(\s*{row},\s*1,", f"m1 ({i}, {j},", block)
    block = re.sub(r"structure(\s*)=.*", r"structure\1= 2", block)
    return f"{head}\n           J\n{block}           end J{rest}"


def test_habits_of_other_writers_are_understood(body, tmp_path):
    write_sid(body, tmp_path / "a.SID_FEM")
    (tmp_path / "b.SID_FEM").write_text(as_other_writers_do((tmp_path / "a.SID_FEM").read_text()))
    first, second = read_sid_data(tmp_path / "a.SID_FEM"), read_sid_data(tmp_path / "b.SID_FEM")
    assert second.labels == first.labels and "nelastq is 40" in second.notes[-1]
    for name, part in first.parts.items():
        np.testing.assert_array_equal(second.parts[name].M0, part.M0, err_msg=name)
        np.testing.assert_array_equal(second.parts[name].M1, part.M1, err_msg=name)


def test_an_index_that_fits_no_order_is_an_error(body, tmp_path):
    write_sid(body, tmp_path / "a.SID_FEM")
    text = (tmp_path / "a.SID_FEM").read_text()
    (tmp_path / "b.SID_FEM").write_text(re.sub(r"m1\(([^,]*),([^,]*),([^)]*)\)", r"m1(\1, 99,\3)", text, count=1))
    with pytest.raises(BodyError, match=r"b.SID_FEM:\d+: .*99.* is outside"):
        read_sid_data(tmp_path / "b.SID_FEM")

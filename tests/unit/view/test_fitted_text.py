"""Titles are broken into lines that fit the picture."""

import numpy as np
import pytest

from flexmbs.view.colours import fitted, text_width
from flexmbs.view.opengl import RenderingUnavailable, prepare_offscreen


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("short", "short"),
        ("a title of words", "a title of\nwords"),
        ("first line\nand 2", "first line\nand 2"),
        ("abcdefghijklmnop", "abcdefghij\nklmnop"),
        ("a abcdefghijklmnop", "a\nabcdefghij\nklmnop"),
    ],
)
def test_lines_are_broken_at_blanks_and_long_words_anywhere(text, lines):
    assert fitted(text, 10, len) == lines


def test_a_long_title_is_inside_the_picture():
    try:
        prepare_offscreen()
    except RenderingUnavailable as error:
        pytest.skip(str(error))
    import pyvista

    plotter = pyvista.Plotter(off_screen=True, window_size=[400, 300])
    plotter.set_background("white")
    label = plotter.add_text(" ", position=(0.02, 0.98), viewport=True, font_size=13, color="black")
    label.GetTextProperty().SetVerticalJustificationToTop()
    label.input = fitted("A title that is far too long for one line of this small picture", 380, text_width(label))
    picture = plotter.screenshot(None, return_img=True)
    plotter.close()
    ink = np.flatnonzero((picture < 128).any(axis=(0, 2)))
    assert label.input.count("\n") == 1 and len(ink) > 100 and ink.max() < 398

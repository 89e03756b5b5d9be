"""Options of pictures: wrong ones are refused before work is done, with what would be right."""

import numpy as np
import pytest
import sliding_ball as ball
import swinging_bar as bar

from flexmbs import FlexmbsError, Result
from flexmbs.view.animate import check_view, fitting
from flexmbs.view.look import Look


@pytest.fixture(scope="module")
def result():
    return Result(bar.structure(), bar.trajectory())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"color": "von_mses"}, "unknown color 'von_mses'. Did you mean von_mises?"),
        ({"follow": "pendulm"}, "follow='pendulm': no such body. Did you mean pendulum?"),
        ({"hide": ("jonts",)}, "hide: nothing is called 'jonts'. Did you mean joints?"),
        ({"background": "purplish"}, "background is 'purplish'; it must be the name of a colour"),
        ({"color_map": "virids"}, "unknown color_map 'virids'. Did you mean viridis?"),
        ({"camera_position": (1.0, np.nan, 0.0)}, "camera_position is .*three finite numbers in m"),
        ({"camera_target": "pendulum"}, "camera_target is 'pendulum'; it must be three finite numbers"),
        ({"zoom": 0.0}, "zoom is 0.0; it must be a positive number"),
        ({"scale": "large"}, "scale is 'large'; it must be a finite number"),
        ({"camera": "front"}, "unknown camera 'front'; choose one of x, -x"),
        ({"start": 0.3, "end": 0.3}, "start 0.3 s is the end: nothing is between them"),
        ({"window_size": 640}, "window_size is 640"),
        ({"frames_per_second": 0}, "frames_per_second 0: both must be positive"),
    ],
)
def test_wrong_options_are_named(result, tmp_path, options, message):
    with pytest.raises(FlexmbsError, match=message):
        result.animate(tmp_path / "a.mp4", **options)
    assert not list(tmp_path.iterdir())


def test_stress_that_no_body_has(tmp_path):
    with pytest.raises(FlexmbsError, match="no stress, because all of its bodies are rigid. Add a body whose mesh"):
        ball.result().animate(tmp_path / "a.png", color="von_mises")


def test_files_that_exist_or_cannot_be_written(result, tmp_path):
    there = tmp_path / "film.mp4"
    there.write_text("mine")
    with pytest.raises(FlexmbsError, match=r"film\.mp4 exists: give force=True \(--force\)"):
        result.animate(there)
    with pytest.raises(FlexmbsError, match="cannot be written"):
        result.animate(there / "below.png")
    assert there.read_text() == "mine"


def test_options_of_a_case_are_checked_and_fitted_to_the_result():
    check_view({"color": "von_mises", "scale": 10.0, "camera": (0, 0, 1), "end": 0.1}, "VIEW")
    for wrong, message in (
        ({"colour": "von_mises"}, "VIEW: no option 'colour'. Did you mean color?"),
        ({"color": "stress"}, "VIEW: unknown color 'stress'"),
        ({"zoom": -1.0}, "VIEW: zoom is -1.0"),
        ("von_mises", "VIEW: expected options of Result.animate"),
    ):
        with pytest.raises(FlexmbsError, match=message):
            check_view(wrong, "VIEW")
    rolling = ball.result()
    view = {"color": "von_mises", "start": 0.1, "end": 1e3, "zoom": 2.0}
    assert fitting(rolling, view) == {"start": 0.1, "zoom": 2.0}


def test_letters_are_legible_on_any_background():
    for background in ("white", "#101418", "navy", "lightyellow"):
        look = Look(background=background)
        paper, ink = (np.array([int(c[k : k + 2], 16) for k in (1, 3, 5)]) for c in (look.paper, look.ink))
        assert abs(float((paper - ink) @ [0.3, 0.59, 0.11])) > 120.0
        assert look.tint(0.0) == look.paper and look.tint(1.0) == look.ink

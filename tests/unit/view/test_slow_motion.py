"""Time of films in slow motion: monotone, smooth, as slow as asked, and inverse to itself."""

import dataclasses
from unittest.mock import MagicMock

import numpy as np
import pytest
import sliding_ball as ball

from flexmbs import ContactRecord, FlexmbsError, Result
from flexmbs.view import animate
from flexmbs.view.scene import speed_text
from flexmbs.view.slow_motion import FilmTime, Impact, film_time

HITS = [Impact(0.3, 0.3 + 1e-5, 5.0), Impact(0.7, 0.702, 1.0)]


def two_hits(factors=(1000.0, 20.0)):
    return FilmTime(0.1, 1.1, 6.0, HITS, list(factors))


def test_time_of_the_run_grows_from_start_to_end():
    times = two_hits().frames(4001)
    assert times[0] == 0.1 and times[-1] == 1.1 and np.all(np.diff(times) > 0.0)


def test_run_and_film_are_inverse_to_each_other():
    film, seconds = two_hits(), np.linspace(0.0, 6.0, 301)
    assert film.film(film.run(seconds)) == pytest.approx(seconds, abs=1e-9)


def test_speed_is_the_derivative_and_changes_gradually():
    film, h = film_time(with_hits((0.4, 1.0), (0.7, 2.0)), 0.0, 1.0, 6.0, True), 1e-5
    seconds = np.linspace(0.01, 5.99, 1500)
    slope = (film.run(seconds + h) - film.run(seconds - h)) / (2.0 * h)
    speeds = np.array([film.speed(time) for time in film.run(seconds)])
    assert slope == pytest.approx(speeds, rel=1e-4)
    assert speeds.max() > 100.0 * speeds.min()
    assert np.abs(np.diff(np.log(speeds))).max() < np.log(2.0) / 10.0  # to a half in no less than 10 / 250 s


def test_a_factor_is_that_of_the_impact_to_the_rest():
    film = two_hits()
    far = film.speed(0.1)
    assert film.speed(0.3 + 5e-6) == pytest.approx(far / 1000.0, rel=0.03)  # tails of the hits change it a little
    assert film.speed(0.701) == pytest.approx(far / 20.0, rel=0.03)


def with_hits(*hits, lasting=1e-3):
    """The ball's result with hits (start, peak force) of 1 ms."""
    run = ball.trajectory()
    contacts = tuple(ContactRecord("floor", start, start + lasting, force, start, 1.0, 0.0, None, 0.0) for start, force in hits)
    none = {"contact_force": 0.0 * run.contact_force, "contact_push": 0.0 * run.contact_push}
    return Result(ball.structure(), dataclasses.replace(run, contacts=contacts, **none))


def test_impacts_get_their_part_of_the_film():
    film = film_time(with_hits((0.4, 1.0), (0.7, 2.0)), 0.0, 1.0, 6.0, True)
    even = 0.4 * 6.0  # what is left for a run at even speed
    assert 0.8 / even < film.speed(0.0) < 1.0 / even  # slowing down begins early
    shown = film.film(np.array([0.4, 0.401, 0.7, 0.701]))
    # of 60 % of the film half for each hit, of which it takes a quarter, slowing down and speeding up the rest
    assert np.diff(shown)[[0, 2]] == pytest.approx(0.3 * 6.0 / 4.0, rel=0.2)


def test_the_strongest_are_chosen_where_there_are_many():
    hits = [(0.05 + 0.03 * k, float(k % 7)) for k in range(28)]
    film = film_time(with_hits(*hits), 0.0, 1.0, 6.0, True)
    slow = [force for start, force in hits if film.speed(start + 5e-4) < 0.2 * film.speed(0.0)]
    assert slow == [6.0] * 4


def test_a_film_without_impacts_runs_evenly():
    film = film_time(with_hits(), 0.0, 1.0, 5.0, True)
    assert not film.stretched and film.frames(11) == pytest.approx(np.linspace(0.0, 1.0, 11))
    assert not film_time(with_hits((0.4, 1.0)), 0.5, 1.0, 5.0, True).stretched  # the hit is not in this part
    still = film_time(ball.result(), 0.3, 0.3, 5.0, True)
    assert np.all(still.frames(5) == 0.3)


def test_a_film_of_impulses_runs_evenly():
    assert not film_time(with_hits((0.4, 1.0), lasting=0.0), 0.0, 1.0, 6.0, True).stretched


def test_hits_that_follow_closely_are_one():
    film = film_time(with_hits((0.4, 1.0), (0.4015, 2.0)), 0.0, 1.0, 6.0, 50)
    assert film.speed(0.40125) == film.speed(0.4005)


@pytest.mark.parametrize("wrong", [0, 1.0, -5, float("nan"), float("inf"), "slow", (2, 3)])
def test_wrong_factors_are_named(wrong):
    with pytest.raises(FlexmbsError, match="slow_motion is .*must be True or a number above 1"):
        film_time(ball.result(), 0.0, 1.0, 6.0, wrong)


def test_wrong_duration_is_named():
    with pytest.raises(FlexmbsError, match="duration is 0.0 s"):
        film_time(ball.result(), 0.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("speed", "text"),
    [(1.0, "1"), (0.02, "1/50"), (1 / 3437.0, "1/3400"), (1 / 6.2, "1/6"), (3.24, "3.2 x"), (16.6, "17 x"), (0.0, "0")],
)
def test_text_of_a_speed(speed, text):
    assert speed_text(speed) == text


def test_the_window_plays_in_slow_motion(monkeypatch):
    """A fifth of a second of the clock is a fifth of a second of the film."""
    seconds, shown = iter(0.2 * np.arange(100)), []
    monkeypatch.setattr(animate.clock, "perf_counter", lambda: float(next(seconds)))
    scene = MagicMock()
    scene.show_time = lambda time, since, speed: shown.append((time, speed))
    film = two_hits()
    player = animate.Player(scene, film)
    player._slider = MagicMock()
    while player.playing:
        player.tick(0)
    times, speeds = np.array(shown).T
    assert film.film(times) == pytest.approx(np.minimum(0.2 * np.arange(1, len(times) + 1), 6.0), abs=1e-6)
    assert times[-1] == film.last and speeds == pytest.approx([film.speed(time) for time in times])


def test_frames_of_a_hit_of_microseconds_show_different_times():
    film = FilmTime(0.0, 1.0, 6.0, [Impact(0.3, 0.3 + 1e-6, 1.0)], [1e6])
    times = film.frames(150)
    assert len({f"{time:.{film.digits(150)}f}" for time in times}) == 150

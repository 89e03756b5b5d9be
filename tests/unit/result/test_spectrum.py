"""Spectra against closed forms: sines, a decaying oscillation, a rectangular pulse."""

import numpy as np
import pytest
import swinging_bar as bar

import flexmbs as fm
from flexmbs.result.spectrum import spectrum_of


def spectrum(function, end=1.0, steps=400, **options):
    return spectrum_of(function, "x", "m", np.linspace(0.0, end, steps), (0.0, end), **options)


def two_sines(t):
    return 0.3 + 2.0 * np.sin(2.0 * np.pi * 12.34 * t + 0.4) + 0.05 * np.cos(2.0 * np.pi * 47.9 * t)


@pytest.mark.parametrize("window", ["hann", "flattop", "blackmanharris"])
def test_amplitudes_and_frequencies_of_two_sines(window):
    """Neither has a whole number of periods in the window. Leakage of the larger one into the smaller: below 0.1 %."""
    found = spectrum(two_sines, taper=window)
    first, second = found.peaks[:2]
    near = {"hann": 0.05, "flattop": 0.5, "blackmanharris": 0.05}[window]  # Hz; the top of one is flat, as it is called
    assert (first.frequency, first.value) == (pytest.approx(12.34, abs=near), pytest.approx(2.0, rel=2e-3))
    assert (second.frequency, second.value) == (pytest.approx(47.9, abs=near), pytest.approx(0.05, rel=2e-2))
    assert len(found.peaks) == 2  # and no side lobes
    assert found.mean == pytest.approx(0.3, abs=0.05) and found.value_unit == "m"
    bandwidth = {"hann": 1.5, "flattop": 3.77, "blackmanharris": 2.0}[window]  # Heinzel, Rüdiger, Schilling (2002)
    assert found.resolution == pytest.approx(bandwidth, rel=5e-3)


def test_whole_periods_without_a_window_have_no_leakage():
    found = spectrum(lambda t: 1.5 * np.cos(2.0 * np.pi * 20.0 * t), taper="boxcar")
    lines = found.value[:: round(1.0 / found.frequency[1])]  # those of whole hertz
    assert lines[20] == pytest.approx(1.5, rel=1e-9)
    assert np.delete(lines, 20).max() < 1e-9


@pytest.mark.parametrize("segments", [1, 8])
def test_the_density_integrates_to_the_mean_square(segments):
    """A sum of many sines of random phases: Parseval, and the share of each band."""
    rng = np.random.default_rng(3)
    frequencies = np.arange(5.0, 95.0, 1.0)
    phases = rng.uniform(0.0, 2.0 * np.pi, len(frequencies))

    def noise(t):
        return np.sum(0.1 * np.cos(2.0 * np.pi * frequencies[:, None] * t + phases[:, None]), axis=0)

    found = spectrum(noise, end=20.0, steps=4000, kind="density", segments=segments)
    total = 0.5 * 0.1**2 * len(frequencies)
    assert found.rms() ** 2 == pytest.approx(total, rel=0.02) and found.value_unit == "m2/Hz"
    below = 0.5 * 0.1**2 * np.sum(frequencies < 40.5)
    assert found.rms(high=40.5) ** 2 == pytest.approx(below, rel=0.05)


def test_a_decaying_oscillation_has_its_line_width():
    """|X| = half of its peak at sqrt(3) times the decay rate beside it (damping far below critical)."""
    decay, own = 6.0, 2.0 * np.pi * 100.0
    found = spectrum(lambda t: np.exp(-decay * t) * np.sin(own * t), end=4.0, steps=4000, taper="boxcar")
    top = int(np.argmax(found.value))
    above = found.frequency[found.value > 0.5 * found.value[top]]
    assert found.frequency[top] == pytest.approx(100.0, abs=0.3)
    assert np.ptp(above) == pytest.approx(2.0 * np.sqrt(3.0) * decay / (2.0 * np.pi), rel=0.05)


def test_short_pulses_are_sampled_as_densely_as_they_need():
    """A half sine of 1 ms in 1 s, known at 20 steps: the zeros of its spectrum are at 1.5, 2.5, ... kHz."""

    def pulse(t):
        return np.where(np.abs(t - 0.5) < 5e-4, np.cos(np.pi * (t - 0.5) / 1e-3), 0.0)

    found = spectrum(pulse, steps=20, taper="boxcar")
    assert found.samples >= 2**14
    near = (found.frequency > 1300.0) & (found.frequency < 1700.0)
    assert found.frequency[near][np.argmin(found.value[near])] == pytest.approx(1500.0, abs=5.0)


def test_nothing_is_folded_back():
    """A sine far above what 4096 samples show: seen at its place, since the steps resolve it, not at an alias."""
    found = spectrum(lambda t: np.sin(2.0 * np.pi * 5000.3 * t), steps=60_000)
    assert found.peaks[0].frequency == pytest.approx(5000.3, abs=0.05)
    assert found.peaks[0].value == pytest.approx(1.0, rel=1e-3)


def test_what_is_cut_off_is_told():
    found = spectrum(two_sines, highest=30.0)
    share = 0.05**2 / (2.0**2 + 0.05**2)
    assert found.frequency[-1] <= 30.0 and found.share_above == pytest.approx(share, rel=0.02)


def test_jumps_have_no_end_of_their_spectrum():
    with pytest.warns(fm.ResultWarning, match="of its mean square above .* Hz, near the end of what 1048576 samples"):
        spectrum(lambda t: np.where(t * 3.0 % 1.0 < 0.5, 1.0, -1.0) + 0.0 * t)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"kind": "power"}, "kind is 'power'"),
        ({"taper": "none such"}, "no window 'none such' in scipy.signal"),
        ({"segments": 4}, 'averages over segments are for kind="density"'),
        ({"segments": 0, "kind": "density"}, "segments is 0"),
        ({"highest": 3.0}, "highest is 3.0; it must be a frequency of at least 8 Hz"),
    ],
)
def test_wrong_options(options, text):
    with pytest.raises(fm.FlexmbsError, match=text):
        spectrum(two_sines, **options)


@pytest.fixture(scope="module")
def result():
    return fm.Result(bar.structure(), bar.trajectory(steps=401, t_end=4.0))


def test_a_history_of_a_result_and_its_plot(result):
    """The first mode vibrates as 0.03 sin(BEND t)."""
    found = result.spectrum("pendulum.bending y 1", start=0.5)
    frequency = bar.BEND / (2.0 * np.pi)
    assert found.peaks[0].frequency == pytest.approx(frequency, abs=0.02)
    assert found.peaks[0].value == pytest.approx(0.03, rel=5e-3)
    assert (found.start, found.end) == (0.5, 4.0)
    figure = result.plot_spectrum("pendulum.bending y 1", "hinge.angle", start=0.5)
    axis = figure.axes[0]
    assert axis.get_ylabel() == "amplitude [mm]" and figure.axes[1].get_xlabel() == "frequency [Hz]"
    top = max(axis.lines[0].get_ydata())
    assert top == pytest.approx(30.0, rel=0.02)
    assert float(axis.texts[0].get_text().removesuffix(" Hz")) == pytest.approx(frequency, abs=0.02)
    assert "hann window from 0.5 to 4 s" in figure.get_supxlabel()


def test_a_density_is_plotted_over_decades(result):
    axis = result.plot_spectrum("pendulum.bending y 1", kind="density", highest=40.0).axes[0]
    assert axis.get_yscale() == "log" and axis.get_ylabel() == "power density [m²/Hz]"
    assert axis.get_xlim()[1] == pytest.approx(40.0, rel=0.02)


def test_many_coordinates_do_not_change_what_is_sampled(result, monkeypatch):
    whole = result.spectrum("hinge.angle").value
    monkeypatch.setattr("flexmbs.result.spectrum.AT_ONCE", 1)
    assert result.spectrum("hinge.angle").value == pytest.approx(whole, rel=1e-12, abs=1e-15)

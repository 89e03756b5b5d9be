"""Methods of a result that show it: plots, pictures, films, pages, reports, a window."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from flexmbs.result.report.report import write_report
from flexmbs.result.run_summary import RunSummary, read_summary
from flexmbs.result.spectrum import Spectrum, history_spectrum
from flexmbs.view.animate import OF_FILES, animate, fitting, show
from flexmbs.view.page.pages import result_page
from flexmbs.view.page.result_scene import ResultOptions
from flexmbs.view.plot_contacts import plot_contact, plot_contacts
from flexmbs.view.plot_planes import plot_phase_plane, plot_spectra
from flexmbs.view.plots import plot_histories

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class PictureMethods:
    """How :class:`flexmbs.Result` shows itself; it has the histories and the motion."""

    if TYPE_CHECKING:  # of the result
        about: RunSummary | Path
        names: tuple[str, ...]

        def _complete(self) -> None: ...

    def plot(self, *names: str, save: str | Path | None = None, **options: Any) -> Figure | None:
        """Plot histories against time, one panel per unit; returns the matplotlib figure, or writes it to ``save``.

        Options as in :func:`flexmbs.view.plots.plot_histories`: start, end, title, size, force, phases, contacts, ...
        """
        return plot_histories(self, names, save=save, **options)

    def plot_contacts(self, *names: str, save: str | Path | None = None, **options: Any) -> Figure | None:
        """A time-line of contacts (all, or those named), a bar from each start to its end, coloured by peak force.

        Options as in :func:`flexmbs.view.plot_contacts.plot_contacts`: start, end, title, size, force. Returns the
        matplotlib figure, or writes it to ``save``. FlexmbsError for an unknown name or without contacts.
        """
        return plot_contacts(self, names, save=save, **options)

    def spectrum(self, name: str, *, start: float | None = None, end: float | None = None, **options: Any) -> Spectrum:
        """One-sided spectrum of a history over a window of time (s; None: the whole run), sampled from the interpolant.

        ``kind``: "amplitude" (of sines, unit of the history) or "density" (power spectral density, unit^2/Hz);
        ``window``: of scipy.signal ("hann"); ``highest`` (Hz): cut off above; ``segments``: densities of so many
        overlapping parts are averaged (1). The mean is subtracted. The history is sampled more and more densely until
        nothing is folded back into the band; ResultWarning if 2^20 samples do not suffice. FlexmbsError for an unknown
        name or option or an empty window.
        """
        return history_spectrum(self, name, start, end, **options)

    def plot_spectrum(self, *names: str, save: str | Path | None = None, **options: Any) -> Figure | None:
        """Plot amplitudes or densities of histories over frequency, their largest peaks labelled, one panel per unit.

        Options as of :meth:`spectrum`, and those of :func:`flexmbs.view.plot_planes.plot_spectra`: log, peaks,
        title, size, force.
        """
        return plot_spectra(self, names, save=save, **options)

    def plot_phase(self, x: str, y: str | None = None, *, save: str | Path | None = None, **options: Any) -> Figure | None:
        """Plot a history over another one, coloured by time; ``y=None``: the rate of ``x`` (phase plane).

        Options as in :func:`flexmbs.view.plot_planes.plot_phase_plane`: start, end, degrees, title, size,
        force.
        """
        return plot_phase_plane(self, x, y, save=save, **options)

    def plot_contact(self, name: str, *, save: str | Path | None = None, **options: Any) -> Figure | None:
        """Plot one contact: force, gap and slip around its strongest impact, and force over depth.

        Options as in :func:`flexmbs.view.plot_contacts.plot_contact`: number, start, end, title, size,
        force.
        """
        return plot_contact(self, name, save=save, **options)

    @property
    def view(self) -> dict[str, Any]:
        """Options of pictures and films that the case of this result states in VIEW; others override them."""
        return fitting(self, self._stated.view)

    @property
    def _stated(self) -> RunSummary:
        """What the case states of this run; FlexmbsError if its summary is damaged."""
        return read_summary(self.about, "to show the result with default settings") if isinstance(self.about, Path) else self.about

    def animate(self, path: str | Path, **options: Any) -> Path:
        """Write an animation (.mp4, .gif) or picture (.png); options as in :func:`flexmbs.view.animate.animate`.

        Options that are not given are those of :attr:`view`.
        """
        return animate(self, path, **(self.view | options))

    def report(self, path: str | Path, *, title: str = "", force: bool = False) -> Path:
        """Write a report of this run to one .html page: model, figures, plots, pictures, energy, warnings, versions.

        Of a case with its parameters, figures and PLOTS. FlexmbsError if the file exists (without ``force``) or cannot be
        written.
        """
        self._complete()
        return write_report(self, path, title=title, summary=self._stated, force=force)

    def to_html(self, path: str | Path, **options: Any) -> Path:
        """Write one HTML page that shows the run in any browser, without network; returns its path.

        Options as in :func:`flexmbs.view.page.pages.result_page`; those not given are of :attr:`view`, ``histories`` of PLOTS.
        FlexmbsError for an impossible option, an unknown history, a file that exists without ``force``, or that cannot be
        written.
        """
        of_case = {name: value for name, value in self.view.items() if name in ResultOptions.__dataclass_fields__}
        return result_page(self, path, **(of_case | self._stated.page_options(self.names) | options))

    def show(self, **options: Any) -> None:
        """Open an interactive window; options as in :func:`flexmbs.view.animate.show`, or those of :attr:`view`."""
        show(self, **({name: value for name, value in self.view.items() if name not in OF_FILES} | options))

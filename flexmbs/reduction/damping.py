"""Modal damping: ratios of modes, ratios by frequency, Rayleigh, or that of materials."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError, BodyWarning
from flexmbs.common.names_in_messages import near_names
from flexmbs.common.user_warnings import warn
from flexmbs.fem.fe_model import FEModel
from flexmbs.fem.springs import SPRING_KINDS
from flexmbs.mesh.mesh import ElementBlock
from flexmbs.mesh.properties import Damping, ShellSection
from flexmbs.reduction.constrained_body import symmetric


@dataclass(frozen=True)
class DampingByFrequency:
    """Damping ratios of modes by their frequency, constant in each range (``reduce(damping=...)``).

    Attributes
    ----------
    ratios : pairs (frequency in Hz up to which the ratio holds, that frequency included; fraction of critical damping).
        Frequencies rise; the last one is infinite, so that every mode has a ratio.

    Raises
    ------
    BodyError : frequencies do not rise or do not end at infinity, or a ratio is negative or not finite.

    Example
    -------
    1 % up to 100 Hz, 10 % up to 1 kHz, critical damping above::

        DampingByFrequency(((100.0, 0.01), (1000.0, 0.1), (math.inf, 1.0)))
    """

    ratios: Sequence[tuple[float, float]]

    def __post_init__(self) -> None:
        try:
            pairs = tuple((float(limit), float(ratio)) for limit, ratio in self.ratios)
        except (TypeError, ValueError):
            raise BodyError(
                f"DampingByFrequency: ratios must be pairs (frequency in Hz, damping ratio), not {self.ratios!r}"
            ) from None
        object.__setattr__(self, "ratios", pairs)
        limits = [limit for limit, _ in pairs]
        if not all(low < high for low, high in zip([0.0, *limits], limits, strict=False)):
            raise BodyError(f"DampingByFrequency: frequencies must be positive (Hz) and rise, got {limits}")
        if not pairs or limits[-1] != math.inf:
            above = f"above {limits[-1]:g} Hz have no ratio" if pairs else "have no ratio"
            raise BodyError(f"DampingByFrequency: modes {above}; let the last frequency be math.inf")
        wrong = [f"{ratio:g}" for _, ratio in pairs if not (math.isfinite(ratio) and ratio >= 0.0)]
        if wrong:
            raise BodyError(f"DampingByFrequency: damping ratios must be finite and not negative, got {', '.join(wrong)}")

    def at(self, frequencies: np.ndarray) -> np.ndarray:
        """The damping ratios of modes with these ``frequencies`` (Hz), in the shape of ``frequencies``."""
        limits, values = np.array(self.ratios).T
        return values[np.searchsorted(limits, frequencies, side="left")]


#: Profiles that have a name. "adams": the default of Adams Flex for flexible bodies.
DAMPING_PROFILES = {"adams": DampingByFrequency(((100.0, 0.01), (1000.0, 0.1), (math.inf, 1.0)))}


@dataclass(frozen=True)
class Rayleigh:
    """D = alpha M + beta K; alpha in 1/s, beta in s."""

    alpha: float = 0.0
    beta: float = 0.0

    @classmethod
    def between(cls, first: tuple[float, float], second: tuple[float, float]) -> Rayleigh:
        """The one with two stated (frequency in Hz, ratio): zeta = alpha / (2 w) + beta w / 2; BodyError where there is none."""
        try:
            (f1, zeta1), (f2, zeta2) = first, second
            w = 2.0 * np.pi * np.array([f1, f2], dtype=float)
            alpha, beta = np.linalg.solve(0.5 * np.column_stack([1.0 / w, w]), np.array([zeta1, zeta2], dtype=float))
        except (TypeError, ValueError, np.linalg.LinAlgError):
            raise BodyError(
                f"Rayleigh.between: two different (frequency in Hz, ratio) are needed, not {first!r}, {second!r}"
            ) from None
        if not (np.all(w > 0.0) and alpha >= 0.0 and beta >= 0.0):
            raise BodyError(
                f"Rayleigh.between: {first!r}, {second!r} give alpha = {alpha:.3g} 1/s and beta = {beta:.3g} s; both must not be "
                "negative: the ratios may not be farther apart than the frequencies, which are positive"
            )
        return cls(float(alpha), float(beta))


#: What ``damping`` of ``reduce`` may be.
DampingChoice = float | Sequence[float] | Rayleigh | DampingByFrequency | str | None


def damping_matrix(
    damping: DampingChoice, fem: FEModel, fields: np.ndarray, omega: np.ndarray, Me: np.ndarray, Ke: np.ndarray
) -> np.ndarray:
    """De (n, n) of the modes ``fields`` (ndof, n): ``damping`` plus the dashpots of the mesh.

    ``damping``: None, a damping ratio, one ratio per mode (2 zeta omega Me), DampingByFrequency or the name of such a
    profile, Rayleigh, or "material".
    """
    is_material = isinstance(damping, str) and damping == "material"
    De = _material_damping(fem, fields, omega) if is_material else stated_damping(damping, omega, Me, Ke)
    return De if fem.damping is None else De + fields.T @ (fem.damping @ fields)


def _material_damping(fem: FEModel, fields: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """De from the material damping in the file.

    alpha M + beta K of the elements of each material; loss factors g by the modal strain energy method (C. D. Johnson
    and D. A. Kienholz, AIAA Journal 20, 1982): each mode gets half the mean of g, weighted with its strain energy, as
    damping ratio: 2 zeta omega Me = sum g phi^T K_g phi / omega.
    """
    parts = list(_damped_parts(fem))
    if not parts:
        raise BodyError(
            "damping = 'material': no material of the mesh has damping (Abaqus *DAMPING, Nastran GE, Ansys MP,DMPR, "
            "DMPS, ALPD or BETD); give a damping ratio or Rayleigh(alpha, beta)"
        )
    De = np.zeros((fields.shape[1], fields.shape[1]))
    for given, M, K in parts:
        _check("damping of a material: alpha (1/s), beta (s), loss factor", np.array([given.alpha, given.beta, given.structural]))
        Ke = fields.T @ (K @ fields)
        De += given.alpha * (fields.T @ (M @ fields)) + given.beta * Ke
        De += np.diag(given.structural * np.diag(Ke) / omega)
    return symmetric(De)


def stated_damping(damping: DampingChoice, omega: np.ndarray, Me: np.ndarray, Ke: np.ndarray) -> np.ndarray:
    """De (n, n) of what was stated, without material; ``omega`` (n,) rad/s, of the modes with Me and Ke."""
    n = len(omega)
    if damping is None:
        return np.zeros((n, n))
    if isinstance(damping, str):
        if damping not in DAMPING_PROFILES:
            known = near_names(damping, ["material", *DAMPING_PROFILES])
            raise BodyError(f"damping = {damping!r}: no such kind of damping. {known}")
        damping = DAMPING_PROFILES[damping]
    if isinstance(damping, DampingByFrequency):
        damping = damping.at(omega / (2.0 * np.pi))
    if isinstance(damping, Rayleigh):
        _check("damping: Rayleigh alpha (1/s) and beta (s)", np.array([damping.alpha, damping.beta]))
        return damping.alpha * Me + damping.beta * Ke
    try:
        ratios = np.asarray(damping, dtype=float)
    except (TypeError, ValueError):
        raise BodyError(
            "damping must be None, a ratio, one ratio per mode, Rayleigh(alpha, beta), DampingByFrequency(...), "
            f"'material' or the name of a profile, not {damping!r}"
        ) from None
    if ratios.ndim > 1 or (ratios.ndim == 1 and len(ratios) != n):
        raise BodyError(f"damping must be one ratio, or one for each of the {n} modes, not an array of shape {ratios.shape}")
    _check("damping ratio", ratios)
    doubt_ratios(ratios)
    return np.diag(2.0 * ratios * omega * np.diag(Me))


def doubt_ratios(ratios: float | np.ndarray) -> None:
    """Warn of damping ratios above the critical one, which are likely meant in percent."""
    largest = float(np.max(ratios, initial=0.0))
    if largest > 1.0:
        warn(f"damping ratio {largest:g}: that is {largest:g} times the critical damping; 2 % is 0.02", BodyWarning)


def _check(what: str, values: np.ndarray) -> None:
    if not np.all(np.isfinite(values)) or np.any(values < 0.0):
        raise BodyError(f"{what}: must be finite and not negative, got {values.tolist()}")


def _damped_parts(fem: FEModel) -> Iterator[tuple[Damping, sparse.csr_matrix, sparse.csr_matrix]]:
    """Each damping that materials state, with M and K of the elements that have it, by families.

    Springs have dashpots of their own, point masses none. BodyError for layers of one shell whose materials differ in damping.
    """
    for family in fem.families:
        stated = [_damping(block) for block in family.mesh.blocks]
        for damping in dict.fromkeys(found for found in stated if found is not None):
            chosen = np.array([other == damping for other in stated])
            M, K = (family.M, family.K) if chosen.all() else family.matrices_of(chosen)
            yield damping, fem.widened(family, M), fem.widened(family, K)


def _damping(block: ElementBlock) -> Damping | None:
    if block.kind in SPRING_KINDS:
        return None
    if not (isinstance(block.section, ShellSection) and block.section.layers):
        return getattr(block.material, "damping", None)
    found = dict.fromkeys(getattr(layer.material, "damping", None) for layer in block.section.layers)
    if len(found) > 1:
        raise BodyError(
            f"{block.where or block.property_name}: the layers of a shell have different damping; give all layers"
            " the same damping, or give modal damping ratios"
        )
    return next(iter(found))

"""What users are told about the size of a result, while it is small and when steps are left out."""

from __future__ import annotations

import numpy as np

from flexmbs.analysis.recording.row_thinning import VISIBLE, RowThinner
from flexmbs.analysis.recording.storage_options import Storage
from flexmbs.common.errors import ResultWarning
from flexmbs.common.progress import size_text
from flexmbs.common.user_warnings import warn

LARGE = 1e9  # bytes of a result without limit, of which a warning tells when it has grown to EARLY of them
EARLY = 0.05


class ResultSize:
    """Size of the result of a run, from the rows stored so far."""

    def __init__(self, thinner: RowThinner, storage: Storage) -> None:
        self.thinner, self.storage = thinner, storage
        self.told = False

    def stats(self) -> dict[str, float]:
        """Statistics of the run: tolerance within which steps were left out, relative to the range of a coordinate."""
        return {"storage_tolerance": self.thinner.largest_tolerance}

    def tell_of_growth(self, t: float) -> None:
        """ResultWarning, once, when a result without limit will be large, or steps are left out from now on."""
        if self.told:
            return
        if self.thinner.active:
            self.told = True
            whole = size_text(self.thinner.expected)
            warn(
                f"all steps of this run would make a result of about {whole}: from t = {t:.4g} s on, steps are left "
                "out that the interpolation between their neighbours reproduces, to keep it below storage_limit = "
                f"{size_text(self.storage.limit)}. For more or fewer steps give storage_limit, store_every or "
                "output_step",
                ResultWarning,
            )
        elif not np.isfinite(self.thinner.limit):
            expected = self.thinner.expected_bytes(t)
            if expected > LARGE and self.thinner.used > EARLY * LARGE:
                self.told = True
                warn(
                    f"the result of this run will take about {size_text(expected)} "
                    f"({self.thinner.row_bytes:.0f} bytes a step, {size_text(self.thinner.used)} until t = {t:.4g} s). "
                    "Give storage_limit (bytes), or a larger output_step or store_every, to store fewer steps",
                    ResultWarning,
                )

    def tell_of_loss(self) -> None:
        """ResultWarning if steps were left out that curves between the stored ones miss visibly, or the limit is."""
        thinner, limit = self.thinner, size_text(self.storage.limit)
        if thinner.largest_tolerance > VISIBLE:
            warn(
                f"storage_limit = {limit} holds too few steps of this run: between stored steps, curves may be off by "
                f"{thinner.largest_tolerance:.2g} of the range of a coordinate. Give a larger storage_limit",
                ResultWarning,
            )
        if thinner.used > 1.05 * thinner.limit:
            warn(
                f"the result takes {size_text(thinner.used)}, more than storage_limit = {limit}: the steps at events "
                "(contacts, samples of controllers) and at every radian that a ball joint turns are always stored",
                ResultWarning,
            )

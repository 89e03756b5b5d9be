"""Sensitivity of a figure to the parameters, by the method that the sample allows."""

from __future__ import annotations

from flexmbs.study.evaluation.sensitivity.designs import MorrisDesign, SobolDesign, morris_effects, sobol_indices
from flexmbs.study.evaluation.sensitivity.given_data import given_data_indices
from flexmbs.study.evaluation.sensitivity.sensitivities import Sensitivities
from flexmbs.study.evaluation.table import StudyTable


def sensitivity(table: StudyTable, response: str, design: SobolDesign | MorrisDesign | None = None) -> Sensitivities:
    """Indices of one figure.

    ``design``: of a sample made for Sobol indices or Morris' effects; without, indices that any sample gives.
    StudyError if the figure does not vary, has too few finite values, or SALib is missing.
    """
    if isinstance(design, SobolDesign):
        return sobol_indices(table, response, design)
    if isinstance(design, MorrisDesign):
        return morris_effects(table, response, design)
    return given_data_indices(table, response)

"""From a point of a study to the task of computing it: all values checked, and the key of the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from flexmbs.case.cases import Case, checked_parameters
from flexmbs.study.execution.messages import Task
from flexmbs.study.run_key import RunSpec, named_file_digests, run_key


def task_of(case: Case, spec: RunSpec, values: Mapping[str, object]) -> Task:
    """The task for one point; CaseError for values that the case does not take."""
    parameters = asdict(checked_parameters(case, {**spec.fixed, **values}))
    return Task(run_key(spec, parameters, named_file_digests(parameters, spec.directory)), parameters)

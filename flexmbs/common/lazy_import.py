"""Objects that are stated by name in a table and imported when they are first wanted.

Three tables do so: the public names (``flexmbs/__init__.py``), the readers of mesh files
(``flexmbs/mesh/read_mesh.py``) and the commands of the command line (``flexmbs/app/cli/main.py``). So do the methods
``to_html`` of bodies and meshes, which stand below what draws them, and what compiles functions of users, which needs
numba. What is never used is never loaded: ``import flexmbs`` and ``flexmbs --help`` start at once. Nothing else imports
by name, but the processes that compile (``flexmbs/machine_code/compile_worker.py``), which are told what.
"""

from __future__ import annotations

import importlib
from typing import Any


def load(reference: str) -> Any:
    """The object that ``reference``, "module:name", refers to."""
    module, _, name = reference.partition(":")
    return getattr(importlib.import_module(module), name)

"""How far bodies are assumed to deform where bounds of errors need an answer."""

from __future__ import annotations

import numpy as np

from flexmbs.reduction.flexible_body import FlexibleBody

#: Largest deflection that bounds of errors assume, relative to the size of the body: the default of ``SecondOrder``.
DEFLECTION = 0.3


def assumed_amplitudes(body: FlexibleBody) -> np.ndarray:
    """(n,) modal coordinates A_a, m; bounds hold while sum (q_a / A_a)^2 <= 1.

    For normal modes that is the strain energy of the first mode deflected by ``DEFLECTION`` of the body's size (the
    diagonal of its bounding box).  No mode is assumed to be deflected further.
    """
    reach = DEFLECTION * float(np.linalg.norm(np.ptp(body.points, axis=0)))
    root = np.sqrt(np.maximum(np.diag(body.Ke), 0.0))
    if len(root) == 0 or not root[0] > 0.0:
        return np.full(len(root), reach)
    return reach * root[0] / np.maximum(root, root[0])

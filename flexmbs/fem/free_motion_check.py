"""Whether a body is free to move as a rigid body, and what connects it to ground if not."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError
from flexmbs.common.names_in_messages import listed
from flexmbs.fem.fe_model import FEModel

# Relative: sums of stiffness entries of one sign and the other cancel to 1e-12 of them on real meshes.
_ROUNDING = 1e-8


def check_free_motion(model: FEModel, motions: np.ndarray) -> None:
    """BodyError that names the spring, equation or tie that resists rigid-body motion.

    Parameters
    ----------
    motions : (ndof, 6) of ``rigid_motions``
    """
    dependence = model.dependence
    if dependence is None:
        return
    off = np.abs(dependence.D @ motions[dependence.independent] - motions)
    off[np.diff(dependence.D.indptr) == 0] = 0.0  # components that nothing has
    wrong = np.flatnonzero((off > _ROUNDING * np.abs(motions).max(axis=0)).any(axis=1))
    if len(wrong):
        joints = dict.fromkeys(dependence.follower_rows(wrong).values())
        raise BodyError(
            f"{model.mesh.source or 'mesh'}: the body cannot move freely: rigid-body motion is restrained, or causes"
            f" strain, because of {listed(joints, 3)}; remove or correct it (a body is supported only at its"
            " interfaces)"
        )
    # springs and dashpots by name, however weak beside the body: moving with its frame they would hold it nowhere
    named = [name for part in model.parts for name in (*_names(part, "to_ground"), *_names(part, "not_rigid"))]
    if not named and not _resists(model.K, motions):
        return
    raise BodyError(
        f"{model.mesh.source or 'mesh'}: the body cannot move freely: rigid-body motion is restrained, or causes"
        f" strain, because of {listed(named, 3) if named else 'its elements'}; remove it (a body is supported only at"
        " its interfaces; state springs to ground in the System)"
    )


def _resists(K: sparse.csr_matrix, motions: np.ndarray) -> bool:
    return bool(np.any(np.abs(K @ motions).max(axis=0) > _ROUNDING * (abs(K) @ np.abs(motions)).max(axis=0)))


def _names(part: FEModel, attribute: str) -> tuple[str, ...]:
    return getattr(part, attribute, ())

"""Contact patches: how a body yields where it is touched, beyond what its modes show.

The residual flexibility of a patch is the part of its static deflection under a unit load that the modes miss. As an
attachment mode it vibrates, at a frequency far above that of the modes. With massless boundary it has no inertia: it
balances the contact force at every instant.

Sources: R. H. MacNeal, A hybrid method of component mode synthesis, Computers & Structures 1 (1971); C. D.
Monjaraz-Tec, J. Gross and M. Krack, A massless boundary component mode synthesis method for elastodynamic contact
problems, Computers & Structures 260 (2022); F. Gehr et al. (2022), the same measured on a sphere that hits a beam.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError
from flexmbs.common.names_in_messages import near_names
from flexmbs.reduction.basis_advice import MOTIONS
from flexmbs.reduction.constrained_body import ConstrainedProblem
from flexmbs.reduction.flexible_body import InertiaFields, PointFields
from flexmbs.reduction.interface import Attachment
from flexmbs.reduction.options import CraigBampton, ModeChoice

KINDS = ("plain", "attachment", "massless")
# Of the strain energy under a unit load: a smaller residual is rounding of the modes' own flexibility.
DEPENDENT = 1e-10


@dataclass(frozen=True)
class ContactPatch:
    """How an interface yields under contact forces (``reduce(contact_patches={"tip": ContactPatch("massless")})``).

    Attributes
    ----------
    kind : "massless": the residual flexibility of the patch without inertia, solved with the contact at every instant;
        "attachment": the static response with its inertia, one more mode; "plain": the modes alone
    directions : "x", "y", "z", "rot x", "rot y", "rot z" (mesh axes), or (x, y, z) of a force: loads on the marker
    """

    kind: str = "massless"
    directions: Sequence[str | tuple[float, float, float]] = ("x", "y", "z")

    def check(self, where: str) -> None:
        """Raise BodyError unless kind and directions are valid."""
        if self.kind not in KINDS:
            raise BodyError(f"{where}: kind must be {', '.join(map(repr, KINDS))}, not {self.kind!r}")
        if not len(self.directions) or isinstance(self.directions, str):
            raise BodyError(f'{where}: directions must be a list such as ("x", "y", "z"), not {self.directions!r}')
        self.loads(where)

    def loads(self, where: str) -> np.ndarray:
        """(6, k) forces and moments on the marker, mesh axes, of unit size."""
        return np.column_stack([_direction(given, where) for given in self.directions])

    @property
    def names(self) -> tuple[str, ...]:
        """A name of each direction."""
        return tuple(given if isinstance(given, str) else str(tuple(given)) for given in self.directions)


def _direction(given, where: str) -> np.ndarray:
    if isinstance(given, str):
        if given not in MOTIONS:
            raise BodyError(f"{where}: direction {given!r} is none of {', '.join(MOTIONS)}; or give (x, y, z)")
        return np.eye(6)[MOTIONS.index(given)]
    force = np.asarray(given, dtype=float)
    length = np.linalg.norm(force) if force.shape == (3,) else np.nan
    if not (np.isfinite(length) and length > 0.0):
        raise BodyError(f"{where}: a direction must be a name or (x, y, z) other than zero, not {given!r}")
    return np.concatenate([force / length, np.zeros(3)])


def checked_patches(
    patches: Mapping[str, ContactPatch] | None, interfaces: Mapping[str, object], modes: ModeChoice
) -> dict[str, ContactPatch]:
    """The contact patches, after checking them and their names against the interfaces."""
    found = dict(patches or {})
    for name, patch in found.items():
        where = f"contact patch '{name}'"
        if not isinstance(patch, ContactPatch):
            raise BodyError(f"{where}: must be a ContactPatch, not {patch!r}")
        patch.check(where)
        if name not in interfaces:
            raise BodyError(f"{where}: no such interface. {near_names(name, interfaces)}")
        if name == modes.frame:
            raise BodyError(f"{where}: the interface holds the frame of the body, so it does not yield")
        if patch.kind == "massless" and isinstance(modes, CraigBampton) and name in (modes.keep or ()):
            raise BodyError(f"{where}: a massless patch has no inertia, so its interface cannot be in keep as well")
    return found


def with_patches(modes: ModeChoice, patches: Mapping[str, ContactPatch], interfaces: Mapping[str, object]) -> ModeChoice:
    """``modes`` as the patches need them: Craig and Bampton's constraint modes of all interfaces but massless ones."""
    massless = [name for name, patch in patches.items() if patch.kind == "massless"]
    if not massless or not isinstance(modes, CraigBampton) or modes.keep is not None:
        return modes
    return replace(modes, keep=tuple(name for name in interfaces if name not in (modes.at, *massless)))


def attachment_loads(fem, attached: Mapping[str, Attachment], patches: Mapping[str, ContactPatch]) -> sparse.csc_matrix:
    """(ndof, k) unit loads of the patches with attachment modes, for ``static_modes.basis``."""
    chosen = {name: patch for name, patch in patches.items() if patch.kind == "attachment"}
    loads = [_loads(attached[name], name, patch) for name, patch in chosen.items()]
    return sparse.hstack([sparse.csc_matrix((fem.ndof, 0)), *loads]).tocsc()


def _loads(attachment: Attachment, name: str, patch: ContactPatch) -> sparse.csc_matrix:
    """(ndof, k) nodal forces of unit loads on the marker."""
    where = f"contact patch '{name}'"
    loads = patch.loads(where)
    if not attachment.has_rotation and np.any(loads[3:]):
        raise BodyError(f"{where}: its nodes determine no rotation, so it takes no moment; leave out 'rot ...'")
    return sparse.csc_matrix(attachment.operator.T @ sparse.csc_matrix(loads))


@dataclass(frozen=True)
class MasslessModes:
    """Residual flexibility: fields (ndof, k), orthogonal in stiffness to all modes and each other; a name of each.

    Fields are scaled to 1 m (1 rad) at their own patch along its load. ``omega`` (k,) rad/s: what they would vibrate at
    with their inertia; ``patches``: which interface each belongs to.
    """

    fields: np.ndarray
    names: tuple[str, ...]
    omega: np.ndarray
    patches: tuple[str, ...]


def residual_flexibility(
    fem,
    T: sparse.csr_matrix,
    problem: ConstrainedProblem,
    attached: Mapping[str, Attachment],
    patches: Mapping[str, ContactPatch],
    modes: np.ndarray,
) -> MasslessModes:
    """What ``modes`` (ndof, n) miss of the responses to unit loads on the massless patches."""
    fields, names, stiffness, at = [], [], [], []
    modal = np.einsum("ia,ia->a", modes, fem.K @ modes)
    for name, patch in patches.items():
        if patch.kind != "massless":
            continue
        loads = _loads(attached[name], name, patch)
        responses = T @ problem.solve((T.T @ loads).toarray())
        for direction, load, response in zip(patch.names, loads.toarray().T, responses.T, strict=True):
            whole, rest = float(load @ response), response
            for _ in range(2):  # twice: the second removes the rounding of the first
                rest = rest - modes @ ((modes.T @ (fem.K @ rest)) / modal)
                for other, k in zip(fields, stiffness, strict=True):
                    rest = rest - other * (other @ (fem.K @ rest) / k)
            energy = float(rest @ (fem.K @ rest))
            if not energy > DEPENDENT * whole:
                continue
            rest = rest / float(load @ rest)
            fields.append(rest)
            names.append(f"{name} {direction} (massless)")
            stiffness.append(float(rest @ (fem.K @ rest)))
            at.append(name)
    columns = np.column_stack(fields) if fields else np.zeros((fem.K.shape[0], 0))
    mass = np.einsum("ia,ia->a", columns, fem.M @ columns)
    return MasslessModes(columns, tuple(names), np.sqrt(np.array(stiffness) / mass), tuple(at))


def without_inertia(inertia: InertiaFields, count: int) -> InertiaFields:
    """Inertia in which the last ``count`` modes have no part."""
    if count == 0:
        return inertia
    P = inertia.P.copy()
    P[-count:] = 0.0
    return replace(inertia, P=P)


def at_their_patches(markers: Mapping[str, PointFields], massless: MasslessModes) -> dict[str, PointFields]:
    """Markers that move with massless modes only if they are contact patches themselves.

    Joints at other interfaces would be carried along without velocity, which costs energy.
    """
    count, patches = len(massless.names), set(massless.patches)

    def fixed(fields: np.ndarray) -> np.ndarray:
        return np.concatenate([fields[: len(fields) - count], np.zeros((count, 3))])

    return {
        name: marker if not count or name in patches else replace(marker, Phi=fixed(marker.Phi), Psi=fixed(marker.Psi))
        for name, marker in markers.items()
    }

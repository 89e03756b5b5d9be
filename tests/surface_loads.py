"""Consistent loads of pressure on faces and of traction on edges, and static solutions, for the tests."""

import numpy as np
from scipy.sparse.linalg import spsolve

from flexmbs.mesh import quadrature as gauss
from flexmbs.mesh.element_kinds import KINDS, faces_of, shape_gradients, shape_values

_LINE = dict(zip(("points", "weights"), np.polynomial.legendre.leggauss(4), strict=True))


def faces_where(mesh, chosen):
    """{kind: (m, n) nodes} of the faces of solids all of whose nodes are ``chosen`` (nn,) bool."""
    found = {}
    for block in mesh.blocks:
        for kind, local in faces_of(block.kind):
            nodes = block.nodes[:, list(local)]
            found.setdefault(kind, []).append(nodes[chosen[nodes].all(axis=1)])
    return {kind: np.concatenate(parts) for kind, parts in found.items()}


def pressure_loads(points, faces, pressure):
    """(nn, 3) N of a pressure (Pa) against faces {kind: nodes}, which point outward."""
    loads = np.zeros((len(points), 3))
    for kind, nodes in faces.items():
        xi, weights = gauss.simplex(4, 2) if kind.startswith("tri") else gauss.cube(3, 2)
        values, gradients = shape_values(KINDS[kind], xi), shape_gradients(KINDS[kind], xi)
        tangents = np.einsum("gna,fnk->fgak", gradients, points[nodes])
        normal = np.cross(tangents[:, :, 0], tangents[:, :, 1])
        np.add.at(loads, nodes, -pressure * np.einsum("g,gn,fgk->fnk", weights, values, normal))
    return loads


def edge_loads(points, line, second_order, traction):
    """(nn, 3) N of ``traction`` (x (m, 3), normal (m, 3)) -> (m, 3) N/m along a row of nodes, elements end to end.

    The normal lies in the x-y plane, to the right of the row's direction.
    """
    step, kind = (2, KINDS["truss3"]) if second_order else (1, KINDS["truss2"])
    nodes = np.stack([line[:-step:step], line[step::step], *([line[1::2]] if second_order else [])], axis=1)
    xi = _LINE["points"][:, None]
    values, gradients = shape_values(kind, xi), shape_gradients(kind, xi)[:, :, 0]
    place = np.einsum("gn,fnk->fgk", values, points[nodes])
    tangent = np.einsum("gn,fnk->fgk", gradients, points[nodes])
    length = np.linalg.norm(tangent, axis=2)
    normal = np.cross(tangent / length[..., None], [0.0, 0.0, 1.0])
    force = traction(place.reshape(-1, 3), normal.reshape(-1, 3)).reshape(place.shape)
    loads = np.zeros((len(points), 3))
    np.add.at(loads, nodes, np.einsum("g,gn,fg,fgk->fnk", _LINE["weights"], values, length, force))
    return loads


def static(model, held, loads):
    """(ndof,) displacement under ``loads`` (nn, 3) N with the components ``held`` (nn, dofs) bool at zero."""
    whole = np.zeros((len(loads), model.dofs_per_node))
    whole[:, :3] = loads
    free, found = np.flatnonzero(~held.ravel()), np.zeros(model.ndof)
    found[free] = spsolve(model.K[free][:, free].tocsc(), whole.ravel()[free])
    return found

"""Meshes of shells that the tests share."""

import numpy as np
from scipy.sparse.linalg import spsolve

from flexmbs.mesh.materials import Material
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.properties import ShellSection

KINDS = ("quad4", "tri3")


def sheet(kind, divisions, place, thickness=0.01, material=None, distort=0.0, section=None, **block):
    """A mapped square: ``place`` (s, t) -> (x, y, z) for s, t in 0..1. Returns the mesh and its grid of nodes."""
    nx, ny = divisions
    s, t = (a.copy() for a in np.meshgrid(np.linspace(0, 1, nx + 1), np.linspace(0, 1, ny + 1), indexing="ij"))
    random = np.random.default_rng(2)
    for a, n in ((s, nx), (t, ny)):
        a[1:-1, 1:-1] += distort / n * random.uniform(-1, 1, (nx - 1, ny - 1))
    points = np.stack(np.broadcast_arrays(*place(s, t)), axis=-1).reshape(-1, 3)
    grid = np.arange((nx + 1) * (ny + 1)).reshape(nx + 1, ny + 1)
    cells = np.stack([grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]], axis=-1).reshape(-1, 4)
    if kind == "tri3":
        cells = np.concatenate([cells[:, [0, 1, 2]], cells[:, [0, 2, 3]]])
    material = material or Material("steel", 210e9, 0.3, 7850.0)
    elements = ElementBlock(
        kind, np.arange(len(cells)) + 1, cells, material, section or ShellSection(thickness), **block
    )
    return Mesh(points, np.arange(len(points)) + 1, (elements,), source=f"{kind} sheet"), grid


def flat(length=1.0, width=1.0):
    return lambda s, t: (length * s, width * (t - 0.5), 0 * s)


def bowl(s, t):
    """Curved twice and warped."""
    return s, t, 0.2 * s * t + 0.1 * s**2


def dofs(nodes, components):
    return (6 * np.asarray(nodes).ravel()[:, None] + np.asarray(components)).ravel()


def solved(model, held, load):
    free = np.setdiff1d(np.arange(model.ndof), held)
    u = np.zeros(model.ndof)
    u[free] = spsolve(model.K[free][:, free].tocsc(), load[free])
    return u


def along_edge(model, nodes, component, total):
    """A load spread evenly over the nodes of an edge."""
    load, share = np.zeros(model.ndof), np.ones(len(nodes))
    share[[0, -1]] = 0.5
    load[6 * nodes + component] = total * share / share.sum()
    return load

"""Meshes of shells that the tests share."""

import numpy as np
from scipy.sparse.linalg import spsolve

from flexmbs import ElementBlock, Material, Mesh, ShellSection

KINDS = ("quad4", "tri3", "quad8", "tri6", "quad9")


def sheet(kind, divisions, place, thickness=0.01, material=None, distort=0.0, section=None, **block):
    """A mapped square: ``place`` (s, t) -> (x, y, z) for s, t in 0..1, ``divisions`` elements (pairs of triangles) each
    way. Returns the mesh and its grid of nodes, every second one a middle node in second-order kinds; in the middles of
    quad8 there is none, and the grid has -1. Elements that ``distort`` turns have straight sides in the square."""
    step = 1 if kind in ("quad4", "tri3") else 2
    s, t = _places(divisions, step, distort)
    if kind == "tri6":  # in the middle of the side between two triangles
        for a in (s, t):
            a[1::2, 1::2] = 0.5 * (a[:-1:2, :-1:2] + a[2::2, 2::2])
    points = np.stack(np.broadcast_arrays(*place(s, t)), axis=-1).reshape(-1, 3)
    grid = np.arange(s.size).reshape(s.shape)
    corners = grid[::step, ::step]
    cells = np.stack([corners[:-1, :-1], corners[1:, :-1], corners[1:, 1:], corners[:-1, 1:]], axis=-1).reshape(-1, 4)
    if kind.startswith("tri"):
        cells = np.concatenate([cells[:, [0, 1, 2]], cells[:, [0, 2, 3]]])
    if step == 2:
        row, column = cells // grid.shape[1], cells % grid.shape[1]
        after = np.roll(np.arange(cells.shape[1]), -1)
        middles = (row + row[:, after]) // 2 * grid.shape[1] + (column + column[:, after]) // 2
        centers = (row[:, [0]] + row[:, [2]]) // 2 * grid.shape[1] + (column[:, [0]] + column[:, [2]]) // 2
        cells = np.concatenate([cells, middles, *([centers] if kind == "quad9" else [])], axis=1)
    used = np.zeros(s.size, bool)
    used[cells] = True
    number = np.where(used, np.cumsum(used) - 1, -1)
    material = material or Material("steel", 210e9, 0.3, 7850.0)
    elements = ElementBlock(kind, np.arange(len(cells)) + 1, number[cells], material, section or ShellSection(thickness), **block)
    points = points[used]
    return Mesh(points, np.arange(len(points)) + 1, (elements,), source=f"{kind} sheet"), number[grid]


def _places(divisions, step, distort):
    """(s, t) of the grid; inner corners moved at random, what lies between them halfway."""
    nx, ny = divisions
    random = np.random.default_rng(2)
    s, t = (a.copy() for a in np.meshgrid(np.linspace(0, 1, nx + 1), np.linspace(0, 1, ny + 1), indexing="ij"))
    for a, n in ((s, nx), (t, ny)):
        a[1:-1, 1:-1] += distort / n * random.uniform(-1, 1, (nx - 1, ny - 1))
    return (s, t) if step == 1 else (_halved(s), _halved(t))


def _halved(a):
    for axis in (0, 1):
        a = np.moveaxis(a, axis, 0)
        fine = np.empty((2 * len(a) - 1, a.shape[1]))
        fine[::2], fine[1::2] = a, 0.5 * (a[1:] + a[:-1])
        a = np.moveaxis(fine, 0, axis)
    return a


def flat(length=1.0, width=1.0):
    return lambda s, t: (length * s, width * (t - 0.5), 0 * s)


def bowl(s, t):
    """Curved twice and warped."""
    return s, t, 0.2 * s * t + 0.1 * s**2


def dofs(nodes, components):
    nodes = np.asarray(nodes).ravel()
    return (6 * nodes[nodes >= 0, None] + np.asarray(components)).ravel()


def solved(model, held, load):
    free = np.setdiff1d(np.arange(model.ndof), held)
    u = np.zeros(model.ndof)
    u[free] = spsolve(model.K[free][:, free].tocsc(), load[free])
    return u


def along_edge(model, nodes, component, total):
    """A load spread evenly over an edge: consistent with linear or quadratic displacement along it."""
    load = np.zeros(model.ndof)
    if model.mesh.blocks[0].kind in ("quad4", "tri3"):
        share = np.ones(len(nodes))
        share[[0, -1]] = 0.5
    else:
        share = np.where(np.arange(len(nodes)) % 2, 4.0, 2.0)
        share[[0, -1]] = 1.0
    load[6 * nodes + component] = total * share / share.sum()
    return load

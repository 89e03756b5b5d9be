"""Rigid bodies from simple shapes and from meshes."""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs import box_mesh

STEEL = fm.Material("steel", 210e9, 0.3, 7850.0)


def test_box_from_its_mesh():
    shape, mesh = fm.RigidBody.box(7850.0, (0.3, 0.2, 0.1)), box_mesh((0.3, 0.2, 0.1), (3, 2, 1), STEEL)
    body = fm.RigidBody.from_mesh(mesh)
    # quadratic elements integrate a block exactly
    assert body.mass == pytest.approx(shape.mass, rel=1e-12)
    assert body.center == pytest.approx([0.15, 0.1, 0.05], rel=1e-12)
    assert np.abs(body.inertia - shape.inertia).max() < 1e-12 * shape.inertia.max()
    assert fm.RigidBody.from_mesh(mesh, density=1000.0).mass == pytest.approx(6.0, rel=1e-12)


def test_cylinder_and_sphere_by_sampling():
    rng = np.random.default_rng(0)
    points = rng.uniform(-1.0, 1.0, size=(400_000, 3))
    ball = points[np.linalg.norm(points, axis=1) < 1.0]
    tube = points[np.linalg.norm(points[:, 1:], axis=1) < 1.0] * [0.5, 1.0, 1.0]
    for body, sample in ((fm.RigidBody.sphere(2.0, 1.0), ball), (fm.RigidBody.cylinder(2.0, 1.0, 1.0), tube)):
        moments = np.cov(sample.T)
        # 200,000 samples and more: 1 %
        assert body.second_moment / body.mass == pytest.approx(moments, abs=0.01 * np.abs(moments).max())

"""The picture of a mesh: the body is there, its sets are in their colours, on the side where they are."""

from dataclasses import replace

import numpy as np
import pytest

from flexmbs import Coupling, FlexmbsError, Material, MeshSurface, box_mesh, line_mesh, rectangle
from flexmbs.view import opengl as gl

STEEL = Material("STEEL", 210e9, 0.3, 7850.0)


@pytest.fixture(autouse=True, scope="module")
def rendering():
    try:
        gl.prepare_offscreen()
    except gl.RenderingUnavailable as error:
        pytest.skip(str(error))


def picture(mesh, tmp_path, sets=()):
    import imageio.v2 as imageio

    from flexmbs.view.mesh_picture import save_mesh

    pixels = imageio.imread(save_mesh(mesh, tmp_path / "folder" / "mesh.png", sets))[..., :3].astype(int)
    return pixels


def reddish(pixels):
    return (pixels[..., 0] > pixels[..., 1] + 80) & (pixels[..., 0] > pixels[..., 2] + 80)


def bluish(pixels):
    return (pixels[..., 2] > pixels[..., 1] + 60) & (pixels[..., 2] > pixels[..., 0] + 60)


def test_sets_of_a_solid(tmp_path):
    box = box_mesh((1.0, 0.2, 0.1), (8, 3, 2), STEEL, "hex20")
    last = box.blocks[0].nodes[-6:]
    mesh = replace(box, surfaces={"TIP": MeshSurface({"quad8": last[:, [1, 2, 6, 5, 9, 18, 13, 17]]})})
    mesh = replace(mesh, couplings=(Coupling("C", "rigid", 0, box.node_sets["ROOT"]),))
    pixels = picture(mesh, tmp_path)
    body = (np.ptp(pixels, axis=2) < 30) & (pixels.sum(axis=2) < 720)
    assert body[200:].mean() > 0.05
    red, blue = np.argwhere(reddish(pixels)[150:]), np.argwhere(bluish(pixels)[150:700])
    assert len(red) > 50 and len(blue) > 1000  # points of ROOT, the face TIP
    # The view is along (-1, -1, -1): x runs to the lower left, so TIP is left of ROOT.
    assert np.median(blue[:, 1]) < np.median(red[:, 1]) - 300


def test_only_the_sets_asked_for(tmp_path):
    box = box_mesh((1.0, 0.2, 0.1), (8, 3, 2), STEEL, "hex8")
    pixels = picture(box, tmp_path, sets=["TIP"])
    assert reddish(pixels)[150:, 640:].sum() == 0 < reddish(pixels)[150:, :640].sum()
    with pytest.raises(FlexmbsError, match="no node set TOP. .*ROOT"):
        picture(box, tmp_path, sets=["TOP"])


def test_beams_are_lines(tmp_path):
    pixels = picture(line_mesh(1.0, 4, rectangle(0.02, 0.01), STEEL), tmp_path)
    assert (pixels[200:].sum(axis=2) < 600).sum() > 1000


def test_other_endings_are_refused(tmp_path):
    from flexmbs.view.mesh_picture import save_mesh

    with pytest.raises(FlexmbsError, match="must end in .png"):
        save_mesh(box_mesh((1, 1, 1), (1, 1, 1)), tmp_path / "mesh.mp4")


def test_sets_that_cannot_be_told_apart_are_not_painted_unless_they_are_named():
    from flexmbs.view.mesh_picture import chosen_sets

    box = box_mesh((1.0, 0.2, 0.1), (8, 3, 2), STEEL, "hex8")
    few = {f"face {k}": np.arange(k, k + 4) for k in range(12)}
    assert chosen_sets(replace(box, node_sets=few), ()) == list(few)
    many = few | {"face 12": np.arange(4)}
    assert chosen_sets(replace(box, node_sets=many), ()) == [] and chosen_sets(replace(box, node_sets=many), "face 12") == [
        "face 12"
    ]

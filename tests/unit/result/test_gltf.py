"""Animated glTF files: what their numbers say is where the result has its points; the validator finds nothing."""

import json
import shutil
import struct
import subprocess

import exported_run
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fm

COUNT = 41
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}
KINDS = {5126: "<f4", 5125: "<u4", 5123: "<u2"}
VALIDATE = """
const validator = require('gltf-validator'), fs = require('fs');
const bytes = new Uint8Array(fs.readFileSync(process.argv[1]));
validator.validateBytes(bytes).then(report => console.log(JSON.stringify(report.issues)));
"""


@pytest.fixture(scope="module")
def result():
    return exported_run.result()


@pytest.fixture(scope="module")
def report(result, tmp_path_factory):
    return result.to_gltf(tmp_path_factory.mktemp("gltf") / "a.glb", times=COUNT)


class Document:
    """A .glb file, read by its specification."""

    def __init__(self, path):
        data = path.read_bytes()
        magic, version, length = struct.unpack_from("<4sII", data)
        assert (magic, version, length) == (b"glTF", 2, len(data))
        size, kind = struct.unpack_from("<I4s", data, 12)
        self.json, start = json.loads(data[20 : 20 + size]), 20 + size + 8
        assert kind == b"JSON" and struct.unpack_from("<I4s", data, 20 + size) == (len(data) - start, b"BIN\0")
        self.binary = data[start:]

    def array(self, accessor):
        entry = self.json["accessors"][accessor]
        view, width = self.json["bufferViews"][entry["bufferView"]], WIDTHS[entry["type"]]
        found = np.frombuffer(self.binary, KINDS[entry["componentType"]], entry["count"] * width, view["byteOffset"])
        return found if width == 1 else found.reshape(-1, width)

    def node(self, name):
        (found,) = (i for i, node in enumerate(self.json["nodes"]) if node["name"] == name)
        return found

    def track(self, node, path, times):
        """Values of an animated property at the key frames; of one that stands still, that of the node."""
        (animation,) = self.json["animations"]
        for channel in animation["channels"]:
            if channel["target"] == {"node": node, "path": path}:
                sampler = animation["samplers"][channel["sampler"]]
                assert len(self.array(sampler["input"])) == times
                return self.array(sampler["output"]).reshape(times, -1).astype(float)
        return np.tile(np.asarray(self.json["nodes"][node][path], dtype=float), (times, 1))

    def points(self, name, frame, times):
        """Positions of the vertices of a node in the world before it is turned upright."""
        node = self.node(name)
        (primitive,) = self.json["meshes"][self.json["nodes"][node]["mesh"]]["primitives"]
        points = self.array(primitive["attributes"]["POSITION"]).astype(float)
        if "targets" in primitive:
            weights = self.track(node, "weights", times)[frame]
            points = points + sum(w * self.array(t["POSITION"]) for w, t in zip(weights, primitive["targets"], strict=True))
        if "scale" in self.json["nodes"][node]:
            points = points * self.track(node, "scale", times)[frame]
        turn = Rotation.from_quat(self.track(node, "rotation", times)[frame]).as_matrix()
        return self.track(node, "translation", times)[frame] + points @ turn.T


def matched(found, expected):
    """Largest distance from a point of either set to the other set."""
    from scipy.spatial import cKDTree

    return max(cKDTree(expected).query(found)[0].max(), cKDTree(found).query(expected)[0].max())


@pytest.mark.parametrize("frame", [0, 13, COUNT - 1])
def test_vertices_are_where_the_result_has_them(result, report, frame):
    document, times = Document(report.path), np.linspace(0.0, exported_run.T_END, COUNT)
    here = result.resampled([times[frame]])
    surface, run = result.flexible("bar").surface, here.trajectory
    moved = surface.points + np.tensordot(run.q[0], surface.modes, axes=1)
    moved = moved + np.tensordot(result.flexible("bar").quadratic_coordinates(run.q[0]), surface.quadratic, axes=1)
    world = run.body_position[0, 1] + moved @ run.body_rotation[0, 1].T
    assert matched(document.points("bar", frame, COUNT), world) < 1e-6  # single precision; the deformation is 2e-4 m
    block = run.body_position[0, 2] + exported_run.BLOCK
    assert matched(document.points("block", frame, COUNT), block) < 1e-6
    ball = document.points("ball.middle", frame, COUNT)
    assert np.linalg.norm(ball - run.body_position[0, 3], axis=1) == pytest.approx(0.05, rel=1e-5)


@pytest.mark.parametrize("frame", [0, 30])
def test_a_spring_reaches_from_marker_to_marker(result, report, frame):
    document, time = Document(report.path), np.linspace(0.0, exported_run.T_END, COUNT)[frame]
    here = result.resampled([time])
    tip = np.array([here[f"bar.tip.position.{axis}"][0] for axis in "xyz"])
    corner = here.trajectory.body_position[0, 2] + exported_run.BLOCK[-1]
    points = document.points("spring", frame, COUNT)
    along = (corner - tip) / np.linalg.norm(corner - tip)
    reach = (points - tip) @ along
    assert reach.min() == pytest.approx(0.0, abs=5e-3) and reach.max() == pytest.approx(np.linalg.norm(corner - tip), abs=5e-3)


def test_world_is_upright_and_time_is_that_of_the_animation(result, report):
    document = Document(report.path)
    turn = Rotation.from_quat(document.json["nodes"][document.node("world")]["rotation"]).as_matrix()
    assert turn @ result.structure.gravity == pytest.approx([0.0, -9.81, 0.0])
    (animation,) = document.json["animations"]
    times = document.array(animation["samplers"][0]["input"])
    assert times[0] == 0.0 and times[-1] == report.duration == 10.0 and report.speed == pytest.approx(0.05)


def test_few_shapes_hold_the_share_that_is_stated(result, tmp_path):
    with pytest.warns(fm.ResultWarning, match="1 shapes hold only"):
        report = result.to_gltf(tmp_path / "a.glb", times=COUNT, shapes=1, bodies="bar")
    body = result.flexible("bar")
    q = result.modal("bar", np.linspace(0.0, exported_run.T_END, COUNT))
    u = np.tensordot(q, body.surface.modes, axes=1)
    u = (u + np.tensordot(body.quadratic_coordinates(q), body.surface.quadratic, axes=1)).reshape(COUNT, -1)
    values = np.linalg.svd(u, compute_uv=False) ** 2
    assert report.captured["bar"] == pytest.approx(values[0] / values.sum(), rel=1e-9)
    left, size, right = np.linalg.svd(u, full_matrices=False)
    missing = np.linalg.norm((u - size[0] * np.outer(left[:, 0], right[0])).reshape(COUNT, -1, 3), axis=2).max()
    assert report.largest_error["bar"] == pytest.approx(missing, rel=1e-6) and report.shape_count["bar"] == 1
    assert "1 shapes hold" in str(report)


def test_more_shapes_than_needed_are_not_written(report, result, tmp_path):
    assert report.shape_count["bar"] == 8 and report.captured["bar"] > 1.0 - 1e-7
    few = result.to_gltf(tmp_path / "a.glb", times=3)  # the first and the last of three states are undeformed
    assert few.shape_count["bar"] == 1 and few.captured["bar"] == pytest.approx(1.0, abs=1e-12)


def test_khronos_validator_finds_nothing(report, tmp_path):
    node = shutil.which("node")
    if node is None or subprocess.run([node, "-e", "require('gltf-validator')"], capture_output=True).returncode:
        pytest.skip("needs node and its package gltf-validator (npm install gltf-validator; NODE_PATH)")
    said = subprocess.run([node, "-e", VALIDATE, str(report.path)], capture_output=True, text=True, check=True).stdout
    assert json.loads(said)["messages"] == []


def test_wrong_questions_leave_no_file(result, tmp_path):
    for options, said in (
        ({"shapes": 9}, "from 0 .rigid. to 8"),
        ({"duration": 0.0}, "above 0"),
        ({"bodies": "bor"}, "no body named 'bor'"),
        ({"size_limit": 1000}, "more than the limit of 1 kB"),
        ({"times": 1}, "at least 2"),
    ):
        with pytest.raises(fm.FlexmbsError, match=said):
            result.to_gltf(tmp_path / "a.glb", **options)
    with pytest.raises(fm.FlexmbsError, match="must end in .glb"):
        result.to_gltf(tmp_path / "a.gltf")
    assert not list(tmp_path.iterdir())
    (tmp_path / "a.glb").write_text("mine")
    with pytest.raises(fm.FlexmbsError, match="exists"):
        result.to_gltf(tmp_path / "a.glb")

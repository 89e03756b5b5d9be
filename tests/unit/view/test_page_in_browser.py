"""Pages in a real browser: decoded and drawn numbers are those of the result, and nothing complains."""

import json

import numpy as np
import pytest
import swinging_bar as bar
from headless_browser import browser

from flexmbs import Result
from flexmbs.fem.stress_field import von_mises

FRAMES = (0, 60, 131, 199)
READY = """new Promise((done) => {
  const look = () => globalThis.flexmbs?.scenes?.[0]?.renderer ? done(true) : setTimeout(look, 20);
  look();
})"""
DECODED = """(async () => {
  const scene = await flexmbs.decode(document.querySelector(".flexmbs-scene"));
  const number = scene.parts.findIndex((part) => part.name === "pendulum"), part = scene.parts[number];
  const sum = (field, frame, size) => {
    const found = new Array(size).fill(0);
    for (let k = 0; k < field.count; k++) {
      const weight = field.coefficients[frame * field.count + k];
      for (let i = 0; i < size; i++) found[i] += weight * field.fields[k * size + i];
    }
    return found;
  };
  const n = part.points.length / 3;
  return {
    number, t: Array.from(scene.time.t), points: Array.from(part.points), errors: part.errors,
    poses: Array.from(scene.poses), edges: part.edges.length, notes: scene.notes,
    moved: FRAMES.map((frame) => sum(part.displacement, frame, 3 * n)),
    stress: FRAMES.map((frame) => sum(part.stress, frame, 6 * n)),
  };
})()""".replace("FRAMES", json.dumps(FRAMES))


@pytest.fixture(scope="module")
def tab():
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def result():
    return Result(bar.structure(), bar.trajectory())


@pytest.fixture(scope="module")
def page(result, tab, tmp_path_factory):
    """The page of the result, open; and what the browser decodes."""
    tab.open(result.to_html(tmp_path_factory.mktemp("page") / "run.html", frames=200, title="A bar"))
    tab.run(READY)
    return tab.run(DECODED)


def expected(result, time, points, scale=1.0):
    """World places (n, 3) m and von Mises stress (n,) of the surface points that have these places undeformed."""
    surface = result.flexible("pendulum").surface
    order = np.linalg.norm(points[:, None] - surface.points[None], axis=2).argmin(axis=1)
    assert sorted(order) == list(range(len(points)))
    q = scale * result.modal("pendulum", time)
    moved = q[0] * surface.modes[0] + scale * (q[0] / scale) ** 2 * surface.quadratic[0]
    here = result.resampled([time]).trajectory
    places = here.body_position[0, 1] + (surface.points + moved) @ here.body_rotation[0, 1].T
    return places[order], result.von_mises("pendulum", time)[order]


def test_decoded_numbers_are_those_of_the_result(result, page):
    points = np.reshape(page["points"], (-1, 3))
    poses = np.reshape(page["poses"], (len(page["t"]), -1, 7))
    errors = page["errors"]
    for row, frame in enumerate(FRAMES):
        w, x, y, z = poses[frame, 1, 3:]
        assert x == pytest.approx(0.0, abs=1e-5)
        assert y == pytest.approx(0.0, abs=1e-5)
        c, s = w * w - z * z, 2 * w * z  # a turn about z
        turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        found = poses[frame, 1, :3] + (points + np.reshape(page["moved"][row], (-1, 3))) @ turn.T
        places, stress = expected(result, page["t"][frame], points)
        assert np.linalg.norm(found - places, axis=1).max() <= errors["position"] + errors["displacement"]
        shown = von_mises(np.reshape(page["stress"][row], (-1, 6)))
        assert np.abs(shown - stress).max() <= errors["stress"] * 1.0001
    assert page["edges"] == 2 * (4 * 41 + 4 * 40)  # sides of the quadrilaterals, without their diagonals


def test_graphics_card_draws_the_numbers_of_the_result(result, tab, page):
    """Read back from the card, after the superposition of modes and stress modes there."""
    points = np.reshape(page["points"], (-1, 3))
    stress_scale = result.von_mises("pendulum", result.t).max()
    for frame, scale in ((60, 1.0), (131, 1.0), (131, 3.0)):
        found = tab.run(f"""(() => {{
          const {{ renderer, ui }} = flexmbs.scenes[0];
          Object.assign(renderer.state, {{ frame: {frame}, scale: {scale}, quantity: "von_mises" }});
          renderer.draw();
          const {{ positions, values }} = renderer.readback({page["number"]});
          return {{ positions: Array.from(positions), values: Array.from(values) }};
        }})()""")
        places, stress = expected(result, page["t"][frame], points, scale)
        distance = np.linalg.norm(np.reshape(found["positions"], (-1, 3)) - places, axis=1)
        errors = page["errors"]
        assert distance.max() <= errors["position"] + scale * errors["displacement"] + 1e-6
        values = np.array(found["values"])
        assert np.abs(values - stress).max() <= errors["stress"] + 1e-5 * stress_scale


def test_page_complains_of_nothing_and_shows_a_picture(tab, page, tmp_path):
    tab.picture(tmp_path / "page.png")
    import imageio.v2 as imageio

    picture = imageio.imread(tmp_path / "page.png")[..., :3].astype(int)
    assert picture.shape[:2] == (800, 1280)
    colourful = np.ptp(picture, axis=2) > 60
    assert colourful.sum() > 500  # the colour bar, and the bar itself
    assert tab.errors == []


def test_only_the_scripts_of_the_page_run(tab, result, tmp_path):
    path = result.to_html(tmp_path / "run.html", frames=5)
    foreign = '<script>window.ran = 1</script><img src="x" onerror="window.ran = 2"></body>'
    path.write_text(path.read_text().replace("</body>", foreign))
    tab.open(path)
    tab.run(READY)
    assert tab.run("window.ran === undefined")
    assert all("Content Security Policy" in error or "ERR_" in error for error in tab.errors)
    tab.errors.clear()


def test_keys_go_to_impacts_at_their_largest_force(tab, result, tmp_path):
    tab.open(result.to_html(tmp_path / "run.html", frames=50))
    tab.run(READY)
    times = tab.run("""(() => {
      const { ui } = flexmbs.scenes[0], opens = ui.frame;
      ui.seek(0);
      ui.keys.find(([, , keys]) => keys.includes("."))[3](1);
      return [opens, flexmbs.tools.between(ui.time.t, ui.frame)];
    })()""")
    (contact,) = result.contacts
    assert times[0] > 0
    assert times[1] == pytest.approx(contact.peak_time, abs=1e-9)
    assert tab.errors == []


def test_modes_and_phone_width(tab, tmp_path):
    tab.open(bar.bar().to_html(tmp_path / "bar.html"), (390, 844), mobile=True)
    tab.run(READY)
    assert tab.run("document.documentElement.scrollWidth") <= 390
    assert tab.run("flexmbs.scenes[0].scene.time.segments.length") == 1
    assert tab.errors == []

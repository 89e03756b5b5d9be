"""A mast of trusses, braced by springs, against CalculiX 2.20 (T3D2, SPRINGA, SPRING1)."""

import numpy as np
import pytest

from flexmbs import assemble, read_mesh

BAYS = 4
# displacements of nodes 13 to 15, m, as CalculiX prints them
CALCULIX = [
    [-1.798003e-05, 1.160633e-04, -4.350798e-05],
    [1.914553e-05, 1.090108e-04, -5.286625e-05],
    [2.829413e-06, 1.203550e-04, -5.162907e-05],
]


def deck() -> str:
    """Three chords and rings of trusses, springs as diagonals, one spring to ground; nodes 1 to 3 are its foot."""
    corner = np.radians(120.0 * np.arange(3))
    nodes = [
        f"{3 * i + k + 1}, {0.5 * i:.15g}, {0.3 * np.cos(corner[k]):.15g}, {0.3 * np.sin(corner[k]):.15g}"
        for i in range(BAYS + 1)
        for k in range(3)
    ]
    bars = [(3 * i + k, 3 * i + (k + 1) % 3) for i in range(1, BAYS + 1) for k in range(3)]
    bars += [(3 * i + k, 3 * i + 3 + k) for i in range(BAYS) for k in range(3)]
    diagonals = [(3 * i + k, 3 * i + 3 + (k + 1) % 3) for i in range(BAYS) for k in range(3)]
    lines = ["*NODE, NSET=NALL", *nodes, "*ELEMENT, TYPE=T3D2, ELSET=BARS"]
    lines += [f"{i + 1}, {a + 1}, {b + 1}" for i, (a, b) in enumerate(bars)]
    lines += ["*ELEMENT, TYPE=SPRINGA, ELSET=DIAGONALS"]
    lines += [f"{i + 100}, {a + 1}, {b + 1}" for i, (a, b) in enumerate(diagonals)]
    lines += ["*ELEMENT, TYPE=SPRING1, ELSET=GROUND", f"300, {3 * BAYS + 3}"]
    lines += ["*MATERIAL, NAME=STEEL", "*ELASTIC", "210e9, 0.3", "*DENSITY", "7850."]
    lines += ["*SOLID SECTION, ELSET=BARS, MATERIAL=STEEL", "1e-4"]
    lines += ["*SPRING, ELSET=DIAGONALS", "", "2.e7", "*SPRING, ELSET=GROUND", "2", "1.e5"]
    lines += ["*NSET, NSET=FOOT", "1, 2, 3", "*BOUNDARY", "FOOT, 1, 3"]
    loads = ["*CLOAD", "13, 2, 100.", "14, 3, -50.", "15, 1, 70."]
    return "\n".join([*lines, "*STEP", "*STATIC", *loads, "*NODE PRINT, NSET=NALL", "U", "*END STEP", ""])


def test_static_displacements(tmp_path):
    (tmp_path / "mast.inp").write_text(deck())
    model = assemble(read_mesh(tmp_path / "mast.inp"))
    moving = np.flatnonzero(~np.isin(model.dependence.independent // 6, [0, 1, 2]))
    D = model.dependence.D[:, moving]
    load = np.zeros(model.ndof)
    load[[6 * 12 + 1, 6 * 13 + 2, 6 * 14]] = 100.0, -50.0, 70.0
    u = D @ np.linalg.solve((D.T @ model.K @ D).toarray(), D.T @ load)
    # seven printed digits of the largest displacement
    assert u.reshape(-1, 6)[12:, :3] == pytest.approx(np.array(CALCULIX), abs=1e-10)

"""Write the static CalculiX input that slider_crank_static.json comes from; run it with ccx 2.20.

    PYTHONPATH=tests python tests/verification/data/slider_crank_static.py FOLDER
    cd FOLDER && ccx -i slider_crank && python .../slider_crank_static.py --read FOLDER

The rod of meshes/conrod.inp with its big end (NBIG) held, under the inertia forces of the rigid motion at the crank
angle of the JSON file: *DLOAD GRAV and CENTRIF, nodal forces for the angular acceleration (CalculiX has no such load),
and the piston's force spread equally over NSMALL. Motion and forces are the closed form of slider_crank.py.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from slider_crank import PISTON, Rod, instant, rigid_forces

from flexmbs import assemble, read_mesh
from flexmbs.common.installed_data import meshes_folder

ANGLE = 13.0  # degrees: where the stress of the shank is largest
SHANK = (0.06, 0.13)  # m, x of the mesh


def write(folder: Path) -> None:
    fem = assemble(read_mesh(meshes_folder() / "conrod.inp"))
    mesh, rod, theta = fem.mesh, Rod.of(fem), np.radians(ANGLE)
    now = instant(rod, theta)
    forces = -(fem.scalar_mass @ np.cross([0.0, 0.0, now.alpha], mesh.points - rod.big))
    small = np.unique(mesh.node_sets["NSMALL"])
    guide = rigid_forces(rod, theta)[1]
    forces[small] += now.turn.T @ (guide - PISTON * now.acceleration(rod.small - rod.big)) / len(small)
    gravity = -now.turn.T @ now.pin
    size = np.linalg.norm(gravity)
    loads = [
        "EALL,GRAV," + ",".join(f"{x:.12e}" for x in (size, *gravity / size)),
        "EALL,CENTRIF," + ",".join(f"{x:.12e}" for x in (now.omega**2, *rod.big, 0.0, 0.0, 1.0)),
        "*CLOAD",
        *(f"{mesh.node_ids[i]},{k + 1},{forces[i, k]:.12e}" for i in range(len(forces)) for k in range(2)),
    ]
    deck = (meshes_folder() / "conrod.inp").read_text() + "*BOUNDARY\nNBIG,1,3,0.\n*STEP\n*STATIC\n*DLOAD\n"
    (folder / "slider_crank.inp").write_text(deck + "\n".join(loads) + "\n*EL FILE\nS\n*END STEP\n")


def read(folder: Path) -> dict:
    """Largest von Mises stress (Pa) of the shank, from the nodal stresses of the .frd file."""
    stress, inside = {}, False
    for line in (folder / "slider_crank.frd").read_text().splitlines():
        if line.startswith(" -4"):
            inside = line.split()[1] == "STRESS"
        elif line.startswith(" -1") and inside:
            stress[int(line[3:13])] = [float(line[13 + 12 * i : 25 + 12 * i]) for i in range(6)]
        elif line.startswith(" -3"):
            inside = False
    mesh = read_mesh(meshes_folder() / "conrod.inp")
    xx, yy, zz, xy, yz, zx = np.array([stress[number] for number in mesh.node_ids]).T
    normal = (xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2
    mises = np.sqrt(0.5 * normal + 3.0 * (xy**2 + yz**2 + zx**2))
    mises[(mesh.points[:, 0] < SHANK[0]) | (mesh.points[:, 0] > SHANK[1])] = 0.0
    peak = int(np.argmax(mises))
    return {
        "origin": "CalculiX 2.20, input by data/slider_crank_static.py",
        "crank_angle_degrees": ANGLE,
        "shank_x": SHANK,
        "peak_von_mises": float(mises[peak]),
        "node": int(mesh.node_ids[peak]),
    }


if __name__ == "__main__":
    if sys.argv[1] == "--read":
        print(json.dumps(read(Path(sys.argv[2])), indent=1))
    else:
        write(Path(sys.argv[1]))

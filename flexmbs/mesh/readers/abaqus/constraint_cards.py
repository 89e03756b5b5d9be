"""Which function reads which card that joins, supports or loads nodes with mass."""

from __future__ import annotations

from flexmbs.mesh.readers.abaqus import constraints, supports

CONSTRAINT_CARDS = {
    "TRANSFORM": supports.read_transform,
    "NODALTHICKNESS": supports.read_nodal_thickness,
    "BOUNDARY": supports.read_boundary,
    "MASS": supports.read_mass,
    "ROTARYINERTIA": supports.read_rotary_inertia,
    "RIGIDBODY": constraints.read_rigid_body,
    "COUPLING": constraints.read_coupling,
    "KINEMATICCOUPLING": constraints.read_kinematic_coupling,
    "DISTRIBUTINGCOUPLING": constraints.read_distributing_coupling,
    "MPC": constraints.read_mpc,
    "EQUATION": constraints.read_equation,
    "TIE": constraints.read_tie,
}

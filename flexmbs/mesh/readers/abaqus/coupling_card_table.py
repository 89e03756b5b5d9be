"""Which function reads which card that joins, supports or loads nodes with mass."""

from flexmbs.mesh.readers.abaqus import coupling_cards, node_property_cards

CONSTRAINT_CARDS = {
    "TRANSFORM": node_property_cards.read_transform,
    "NODALTHICKNESS": node_property_cards.read_nodal_thickness,
    "BOUNDARY": node_property_cards.read_boundary,
    "MASS": node_property_cards.read_mass,
    "ROTARYINERTIA": node_property_cards.read_rotary_inertia,
    "RIGIDBODY": coupling_cards.read_rigid_body,
    "COUPLING": coupling_cards.read_coupling,
    "KINEMATICCOUPLING": coupling_cards.read_kinematic_coupling,
    "DISTRIBUTINGCOUPLING": coupling_cards.read_distributing_coupling,
    "MPC": coupling_cards.read_mpc,
    "EQUATION": coupling_cards.read_equation,
    "TIE": coupling_cards.read_tie,
}

"""What a case script says: bodies, markers, joints, forces, contacts."""

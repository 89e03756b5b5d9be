"""The mechanism as a case script states it: bodies, markers, joints, forces, contacts."""

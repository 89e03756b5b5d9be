"""``flexmbs study``: commands that state, run and evaluate studies."""

"""Runs of a study: worker processes under supervision, the scheduler, and what its workers run on."""

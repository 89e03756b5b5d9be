"""Verification cases, one file a subject."""

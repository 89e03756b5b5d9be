"""Verification cases that run from the installed package: ``flexmbs verify``."""

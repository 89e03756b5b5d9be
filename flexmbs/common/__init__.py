"""Utilities for all packages: errors, warnings, progress, files, folders."""

"""Chains of many bodies in other codes."""

"""Sensors and user functions of them."""

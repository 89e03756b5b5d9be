"""Bit-for-bit comparison of values that are made of dataclasses, mappings and arrays."""

from dataclasses import fields, is_dataclass

import numpy as np


def assert_same(first, second, where="body"):
    """Same types, same order, same bits; ``where`` names the first difference."""
    assert type(first) is type(second), where
    if is_dataclass(first):
        for part in fields(first):
            assert_same(getattr(first, part.name), getattr(second, part.name), f"{where}.{part.name}")
    elif isinstance(first, dict):
        assert list(first) == list(second), where
        for key in first:
            assert_same(first[key], second[key], f"{where}[{key}]")
    elif isinstance(first, np.ndarray):
        assert first.dtype == second.dtype and first.shape == second.shape, where
        assert first.tobytes() == second.tobytes(), where
    else:
        assert first == second, where

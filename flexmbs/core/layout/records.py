"""Records of the tables, made by the names of their fields.

A record type is a structured dtype with a default for every field: what is not given has its default, and a name that
the type does not have is an error.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

NONE = -1  # an index that refers to nothing

_DEFAULTS: dict[np.dtype, np.ndarray] = {}


def record_type(fields: list[tuple], **defaults) -> np.dtype:
    """Structured dtype of ``fields`` (as for ``numpy.dtype``) whose records are made by :func:`make_record`.

    ``defaults``: values of fields that are not given; without one a field is zero.
    """
    dtype = np.dtype(fields, align=True)
    template = np.zeros(1, dtype)
    for name, value in defaults.items():
        template[name] = value
    if dtype in _DEFAULTS and _DEFAULTS[dtype].tobytes() != template.tobytes():
        raise TypeError(f"two record types have the fields {dtype.names} and different defaults")
    _DEFAULTS[dtype] = template
    return dtype


def make_records(dtype: np.dtype, count: int, /, **columns) -> np.ndarray:
    """(count,) records of a :func:`record_type`; ``columns``: one value for all of them, or one for each.

    Raises
    ------
    TypeError
        A name that is no field of ``dtype``.
    """
    unknown = columns.keys() - (dtype.fields or {}).keys()
    if unknown:
        unknown = sorted(unknown)
        raise TypeError(f"unknown fields {', '.join(unknown)}; the record has {', '.join(dtype.names or ())}")
    records = _DEFAULTS[dtype].repeat(count)
    for name, values in columns.items():
        records[name] = values
    return records


def make_record(dtype: np.dtype, /, **values) -> np.void:
    """One record, whose fields can still be assigned; see :func:`make_records`."""
    return make_records(dtype, 1, **values)[0]


def table_of(dtype: np.dtype, parts: Sequence) -> np.ndarray:
    """(n,) array of records and arrays of records."""
    # numpy joins structured arrays slowly, one promotion of all fields per part
    joined = b"".join(np.asarray(part, dtype).tobytes() for part in parts)
    return np.frombuffer(joined, dtype).copy()

"""Blocks: groups of arrays that compiled code receives as one pointer.

Handing a tuple of 14 arrays to a kernel copies about a hundred words a call, which costs more than most of our
kernels do, and makes every compiled signature large. A :class:`Block` keeps its arrays in Python and passes the
address of a header (data address and shape of each array); ``block.name`` in compiled code is made from the header.
The Python object must live as long as compiled code uses it, which holds for every kernel argument.
"""

from __future__ import annotations

import numpy as np

SLOT = 4  # header words per field: data address, up to three lengths


class Block:
    """Base class; a subclass declares ``fields``: name -> (dtype, number of dimensions; 0 for a number).

    Structured arrays are record arrays, so that kernels read fields of a record as attributes in Python too.
    """

    fields: dict[str, tuple] = {}

    def __init__(self, **values):
        if values.keys() != self.fields.keys():
            wrong = values.keys() ^ self.fields.keys()
            raise TypeError(f"{type(self).__name__}: fields {sorted(wrong)} are missing or unknown")
        header = np.zeros(SLOT * len(self.fields), dtype=np.int64)
        for slot, (name, (dtype, dimensions)) in enumerate(self.fields.items()):
            array = np.array(values[name], dtype=dtype, order="C", ndmin=dimensions)
            if array.ndim != dimensions:
                raise TypeError(f"{type(self).__name__}.{name}: expected {dimensions} dimensions, got {array.ndim}")
            header[SLOT * slot] = array.ctypes.data
            header[SLOT * slot + 1 : SLOT * slot + 1 + dimensions] = array.shape
            setattr(self, name, array.view(np.recarray) if array.dtype.names else array)
        self._header = header
        self.address = int(header.ctypes.data)

    def copy(self):
        """An independent block with the same values."""
        return type(self)(**{name: getattr(self, name) for name in self.fields})

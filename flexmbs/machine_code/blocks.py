"""Blocks: groups of arrays that compiled code receives as one pointer.

Handing a tuple of 14 arrays to a kernel copies about a hundred words a call, which costs more than most of our
kernels do, and makes every compiled signature large. A :class:`Block` keeps its arrays in Python and passes the
address of a header (data address and shape of each array); ``block.name`` in compiled code is made from the header.
The Python object must live as long as compiled code uses it, which holds for every kernel argument.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

SLOT = 4  # header words per field: data address, up to three lengths


class Block:
    """Base class; a subclass declares what it holds.

    Numbers (fields of no dimensions, and ``parts`` that name an entry of a vector) are read and assigned as
    ``block.name`` by compiled code and by Python alike: both reach the memory behind the header. Structured arrays are
    record arrays, so that kernels read fields of a record as attributes in Python too.

    Attributes
    ----------
    fields : name -> (dtype, number of dimensions; 0 for a number). A subclass may state the lengths of an array in place of
        their number, as numbers or names of sizes: :meth:`zeros` then makes it
    shapes : lengths of the fields that :meth:`zeros` can make; none of a number
    parts : name -> (field, index): names for one number of a vector, or for one part of an array with more dimensions
        (the leading index)
    arrays : the array of every field by its name, also those of numbers
    """

    fields: dict[str, tuple] = {}
    shapes: dict[str, tuple[str | int, ...]] = {}
    parts: dict[str, tuple[str, int]] = {}

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        cls.shapes = {name: shape or () for name, (_dtype, shape) in cls.fields.items() if isinstance(shape, tuple) or shape == 0}
        cls.fields = {name: (dtype, len(cls.shapes[name]) if name in cls.shapes else n) for name, (dtype, n) in cls.fields.items()}
        for name, (_dtype, dimensions) in cls.fields.items():
            if dimensions == 0:
                setattr(cls, name, _number(name, ()))
        for name, (field, index) in cls.parts.items():
            setattr(cls, name, _number(field, index) if cls.fields[field][1] == 1 else _row(field, index))

    def __init__(self, **values):
        if values.keys() != self.fields.keys():
            wrong = values.keys() ^ self.fields.keys()
            raise TypeError(f"{type(self).__name__}: fields {sorted(wrong)} are missing or unknown")
        header = np.zeros(SLOT * len(self.fields), dtype=np.int64)
        self.arrays: dict[str, np.ndarray] = {}
        for slot, (name, (dtype, dimensions)) in enumerate(self.fields.items()):
            array = np.array(values[name], dtype=dtype, order="C", ndmin=dimensions)
            if array.ndim != dimensions:
                raise TypeError(f"{type(self).__name__}.{name}: expected {dimensions} dimensions, got {array.ndim}")
            header[SLOT * slot] = array.ctypes.data
            header[SLOT * slot + 1 : SLOT * slot + 1 + dimensions] = array.shape
            self.arrays[name] = array.view(np.recarray) if array.dtype.names else array
            if dimensions > 0:
                setattr(self, name, self.arrays[name])
        self._header = header
        self.address = int(header.ctypes.data)

    @classmethod
    def zeros(cls, sizes: Mapping[str, int], **given):
        """A block that is zero but for the fields ``given``; ``sizes``: lengths by their names."""
        made = {
            name: np.zeros([sizes[length] if isinstance(length, str) else length for length in shape], cls.fields[name][0])
            for name, shape in cls.shapes.items()
            if name not in given
        }
        return cls(**made, **given)

    def copy(self):
        """An independent block with the same values."""
        return type(self)(**self.arrays)


def _number(field: str, index) -> property:
    """A number of a block for Python: read and assigned where compiled code does."""

    def read(block):
        return block.arrays[field][index]

    def assign(block, value):
        block.arrays[field][index] = value

    return property(read, assign)


def _row(field: str, index: int) -> property:
    """A part of an array of a block for Python: a view, whose elements can be assigned."""
    return property(lambda block: block.arrays[field][index])

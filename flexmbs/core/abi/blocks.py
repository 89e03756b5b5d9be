"""Blocks: groups of arrays that compiled code receives as one pointer.

Handing a tuple of 14 arrays to a kernel copies about a hundred words a call, which costs more than most of our
kernels do, and makes every compiled signature large.  A :class:`Block` keeps its arrays in Python and passes the
address of a header (data address and shape of each array); ``block.name`` in compiled code is made from the header.
Header loads are marked invariant, so that LLVM hoists them out of loops.  Arrays made this way own nothing: the Python
object must live as long as compiled code uses it, which holds for every kernel argument.

Numbers (fields of no dimensions, and the ``parts`` of a block that name one entry of a vector) are read and assigned
as ``block.name`` by compiled code and by Python alike: both reach the memory behind the header.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.core import cgutils
from numba.core.imputils import lower_setattr_generic
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

SLOT = 4  # header words per field: data address, up to three lengths


class Block:
    """Base class; a subclass declares what it holds.

    Attributes
    ----------
    fields : name -> (dtype, number of dimensions; 0 for a number)
    parts : name -> (field, index): names for one number of a vector or one row of a matrix (the leading index)
    arrays : the array of every field by its name, also those of numbers
    """

    fields: dict[str, tuple] = {}
    parts: dict[str, tuple[str, int]] = {}

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
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
            self.arrays[name] = array
            if dimensions > 0:
                setattr(self, name, array)
        self._header = header
        self.address = int(header.ctypes.data)

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
    """A row of a block for Python: a view, whose elements can be assigned."""
    return property(lambda block: block.arrays[field][index])


class BlockType(types.Type):
    """Type of a Block subclass in compiled code."""

    def __init__(self, name: str, fields: tuple, parts: tuple = ()):
        self.fields = fields
        self.parts = dict(parts)
        super().__init__(name=f"Block.{name}{hash_of((fields, parts))}")

    def find(self, attribute: str):
        """Place in the header and numba type of the field behind an attribute, and the index of a part (None: all of
        the field); None for what is neither."""
        wanted, index = self.parts.get(attribute, (attribute, None))
        for number, (name, field_type) in enumerate(self.fields):
            if name == wanted:
                return number, field_type, index
        return None

    def type_of(self, attribute: str):
        """numba type of an attribute, or None."""
        found = self.find(attribute)
        if found is None or found[2] is None:
            return None if found is None else found[1]
        array = found[1]
        return array.dtype if array.ndim == 1 else types.Array(array.dtype, array.ndim - 1, "C")


def hash_of(fields: tuple) -> str:
    """Short text that tells two field lists apart (types are compared by name)."""
    import hashlib

    return hashlib.sha256(str(fields).encode()).hexdigest()[:12]


def _field_type(dtype, dimensions: int):
    scalar = from_dtype(np.dtype(dtype))
    return types.Array(scalar, dimensions, "C") if dimensions else scalar


_TYPES: dict[type, BlockType] = {}


@typeof_impl.register(Block)
def _typeof_block(value, context):
    return block_type(type(value))


def block_type(cls: type[Block]) -> BlockType:
    """numba type of a Block subclass."""
    if cls not in _TYPES:
        fields = tuple((name, _field_type(*kind)) for name, kind in cls.fields.items())
        _TYPES[cls] = BlockType(cls.__name__, fields, tuple(cls.parts.items()))
    return _TYPES[cls]


@register_model(BlockType)
class _BlockModel(models.PrimitiveModel):
    def __init__(self, data_model_manager, block_type):
        super().__init__(data_model_manager, block_type, ir.IntType(64))


@unbox(BlockType)
def _unbox_block(block_type, value, context):
    number = context.pyapi.object_getattr_string(value, "address")
    address = context.pyapi.long_as_longlong(number)
    context.pyapi.decref(number)
    return NativeValue(address)


@infer_getattr
class _BlockAttribute(AttributeTemplate):
    key = BlockType

    def generic_resolve(self, block_type, attribute):
        return block_type.type_of(attribute)


def _load_word(builder, address, word: int):
    """Header word, as a load that never changes."""
    pointer = builder.inttoptr(address, ir.IntType(64).as_pointer())
    loaded = builder.load(builder.gep(pointer, [ir.Constant(ir.IntType(64), word)]))
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded


def _number_pointer(context, builder, block_type, address, attribute):
    """Pointer to a number of a block."""
    number, field_type, index = block_type.find(attribute)
    scalar = block_type.type_of(attribute)
    pointer = builder.inttoptr(_load_word(builder, address, SLOT * number), context.get_data_type(scalar).as_pointer())
    return builder.gep(pointer, [ir.Constant(ir.IntType(64), index or 0)])


@lower_getattr_generic(BlockType)
def _lower_block_attribute(context, builder, block_type, address, attribute):
    from numba.np.arrayobj import make_array, populate_array

    number, field_type, index = block_type.find(attribute)
    wanted = block_type.type_of(attribute)
    if not isinstance(wanted, types.Array):
        pointer = _number_pointer(context, builder, block_type, address, attribute)
        return context.unpack_value(builder, wanted, pointer)
    base = SLOT * number
    data = _load_word(builder, address, base)
    item = context.get_abi_sizeof(context.get_data_type(wanted.dtype))
    skipped = 0 if index is None else 1
    shape = [_load_word(builder, address, base + 1 + skipped + i) for i in range(wanted.ndim)]
    strides, step = [], ir.Constant(ir.IntType(64), item)
    for length in reversed(shape):
        strides.insert(0, step)
        step = builder.mul(step, length, flags=["nsw"])
    if index:
        data = builder.add(data, builder.mul(step, ir.Constant(ir.IntType(64), index), flags=["nsw"]))
    array = make_array(wanted)(context, builder)
    populate_array(
        array,
        data=builder.inttoptr(data, array.data.type),
        shape=cgutils.pack_array(builder, shape, ir.IntType(64)),
        strides=cgutils.pack_array(builder, strides, ir.IntType(64)),
        itemsize=ir.Constant(ir.IntType(64), item),
        meminfo=None,
    )
    return array._getvalue()


@lower_setattr_generic(BlockType)
def _lower_block_assignment(context, builder, signature, arguments, attribute):
    block_type, value_type = signature.args
    wanted = block_type.type_of(attribute)
    if isinstance(wanted, types.Array):
        raise TypeError(f"{attribute} is an array: assign its elements")
    address, value = arguments
    value = context.cast(builder, value, value_type, wanted)
    context.pack_value(builder, wanted, value, _number_pointer(context, builder, block_type, address, attribute))


def block_at(cls: type[Block]):
    """Compiled function that takes an address for a block of class ``cls``."""
    result = block_type(cls)

    @intrinsic
    def at(typing_context, address):
        return result(types.int64), lambda context, builder, signature, arguments: arguments[0]

    return at


@intrinsic
def address_of(typing_context, block):
    """Address of a block, as a word."""
    return types.int64(block), lambda context, builder, signature, arguments: arguments[0]


@intrinsic
def data_of(typing_context, array):
    """Address of an array's first element, as a word."""

    def codegen(context, builder, signature, arguments):
        from numba.np.arrayobj import make_array

        return builder.ptrtoint(make_array(array)(context, builder, arguments[0]).data, ir.IntType(64))

    return types.int64(array), codegen


@intrinsic
def pointer(typing_context, address):
    """An address as a pointer."""

    def codegen(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(types.int64), codegen


@intrinsic
def call_words(typing_context, address, a, b, c, d, e, f, g, h):
    """Call the C function ``void f(eight words)`` at ``address``."""
    word = ir.IntType(64)

    def codegen(context, builder, signature, arguments):
        function_type = ir.FunctionType(ir.VoidType(), [word] * 8)
        function = builder.inttoptr(arguments[0], function_type.as_pointer())
        builder.call(function, arguments[1:])
        return context.get_dummy_value()

    return types.void(*(types.int64,) * 9), codegen

"""What numba must know of blocks, entries and interfaces. Imported only where kernels are numba functions."""

from __future__ import annotations

import hashlib

import numba
import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.core import cgutils, typing
from numba.core.imputils import lower_setattr_generic
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_global
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_builtin,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.arrayobj import make_array, populate_array

from flexmbs.machine_code import load_objects as library
from flexmbs.machine_code.blocks import SLOT, Block
from flexmbs.machine_code.signature import ArrayOf, RecordOf, Signature
from flexmbs.machine_code.switches import BOUNDS_CHECKED

# Reassociation lets dot products use SIMD; NaN and infinity must survive, they stop a run by name.
FASTMATH = {"reassoc", "contract", "nsz", "arcp"}
OPTIONS = {"fastmath": FASTMATH, "error_model": "numpy", "boundscheck": BOUNDS_CHECKED}
WORD, DOUBLE = ir.IntType(64), ir.DoubleType()
# Whether calls of entries are left to whoever loads the object file.
CALLS_BY_SYMBOL = False

if BOUNDS_CHECKED:
    numba.config.FULL_TRACEBACKS = 1  # index, axis and size are printed


# Makes what a kernel's translations are kept in, in processes that compile.
kernel_cache = None


def numba_kernel(function):
    """A kernel as numba compiles it."""
    dispatcher = numba.njit(**OPTIONS)(function)
    if kernel_cache is not None:
        dispatcher._cache = kernel_cache(dispatcher)
    return dispatcher


class BlockType(types.Type):
    """Type of a Block subclass in compiled code."""

    def __init__(self, name: str, fields: tuple, parts: tuple):
        self.fields, self.parts = fields, dict(parts)
        # types are compared by name
        super().__init__(name=f"Block.{name}{hashlib.sha256(str((fields, parts)).encode()).hexdigest()[:12]}")

    def find(self, attribute: str):
        """Number and numba type of the field behind an attribute, and the index of a part (None: all of the field)."""
        wanted, index = self.parts.get(attribute, (attribute, None))
        for number, (name, field_type) in enumerate(self.fields):
            if name == wanted:
                return number, field_type, index
        raise AttributeError(attribute)

    def type_of(self, attribute: str):
        """numba type of an attribute, or None."""
        try:
            _number, field_type, index = self.find(attribute)
        except AttributeError:
            return None
        if index is None:
            return field_type
        dimensions = field_type.ndim - 1
        return types.Array(field_type.dtype, dimensions, "C") if dimensions else field_type.dtype


_TYPES: dict[type, BlockType] = {}


def block_type(cls: type[Block]) -> BlockType:
    """numba type of a Block subclass."""
    if cls not in _TYPES:
        fields = tuple((name, _field_type(*kind)) for name, kind in cls.fields.items())
        _TYPES[cls] = BlockType(cls.__name__, fields, tuple(cls.parts.items()))
    return _TYPES[cls]


def _field_type(dtype, dimensions: int):
    scalar = from_dtype(np.dtype(dtype))
    return types.Array(scalar, dimensions, "C") if dimensions else scalar


@typeof_impl.register(Block)
def _typeof_block(value, context):
    return block_type(type(value))


@register_model(BlockType)
class _BlockModel(models.PrimitiveModel):
    def __init__(self, data_model_manager, block_type):
        super().__init__(data_model_manager, block_type, WORD)


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
    """Header word, as a load that never changes: LLVM hoists it out of loops."""
    pointer = builder.inttoptr(address, WORD.as_pointer())
    loaded = builder.load(builder.gep(pointer, [ir.Constant(WORD, word)]))
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded


def _number_pointer(context, builder, block_type, address, attribute):
    """Pointer to a number of a block."""
    number, _field_type, index = block_type.find(attribute)
    scalar = context.get_data_type(block_type.type_of(attribute))
    pointer = builder.inttoptr(_load_word(builder, address, SLOT * number), scalar.as_pointer())
    return builder.gep(pointer, [ir.Constant(WORD, index or 0)])


@lower_getattr_generic(BlockType)
def _lower_block_attribute(context, builder, block_type, address, attribute):
    number, field_type, index = block_type.find(attribute)
    wanted = block_type.type_of(attribute)
    if not isinstance(wanted, types.Array):
        pointer = _number_pointer(context, builder, block_type, address, attribute)
        return context.unpack_value(builder, wanted, pointer)
    base = SLOT * number
    data = _load_word(builder, address, base)
    shape = [_load_word(builder, address, base + 1 + i) for i in range(field_type.ndim)]
    if index is not None:
        size = ir.Constant(WORD, index * context.get_abi_sizeof(context.get_data_type(wanted.dtype)))
        shape = shape[1:]
        for length in shape:
            size = builder.mul(size, length, flags=["nsw"])
        data = builder.add(data, size)
    return array_value(context, builder, wanted, data, shape)


@lower_setattr_generic(BlockType)
def _lower_block_assignment(context, builder, signature, arguments, attribute):
    block_type, value_type = signature.args
    wanted = block_type.type_of(attribute)
    if isinstance(wanted, types.Array):
        raise numba.errors.TypingError(f"{attribute} is an array: its elements can be assigned")
    address, value = arguments
    value = context.cast(builder, value, value_type, wanted)
    context.pack_value(builder, wanted, value, _number_pointer(context, builder, block_type, address, attribute))


def array_value(context, builder, array_type, data, shape):
    """A C-contiguous array that owns nothing, from its address and lengths."""
    item = context.get_abi_sizeof(context.get_data_type(array_type.dtype))
    strides, step = [], ir.Constant(WORD, item)
    for length in reversed(shape):
        strides.insert(0, step)
        step = builder.mul(step, length, flags=["nsw"])
    array = make_array(array_type)(context, builder)
    populate_array(
        array,
        data=builder.inttoptr(data, array.data.type),
        shape=cgutils.pack_array(builder, shape, WORD),
        strides=cgutils.pack_array(builder, strides, WORD),
        itemsize=ir.Constant(WORD, item),
        meminfo=None,
    )
    return array._getvalue()


def numba_type(kind):
    """numba type of the kind of an argument or result (flexmbs.machine_code.signature)."""
    if isinstance(kind, ArrayOf):
        return types.Array(from_dtype(np.dtype(kind.dtype)), kind.dimensions, "C")
    if isinstance(kind, RecordOf):
        return from_dtype(kind.dtype)
    if kind in (int, float, bool):
        return {int: types.int64, float: types.float64, bool: types.boolean}[kind]
    return block_type(kind)


def result_type(signature: Signature):
    """numba type of all results together."""
    found = [numba_type(kind) for kind in signature.results]
    return types.none if not found else found[0] if len(found) == 1 else types.Tuple(found)


def c_function_type(signature: Signature) -> ir.FunctionType:
    """LLVM type of the C function."""
    arguments = []
    for kind in signature.kinds:
        arguments.append(DOUBLE if kind is float else WORD)
        arguments += [WORD] * (kind.dimensions if isinstance(kind, ArrayOf) else 0)
    if len(signature.results) > 1:
        arguments.append(WORD)
    result = ir.VoidType() if not signature.by_value else DOUBLE if signature.results[0] is float else WORD
    return ir.FunctionType(result, arguments)


def to_words(context, builder, kind, value) -> list:
    """C arguments of a value."""
    if isinstance(kind, ArrayOf):
        array = make_array(numba_type(kind))(context, builder, value)
        return [builder.ptrtoint(array.data, WORD), *cgutils.unpack_tuple(builder, array.shape, kind.dimensions)]
    if isinstance(kind, RecordOf):
        return [builder.ptrtoint(value, WORD)]
    return [builder.zext(value, WORD) if kind is bool else value]


def from_words(context, builder, kind, words: list):
    """The inverse of :func:`to_words`; takes its words from the front of the list."""
    first = words.pop(0)
    if isinstance(kind, ArrayOf):
        shape = [words.pop(0) for _ in range(kind.dimensions)]
        return array_value(context, builder, numba_type(kind), first, shape)
    if isinstance(kind, RecordOf):
        return builder.inttoptr(first, context.get_value_type(numba_type(kind)))
    return builder.icmp_signed("!=", first, ir.Constant(WORD, 0)) if kind is bool else first


def called_function(builder, function_type, symbol: str):
    """The C function of an entry: by its symbol in an object file, by its address in a process that also runs it."""
    if CALLS_BY_SYMBOL:
        return cgutils.get_or_insert_function(builder.module, function_type, symbol)
    return builder.inttoptr(ir.Constant(WORD, library.address(symbol)), function_type.as_pointer())


def block_at(cls: type[Block]):
    """Compiled function that takes an address for a block of class ``cls``, for callbacks that numba compiles."""
    result = block_type(cls)

    @intrinsic
    def at(typing_context, address):
        return result(types.int64), lambda context, builder, signature, arguments: arguments[0]

    return at


@intrinsic
def pointer(typing_context, address):
    """An address as a pointer."""
    return types.voidptr(types.int64), lambda context, builder, signature, arguments: builder.inttoptr(
        arguments[0], cgutils.voidptr_t
    )


def make_callable(made, signature: Signature, symbol: str | None) -> None:
    """Let compiled code call an entry by its symbol or, without one, an interface with an address before its arguments.

    Parameters
    ----------
    made : the Entry or Interface, as kernels name it
    """
    by_address = symbol is None
    kinds = [int, *signature.kinds] if by_address else list(signature.kinds)
    expected = [numba_type(kind) for kind in kinds]
    result = result_type(signature)

    class Call(AbstractTemplate):
        key = made

        def generic(self, arguments, keywords):
            if keywords or len(arguments) != len(expected) or not all(map(_is_taken, arguments, expected)):
                return None  # numba says which types were given
            return typing.signature(result, *expected)

    infer_global(made, types.Function(Call))

    @lower_builtin(made, *expected)
    def lower(context, builder, _call_signature, values):
        function_type = c_function_type(signature)
        if by_address:
            function, values = builder.inttoptr(values[0], function_type.as_pointer()), values[1:]
        else:
            function = called_function(builder, function_type, symbol)
        words = []
        for kind, value in zip(signature.kinds, values, strict=True):
            words += to_words(context, builder, kind, value)
        count = len(signature.results)
        if count > 1:
            room = cgutils.alloca_once(builder, ir.ArrayType(WORD, count))
            words.append(builder.ptrtoint(room, WORD))
        found = builder.call(function, words)
        if count == 0:
            return context.get_dummy_value()
        if count == 1:
            return _from_result(builder, signature.results[0], found)
        parts = []
        for i, kind in enumerate(signature.results):
            place = cgutils.gep_inbounds(builder, room, 0, i)
            if kind is float:
                place = builder.bitcast(place, DOUBLE.as_pointer())
            parts.append(_from_result(builder, kind, builder.load(place)))
        return context.make_tuple(builder, result, parts)


def _is_taken(given, wanted) -> bool:
    """Whether an argument is passed as it is: an integer may become a float, but nothing loses what it is."""
    if isinstance(wanted, types.Array):
        alike = isinstance(given, types.Array) and (given.dtype, given.ndim) == (wanted.dtype, wanted.ndim)
        return alike and given.layout == "C"
    if isinstance(wanted, types.Float):
        return isinstance(given, types.Number)
    if isinstance(wanted, types.Integer):
        return isinstance(given, types.Integer | types.Boolean)
    return given == wanted


def _from_result(builder, kind, found):
    return builder.icmp_signed("!=", found, ir.Constant(WORD, 0)) if kind is bool else found


def to_result(builder, kind, value):
    """A result as it is returned or written: a float, or a word."""
    return builder.zext(value, WORD) if kind is bool else value

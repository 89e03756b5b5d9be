"""Object file of a user's function, by numba. Imported only where one must be compiled."""

from __future__ import annotations

import ctypes
import math
import re
from functools import cache

import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import ir as numba_ir
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.ir_utils import build_definitions
from numba.core.untyped_passes import InlineClosureLikes
from numba.extending import intrinsic, typeof_impl

from flexmbs.machine_code.numba_types import DOUBLE, WORD, array_value, c_function_type, from_words, numba_type
from flexmbs.machine_code.outer_values import COUNT, PLACES, SYMBOL, Helper, Late
from flexmbs.machine_code.signature import ArrayOf, Signature

_VALUES = "flexmbs.values"  # address of the words of outer values, while a function runs
_PLACES_TYPE = ir.ArrayType(WORD, COUNT)
_RECURSIVE = ".numba.unresolved$"
_unused = ctypes.c_int64()  # numba loads each function by itself too, and never calls it there
llvm.add_symbol(_VALUES, ctypes.addressof(_unused))


@register_pass(mutates_CFG=False, analysis_only=False)
class _ReadLate(FunctionPass):
    """Outer values that are read from memory, in place of constants."""

    _name = "flexmbs_read_late"

    def __init__(self):
        FunctionPass.__init__(self)

    def run_pass(self, state) -> bool:
        for block in state.func_ir.blocks.values():
            for assignment in list(block.find_insts(numba_ir.Assign)):
                given, place = assignment.value, assignment.loc
                if isinstance(given, numba_ir.Global | numba_ir.FreeVar) and isinstance(given.value, Late):
                    reader = block.scope.redefine("$flexmbs_late", place)
                    made = numba_ir.Assign(numba_ir.Global("late", _reader(given.value), place), reader, place)
                    block.body.insert(block.body.index(assignment), made)
                    assignment.value = numba_ir.Expr.call(reader, (), (), place)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        state.typingctx.refresh()  # readers that are new
        state.targetctx.refresh()
        return True


class _Pipeline(CompilerBase):
    def define_pipelines(self):
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(_ReadLate, InlineClosureLikes)
        passes.finalize()
        return [passes]


@cache
def _reader(late: Late):
    """Compiled function without arguments that returns an outer value."""
    scalar = numba.from_dtype(np.dtype(late.dtype))
    result = types.Array(scalar, late.dimensions, "C", readonly=True) if late.dimensions else scalar

    def code(context, builder, _signature, _arguments):
        values = builder.module.globals.get(_VALUES) or ir.GlobalVariable(builder.module, WORD, _VALUES)
        first = builder.inttoptr(builder.load(values), WORD.as_pointer())
        words = [builder.load(builder.gep(first, [ir.Constant(WORD, late.at + i)])) for i in range(1 + late.dimensions)]
        return array_value(context, builder, result, words[0], words[1:]) if late.dimensions else builder.bitcast(words[0], DOUBLE)

    @intrinsic
    def read(typing_context):
        return result(), code

    return read


@typeof_impl.register(Helper)
def _typeof_helper(helper, context):
    if helper.dispatcher is None:
        helper.dispatcher = dispatcher(helper.function, helper.options)
    return types.Dispatcher(helper.dispatcher)


def dispatcher(function, options: dict):
    """numba's dispatcher of a function, in which outer values may be read late."""
    return numba.jit(**{**options, "nopython": True, "pipeline_class": _Pipeline})(function)


@global_compiler_lock
def object_file(helper: Helper, signature: Signature) -> tuple[bytes, list[str], bool]:
    """Machine code, the names that it needs, and whether other processes can use it.

    An exception inside gives NaN, as none can cross into C. What numba raises where it cannot.
    """
    function, kinds = _with_results(helper, signature)
    made = dispatcher(function, {"no_cpython_wrapper": True, "no_cfunc_wrapper": True})
    arguments = tuple(numba_type(kind) for kind in kinds)
    made.compile(arguments)
    compiled = made.overloads[arguments]
    library = compiled.target_context.codegen().create_library(SYMBOL)
    library.add_ir_module(_c_functions(compiled, signature, kinds))
    module = library._final_module
    module.link_in(compiled.library._final_module, preserve=True)
    if _RECURSIVE in (text := str(module)):  # numba calls what it has not compiled yet by another name
        text = re.sub(rf'^declare .*@"{re.escape(_RECURSIVE)}.*\n', "", text, flags=re.MULTILINE)
        module = library._final_module = llvm.parse_assembly(text.replace(_RECURSIVE, ""))
    for part in (*module.functions, *module.global_variables):
        if not part.is_declaration and not part.name.startswith((SYMBOL, PLACES)):
            part.linkage = "internal"
    library._optimize_final_module()
    module.verify()
    outside = sorted(part.name for part in (*module.functions, *module.global_variables) if part.is_declaration)
    lasting = not compiled.library.has_dynamic_globals  # addresses of large arrays in this process
    return library._codegen._tm.emit_object(module), [name for name in outside if not name.startswith("llvm.")], lasting


def _with_results(helper: Helper, signature: Signature):
    """The function with its results in the types of C, and the kinds of its arguments; several results in an array."""
    names, kinds, results = list(signature.names), list(signature.kinds), signature.results
    call = f"inner({', '.join(names)})"
    arrays = [name for name, kind in zip(names, kinds, strict=True) if isinstance(kind, ArrayOf)]
    if len(results) == 1:
        kind, otherwise = ("float", "nan") if results[0] is float else ("int", "0")
        tried, failed = [f"return {kind}({call})"], f"return {otherwise}"
    elif results:
        names, kinds = [*names, "results"], [*kinds, ArrayOf("f8", 1)]
        tried, failed = [f"found = {call}", *(f"results[{i}] = found[{i}]" for i in range(len(results)))], "results[:] = nan"
    else:
        tried, failed = [call], f"{arrays[-1]}[...] = nan" if arrays else "pass"
    lines = ["try:", *(f"    {line}" for line in tried), "except Exception:", f"    {failed}"]
    source = f"def call({', '.join(names)}):\n" + "\n".join(f"    {line}" for line in lines)
    scope = {"inner": helper, "nan": math.nan}
    exec(source, scope)
    return scope["call"], kinds


def _c_functions(compiled, signature: Signature, kinds: list) -> ir.Module:
    """The C functions of a compiled function, which differ in where they find outer values."""
    context = compiled.target_context
    module = context.create_module(SYMBOL)
    values, places = (ir.GlobalVariable(module, kind, name) for kind, name in ((WORD, _VALUES), (_PLACES_TYPE, PLACES)))
    values.initializer, places.initializer = ir.Constant(WORD, 0), ir.Constant(_PLACES_TYPE, None)
    common = ir.Function(module, c_function_type(signature), name="flexmbs.common")
    common.attributes.add("noinline")
    builder = ir.IRBuilder(common.append_basic_block())
    given = list(common.args)
    if len(signature.results) > 1:
        given.append(ir.Constant(WORD, len(signature.results)))
    arguments = [from_words(context, builder, kind, given) for kind in kinds]
    callee, types_ = context.declare_function(module, compiled.fndesc), compiled.signature
    _status, found = context.call_conv.call_function(builder, callee, types_.return_type, types_.args, arguments)
    builder.ret(found) if signature.by_value else builder.ret_void()
    for number in range(COUNT):
        function = ir.Function(module, common.function_type, name=f"{SYMBOL}{number}")
        builder = ir.IRBuilder(function.append_basic_block())
        builder.store(builder.load(builder.gep(places, [ir.Constant(WORD, 0), ir.Constant(WORD, number)])), values)
        found = builder.call(common, function.args)
        builder.ret(found) if signature.by_value else builder.ret_void()
    return module

"""The object file of one module's entries, with numba's code generator and LLVM. Runs in compile processes only.

numba optimises and generates the code of every function by itself, together with all that it calls. Here functions are
only translated to LLVM's intermediate code; all that the entries of a module need is linked, optimised and turned into
machine code once, with nothing but the entries visible outside.
"""

from __future__ import annotations

from llvmlite import ir
from numba.core import cgutils, codegen
from numba.core.compiler_lock import global_compiler_lock

from flexmbs.machine_code import numba_types
from flexmbs.machine_code.external_symbols import FAILURE, FROM_C
from flexmbs.machine_code.numba_types import (
    DOUBLE,
    WORD,
    c_function_type,
    from_words,
    numba_kernel,
    numba_type,
    result_type,
    to_result,
)

# Linkages of LLVM that are visible outside an object file.
_VISIBLE = {"external", "linkonce_any", "linkonce_odr", "weak_any", "weak_odr", "common"}


def link_late() -> None:
    """Make numba translate functions only; :func:`object_file` does the rest."""

    def finalize(library):
        library._raise_if_finalized()
        library._finalized = True

    def keep_layout(library, module):
        module.data_layout = library._codegen._data_layout

    numba_types.CALLS_BY_SYMBOL = True
    numba_types.OPTIONS.update(no_cpython_wrapper=True, no_cfunc_wrapper=True)
    codegen.JITCodeLibrary.finalize = finalize
    codegen.JITCodeLibrary._optimize_functions = keep_layout  # all is optimised together, in the end
    codegen.JITCodeLibrary.get_pointer_to_function = lambda library, name: 0
    codegen.JITCPUCodegen.set_env = lambda self, name, environment: None


@global_compiler_lock
def object_file(entries: list) -> bytes:
    """Machine code of the C functions of the entries."""
    libraries, made = [], None
    for entry in entries:
        signature = entry.signature
        arguments = tuple(numba_type(kind) for kind in signature.kinds)
        dispatcher = numba_kernel(entry.function)
        dispatcher.compile(arguments)
        compiled = dispatcher.overloads[arguments]
        context = compiled.target_context
        if made is None:
            made = context.codegen().create_library(entry.symbol)
        _add_c_function(made, context, entry, compiled)
        libraries.append(compiled.library)
    module = made._final_module
    _link_all(module, libraries)
    _hide_all_but(module, {entry.symbol for entry in entries})
    made._optimize_final_module()
    module.verify()
    _refuse_unknown(module, entries[0].function.__module__)
    return made._codegen._tm.emit_object(module)


def _add_c_function(library, context, entry, compiled) -> None:
    signature = entry.signature
    module = context.create_module(entry.symbol)
    function = ir.Function(module, c_function_type(signature), name=entry.symbol)
    builder = ir.IRBuilder(function.append_basic_block())
    callee = context.declare_function(module, compiled.fndesc)
    words = list(function.args)
    values = [from_words(context, builder, kind, words) for kind in signature.kinds]
    found = compiled.signature.return_type
    status, out = context.call_conv.call_function(builder, callee, found, compiled.signature.args, values)
    with builder.if_then(status.is_error, likely=False):
        failure = cgutils.get_or_insert_function(module, ir.FunctionType(ir.VoidType(), [WORD]), FAILURE)
        name = context.insert_const_string(module, entry.symbol)
        builder.call(failure, [builder.ptrtoint(name, WORD)])
    _return(context, builder, entry, found, out, words)
    library.add_ir_module(module)


def _return(context, builder, entry, found, out, words) -> None:
    """Results in their stated types; TypeError where what the function returns is none of these."""
    kinds, stated = entry.signature.results, result_type(entry.signature)
    if not context.typing_context.can_convert(found, stated) and found != stated:
        raise TypeError(f"{entry.symbol} returns {found}; stated is {stated}")
    if not kinds:
        builder.ret_void()
        return
    out = context.cast(builder, out, found, stated)
    if len(kinds) == 1:
        builder.ret(to_result(builder, kinds[0], out))
        return
    for i, (kind, value) in enumerate(zip(kinds, cgutils.unpack_tuple(builder, out, len(kinds)), strict=True)):
        place = builder.inttoptr(words[0], (DOUBLE if kind is float else WORD).as_pointer())
        builder.store(to_result(builder, kind, value), builder.gep(place, [ir.Constant(WORD, i)]))
    builder.ret_void()


def _link_all(module, libraries: list) -> None:
    """Link the code of all functions that are called, directly or not, into the module; each once."""
    seen: set[int] = set()
    waiting = list(libraries)
    while waiting:
        library = waiting.pop()
        if id(library) in seen:
            continue
        seen.add(id(library))
        module.link_in(library._final_module, preserve=True)
        waiting += library._linking_libraries


def _hide_all_but(module, names: set[str]) -> None:
    for part in (*module.functions, *module.global_variables):
        if not part.is_declaration and part.name not in names and part.linkage.name in _VISIBLE:
            part.linkage = "internal"


def _refuse_unknown(module, name: str) -> None:
    """TypeError where machine code would call what a process without numba does not have."""
    known = {*FROM_C, FAILURE}
    called = {part.name for part in (*module.functions, *module.global_variables) if part.is_declaration}
    unknown = sorted(part for part in called - known if not part.startswith(("llvm.", "flexmbs.")))
    if any(part.startswith("NRT_") for part in unknown):
        raise TypeError(f"{name}: a kernel allocates memory (np.zeros, a list, a slice assigned to a slice)")
    if unknown:
        raise TypeError(f"{name}: a kernel calls what cannot be loaded without numba: {', '.join(unknown)}")

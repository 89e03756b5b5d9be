"""Kernels in LLVM's intermediate code, as numba has translated them, kept in the cache folder.

Most of the time to compile a module goes into translating its kernels, which many modules share. A translation depends on
the text of the kernel, on what its names stand for and on the types of its arguments; of the kernels that it calls only
names and types of results matter to it, so a change inside one of them leaves it as it is.
"""

from __future__ import annotations

import hashlib
import pickle
from pathlib import Path

import llvmlite.binding as llvm
from numba.core import config, types
from numba.core.bytecode import FunctionIdentity
from numba.core.compiler import compile_result
from numba.core.environment import Environment
from numba.core.serialize import dumps

from flexmbs.common.cache_folder import cache_folder
from flexmbs.machine_code import numba_types
from flexmbs.machine_code.object_cache import keep, read_kept
from flexmbs.machine_code.sources import Closure, shaping

_texts = Closure(kernels_by_name=True)
_dispatchers: dict[tuple[str, str], object] = {}  # of all kernels that have been imported, by module and name
_kernels: dict[int, tuple] = {}  # id of a library -> (library, dispatcher, types of arguments)


class Translations:
    """What numba asks before it translates a kernel, and tells when it has done so (``Dispatcher._cache``)."""

    def __init__(self, dispatcher, folder: Path):
        self.dispatcher, self.folder = dispatcher, folder
        _dispatchers[dispatcher.py_func.__module__, dispatcher.py_func.__name__] = dispatcher

    def load_overload(self, types: tuple, context):
        """The translation for types of arguments; None where there is none, or a called kernel returns something else."""
        content = read_kept(self._file(types))
        if content is None:
            return None
        bitcode, descriptor, signature, called = pickle.loads(content)
        libraries = []
        for module, name, arguments, result in called:
            dispatcher = _dispatchers[module, name]
            dispatcher.compile(arguments)
            if _result(dispatcher, arguments) != result:
                return None
            libraries.append(dispatcher.overloads[arguments].library)
        library = context.codegen().create_library(descriptor.mangled_name)
        library._final_module, library._linking_libraries = llvm.parse_bitcode(bitcode), libraries
        library._finalized = True
        self._remember(library, types)
        environment = Environment.from_fndesc(descriptor)
        return compile_result(
            typing_context=context.typing_context,
            target_context=context,
            library=library,
            environment=environment,
            entry_point=context.get_executable(library, descriptor, environment),
            fndesc=descriptor,
            signature=signature,
            objectmode=False,
            lifted=(),
        )

    def save_overload(self, types: tuple, kernel) -> None:
        """Keep a translation. What it needs that is no kernel becomes part of it, under names of its own."""
        library, descriptor = kernel.library, kernel.fndesc
        called, others, waiting = [], {}, list(library._linking_libraries)
        while waiting:
            part = waiting.pop(0)
            if id(part) in _kernels:
                called.append(part)
            elif id(part) not in others:
                others[id(part)] = part
                waiting += part._linking_libraries
        module = library._final_module
        for part in others.values():
            module.link_in(part._final_module, preserve=True)
        for function in module.functions:
            if not function.is_declaration and function.name != descriptor.llvm_func_name:
                function.linkage = "internal"
        library._linking_libraries = called
        self._remember(library, types)
        descriptor.typemap = descriptor.calltypes = descriptor.global_dict = None
        stated = []
        for part in called:
            _library, dispatcher, arguments = _kernels[id(part)]
            function = dispatcher.py_func
            stated.append((function.__module__, function.__name__, arguments, _result(dispatcher, arguments)))
        keep(self._file(types), dumps((module.as_bitcode(), descriptor, kernel.signature, stated)))

    def _remember(self, library, types: tuple) -> None:
        _kernels[id(library)] = library, self.dispatcher, types

    def _file(self, types: tuple) -> Path:
        function = self.dispatcher.py_func
        text = _texts.of(function.__module__, function.__name__, called=False)
        target = f"{config.CPU_NAME} {config.CPU_FEATURES}"
        key = f"{shaping()} {target} {function.__module__}.{function.__name__} {text} {', '.join(map(str, types))}"
        return self.folder / f"{function.__name__}-{hashlib.sha256(key.encode()).hexdigest()[:32]}.ir"


def _result(dispatcher, types: tuple) -> str:
    """What a caller's code knows of a kernel: the name of its code and the type of its result."""
    kernel = dispatcher.overloads[types]
    return f"{kernel.fndesc.llvm_func_name} {kernel.signature.return_type}"


def _number(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest()[:12], 16)


def keep_translations() -> None:
    """Let kernels be translated once, under names that are the same in every process: numba counts functions and records."""
    folder, counted = cache_folder() / "translations", FunctionIdentity.from_function.__func__

    def from_function(cls, function):
        named = counted(cls, function)
        if named.modname.startswith("flexmbs."):
            place = f"{named.modname}.{named.func_qualname}"
            named.unique_id = _number(place)
            named.unique_name = f"{named.func_qualname}${named.unique_id}"
        return named

    FunctionIdentity.from_function = classmethod(from_function)
    types.Record.mangling_args = property(lambda record: ("Record", (_number(record.name),)))
    numba_types.kernel_cache = lambda dispatcher: Translations(dispatcher, folder)

"""``@entry``: a kernel with typed arguments that is compiled on its own and called by its name.

    @entry
    def gap_at(tables: Tables, contact: int, q: Floats, v: Floats, a: Floats, work: Workspace) -> tuple[float, float]:
        '''Gap of a contact (m) and its rate (m/s).'''
        ...

From this one function come the C function in machine code, the call from other kernels (its machine code stands once
in the library, not once in every caller), the call from Python with checked arguments, and with
``FLEXMBS_PLAIN_PYTHON=1`` the function itself. To add one, write it and import it where it is needed: whatever has
``@entry`` at the start of a line in one of the folders of :mod:`flexmbs.machine_code.sources` is found and compiled.

``@interface`` states arguments and results without a body, for functions that are known when the program runs only:

    @interface
    def contact_law(pool: Floats, at: int, depth: float, rate: float) -> tuple[float, float]:
        '''Force (N) and stored energy (J).'''

    @entry(contact_law)                      # one of ours: the interface says the types
    def power_law(pool, at, depth, rate): ...

    contact.law = power_law.address          # Python: an integer for a table
    force, energy = contact_law(contact.law, pool, contact.at, depth, rate)      # in a kernel, or in Python

    own = contact_law.compile(function)      # a user's function, by numba (keep `own`; own.address)
    own = contact_law.call_back(function)    # the same, called back in Python
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np

from flexmbs.machine_code import load_objects as library
from flexmbs.machine_code.signature import ArrayOf, Signature, python_stub
from flexmbs.machine_code.switches import NUMBA_KERNELS, PLAIN_PYTHON
from flexmbs.machine_code.user_code import compile_user_function

if NUMBA_KERNELS:
    from flexmbs.machine_code.numba_types import make_callable

ENTRIES: dict[str, list[Entry]] = {}  # of each module that has been imported
_PLAIN: dict[int, Callable] = {}  # plain Python: what stands for an address


class Entry:
    """A kernel behind a C function.

    Attributes
    ----------
    function : the Python function
    signature : its typed arguments and results
    symbol : name of the C function
    """

    def __init__(self, function: Callable, signature: Signature):
        self.function, self.signature = function, signature
        self.symbol = f"{function.__module__}.{function.__name__}"
        self.__name__, self.__doc__, self.__wrapped__ = function.__name__, function.__doc__, function
        self._call = function if PLAIN_PYTHON else self._load_and_call

    def __call__(self, *arguments):
        return self._call(*arguments)

    @property
    def address(self) -> int:
        """Address of the C function (plain Python: a number that an interface knows)."""
        return _plain_address(self.function) if PLAIN_PYTHON else library.address(self.symbol)

    def _load_and_call(self, *arguments):
        self._call = _from_address(self.__name__, self.signature, self.address)
        return self._call(*arguments)

    def __repr__(self) -> str:
        return f"<entry {self.symbol}>"


class Interface:
    """Arguments and results of functions that are called by address."""

    def __init__(self, function: Callable):
        self.signature = Signature.of(function)
        self.__name__, self.__doc__, self.__module__ = function.__name__, function.__doc__, function.__module__
        self._known: dict[int, Callable] = {}

    def __call__(self, address, *arguments):
        if PLAIN_PYTHON:
            return _PLAIN[int(address)](*arguments)
        address = int(address)
        if address not in self._known:
            self._known[address] = _from_address(self.__name__, self.signature, address)
        return self._known[address](*arguments)

    def compile(self, function: Callable) -> OwnFunction:
        """A user's function as a C function by numba; CannotCompileError where it cannot."""
        if PLAIN_PYTHON:
            return OwnFunction(_plain_address(function), function)
        made = compile_user_function(function, self.signature)
        return OwnFunction(made.address, made)

    def call_back(self, function: Callable) -> OwnFunction:
        """A Python function behind a C function; its exceptions are printed, not raised: it should catch its own."""
        if PLAIN_PYTHON:
            return OwnFunction(_plain_address(function), function)
        result, arguments = self.signature.c_prototype()
        if len(self.signature.results) > 1:
            raise TypeError(f"{self.__name__}: a function with several results cannot be called back")
        callback = ctypes.CFUNCTYPE(result, *arguments)(_with_arrays(function, self.signature))
        return OwnFunction(ctypes.cast(callback, ctypes.c_void_p).value, callback)


class OwnFunction:
    """C function of a user's function; it must be kept as long as its address is used."""

    def __init__(self, address: int, alive):
        self.address, self._alive = address, alive


def entry(given):
    """Decorator, see the head of this file: ``@entry`` with annotations, or ``@entry(interface)``."""
    if isinstance(given, Interface):
        return lambda function: _made(function, given.signature)
    return _made(given, Signature.of(given))


def interface(function) -> Interface:
    """Decorator of a function without a body; see the head of this file."""
    made = Interface(function)
    if NUMBA_KERNELS:
        make_callable(made, made.signature, None)
    return made


def _made(function, signature: Signature) -> Entry:
    made = Entry(function, signature)
    ENTRIES.setdefault(function.__module__, []).append(made)
    if NUMBA_KERNELS:
        make_callable(made, signature, made.symbol)
    return made


def _plain_address(function: Callable) -> int:
    _PLAIN[id(function)] = function  # kept, so that no other one gets its number
    return id(function)


def _from_address(name: str, signature: Signature, address: int) -> Callable:
    result, arguments = signature.c_prototype()
    call = ctypes.PYFUNCTYPE(result, *arguments)(address)
    return python_stub(name, signature, call, library.failures)


def _with_arrays(function: Callable, signature: Signature) -> Callable:
    """The function as ctypes calls it: arrays from their addresses and lengths."""
    if not any(isinstance(kind, ArrayOf) for kind in signature.kinds):
        return function
    views: dict[tuple, np.ndarray] = {}

    def call(*words):
        values, at = [], 0
        for kind in signature.kinds:
            if isinstance(kind, ArrayOf):
                key = words[at : at + 1 + kind.dimensions]
                if key not in views:
                    views[key] = _view(kind, *key)
                values.append(views[key])
                at += 1 + kind.dimensions
            else:
                values.append(words[at])
                at += 1
        return function(*values)

    return call


def _view(kind: ArrayOf, address: int, *shape: int) -> np.ndarray:
    dtype = np.dtype(kind.dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    if size == 0:
        return np.zeros(shape, dtype)
    return np.frombuffer((ctypes.c_char * size).from_address(address), dtype).reshape(shape)

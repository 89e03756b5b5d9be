"""Entries and interfaces: what their annotations mean, what is refused, what is passed."""

import ctypes
import os
import subprocess
import sys

import numpy as np
import pytest

from flexmbs.core.layout.tables import Tables
from flexmbs.machine_code.blocks import Block
from flexmbs.machine_code.entry import entry, interface
from flexmbs.machine_code.signature import ArrayOf, Floats, Integers2, Signature, python_stub


class Pair(Block):
    fields = {"values": ("f8", 1), "count": ("i8", 0)}


def stated(block: Pair, x: Floats, table: Integers2, k: int, t: float) -> tuple[int, float, bool]: ...


def test_annotations_become_kinds():
    signature = Signature.of(stated)
    assert signature.names == ("block", "x", "table", "k", "t")
    assert signature.kinds == (Pair, ArrayOf("f8", 1), ArrayOf("i8", 2), int, float)
    assert signature.results == (int, float, bool)
    result, arguments = signature.c_prototype()
    word, double = ctypes.c_int64, ctypes.c_double
    assert result is None and arguments == [word, word, word, word, word, word, word, double, ctypes.c_void_p]


def test_what_no_entry_can_take_is_refused():
    def without(x, y: float) -> None: ...

    def text(x: str) -> None: ...

    def odd(x: float) -> str: ...

    for function, words in ((without, "no type is stated for x"), (text, "which no entry can take"), (odd, "returns")):
        with pytest.raises(TypeError, match=words):
            Signature.of(function)


class TestCalls:
    """What the Python side of an entry passes to the C function."""

    @pytest.fixture
    def passed(self):
        found = []

        def c_function(*words):
            found.append(words)
            words[-1][0], words[-1][2] = 7, 1
            ctypes.c_double.from_buffer(words[-1], 8).value = 2.5

        found.append(python_stub("stated", Signature.of(stated), c_function, []))
        return found

    def test_words_and_results(self, passed):
        block, x, table = Pair(values=[1.0, 2.0], count=3), np.arange(4.0), np.arange(6).reshape(2, 3)
        assert passed[0](block, x, table, np.int64(5), 1) == (7, 2.5, True)
        words = passed[1][:-1]
        assert words == (block.address, x.ctypes.data, 4, table.ctypes.data, 2, 3, 5, 1.0)

    @pytest.mark.parametrize(
        ("name", "value", "words"),
        [
            ("x", np.arange(4), "x must be a C-contiguous array of float64 with 1 dimensions; got int64"),
            ("x", np.zeros((2, 2)), "x must be"),
            ("x", np.zeros(8)[::2], "x must be"),
            ("x", [1.0], "x must be .* got list"),
            ("table", np.zeros((2, 2)), "table must be a C-contiguous array of int64"),
            ("block", object(), "block must be a Pair; got object"),
        ],
    )
    def test_wrong_arguments_are_named(self, passed, name, value, words):
        right = {"block": Pair(values=[1.0], count=1), "x": np.zeros(2), "table": np.zeros((1, 1), int)}
        with pytest.raises(TypeError, match=words):
            passed[0](**{**right, name: value}, k=1, t=0.0)

    def test_an_error_inside_is_raised(self):
        def c_function(*_words):
            failures.append("flexmbs.core.advance")

        failures = []
        call = python_stub("stated", Signature.of(stated), c_function, failures)
        with pytest.raises(RuntimeError, match="inside compiled code: flexmbs.core.advance"):
            call(Pair(values=[1.0], count=1), np.zeros(2), np.zeros((1, 1), int), 1, 0.0)
        assert failures == []


def test_record_arrays_are_read_as_attributes():
    """As kernels read them, also where they run as Python."""
    names = Tables.fields["bodies"][0].names
    assert "root_mass" in names
    record = np.zeros(2, Tables.fields["bodies"][0])
    record["root_mass"] = 3.0

    class One(Block):
        fields = {"bodies": Tables.fields["bodies"]}

    assert One(bodies=record).bodies[1].root_mass == 3.0


@interface
def two_numbers(x: float, values: Floats) -> tuple[float, float]:
    """What a test calls by address."""


@interface
def one_number(x: float, n: int) -> float:
    """What a test calls by address, and calls back."""


def test_a_users_function_is_called_by_its_address():
    own = two_numbers.compile(lambda x, values: (x + values[1], x * values[0]))
    assert two_numbers(own.address, 2.0, np.array([3.0, 4.0])) == (6.0, 6.0)
    back = one_number.call_back(lambda x, n: x + n)
    assert one_number(back.address, 0.5, 2) == 2.5


def test_an_exception_in_a_users_function_gives_nan():
    def fails(x, n):
        if x < 0.0:
            raise ValueError("negative")
        return x

    own = one_number.compile(fails)
    assert one_number(own.address, 1.0, 0) == 1.0
    assert np.isnan(one_number(own.address, -1.0, 0))


def test_an_entry_takes_the_types_of_its_interface():
    @entry(one_number)
    def untyped(x, n):
        return x

    assert untyped.signature == one_number.signature
    assert untyped.symbol == f"{__name__}.untyped"


PLAIN = """
from flexmbs.machine_code.entry import entry, interface

@interface
def law(x: float) -> float: ...

@entry(law)
def cube(x):
    return x**3

own = law.compile(lambda x: 2.0 * x)
assert cube(2.0) == 8.0 and law(cube.address, 3.0) == 27.0 and law(own.address, 4.0) == 8.0
import sys
assert "numba" not in sys.modules and "llvmlite" not in sys.modules
"""


def test_plain_python_calls_the_functions_themselves():
    environment = {**os.environ, "FLEXMBS_PLAIN_PYTHON": "1"}
    subprocess.run([sys.executable, "-c", PLAIN], env=environment, check=True, timeout=120)


ALLOCATES = """
import numpy as np
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.object_code import link_late, object_file
from flexmbs.machine_code.signature import Floats

@entry
def sums(x: Floats) -> float:
    total = 0.0
    for i in range(len(x)):
        total += x[i]
    return total

@entry
def squares(x: Floats) -> float:
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] * x[i]
    return y.sum()

link_late()
assert len(object_file([sums])) > 100
try:
    object_file([squares])
except TypeError as error:
    print(error)
"""


def test_a_kernel_that_allocates_is_refused_when_it_is_compiled():
    """Without numba its machine code could not be linked, and would jump nowhere."""
    environment = {**os.environ, "FLEXMBS_NUMBA_KERNELS": "1"}
    command = [sys.executable, "-c", ALLOCATES]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "__main__: a kernel allocates memory" in done.stdout

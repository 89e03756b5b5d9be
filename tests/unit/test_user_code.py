"""Machine code of users' functions: compiled once per code, found again, with the values that outer variables have."""

import gc
import subprocess
import sys
import types

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.core.mechanics.signals import time_function
from flexmbs.machine_code import load_objects, user_code
from flexmbs.machine_code.outer_values import COUNT

LEVEL = 2.0


@pytest.fixture
def compiled(monkeypatch, tmp_path):
    """Calls of the compiler, with nothing known yet and an empty cache folder."""
    load_objects.load()
    calls, compile_now = [], user_code._compiled

    def counted(outer, signature):
        calls.append(outer)
        return compile_now(outer, signature)

    monkeypatch.setattr(user_code, "_compiled", counted)
    monkeypatch.setattr(user_code, "_objects", {})
    monkeypatch.setattr(user_code, "_idle", {})
    monkeypatch.setattr(user_code, "_used", type(user_code._used)())
    monkeypatch.setattr(user_code, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(user_code, "folders_to_read", lambda: (tmp_path,))
    return calls


def value(function, t=1.0):
    own = time_function.compile(function)
    return time_function(own.address, t)


def test_values_of_outer_variables_are_read_and_not_compiled_in(compiled, monkeypatch):
    def scaled(k, table):
        return lambda t: k * t + table[-1] + LEVEL + table.shape[0]

    assert value(scaled(3.0, np.arange(4.0))) == 3.0 + 3.0 + 2.0 + 4.0
    assert value(scaled(-5.0, np.full(7, 0.5))) == -5.0 + 0.5 + 2.0 + 7.0
    monkeypatch.setitem(globals(), "LEVEL", 8.0)
    assert value(scaled(3.0, np.arange(9.0)[::2])) == 3.0 + 8.0 + 8.0 + 5.0
    assert len(compiled) == 1


def test_functions_that_are_used_at_once_keep_their_own_values(compiled):
    def scaled(k):
        return lambda t: k * t

    numbers = np.arange(2.5 * COUNT)
    owns = [time_function.compile(scaled(float(k))) for k in numbers]
    assert [time_function(own.address, 2.0) for own in owns] == list(2.0 * numbers)
    assert len({own.address for own in owns}) == len(owns)
    assert time_function.compile(scaled(3.0)).address == owns[3].address  # the same function at two places
    assert len(compiled) == 1


def test_what_nobody_uses_any_more_is_used_again(compiled, monkeypatch):
    loads, load = [], user_code._places
    monkeypatch.setattr(user_code, "_places", lambda content: loads.append(1) or load(content))
    for k in range(3 * COUNT):
        scale = float(k)
        assert value(lambda t: scale * t, 2.0) == 2.0 * k  # noqa: B023
        gc.collect()
    assert (len(compiled), len(loads)) == (1, 1)


def function_of(source, **scope):
    exec(source, scope)
    return scope["force"]


def test_code_and_other_values_are_compiled_in(compiled):
    helped = "def help(x):\n    return {}\ndef force(t):\n    return help(t) + n\n"
    module = types.ModuleType("laws")
    exec("factor = 2.0\ndef law(x):\n    return factor * x", module.__dict__)
    cases = [
        (function_of("def force(t):\n    return 2.0 * t"), 2.0),
        (function_of("def force(t):\n    return 3.0 * t"), 3.0),
        (function_of(helped.format("x"), n=1), 2.0),
        (function_of(helped.format("2.0 * x"), n=1), 3.0),
        (function_of(helped.format("x"), n=2), 3.0),
        (function_of("def force(t, k=4.0):\n    return k * t"), 4.0),
        (function_of("def force(t, k=5.0):\n    return k * t"), 5.0),
        (function_of("def force(t):\n    return laws.law(t)", laws=module), 2.0),
        (function_of("def force(t):\n    return pair[1] * t", pair=(1.0, 7.0)), 7.0),
        (function_of("def force(t):\n    return pair[1] * t", pair=(1.0, 9.0)), 9.0),
    ]
    for number, (function, expected) in enumerate(cases):
        assert value(function) == expected
        assert len(compiled) == number + 1
    module.factor = 5.0  # is read, as an outer value of a function
    assert value(cases[7][0]) == 5.0
    assert value(function_of("\n\ndef force(t):\n    'As the first.'\n    # moved\n    return 2.0 * t")) == 2.0
    assert value(function_of("\n\ndef force(t):\n    'Again.'\n    return 2.0 * t")) == 2.0
    assert len(compiled) <= len(cases) + 1  # from Python 3.13 on constants differ once there is a docstring


def test_damaged_and_foreign_files_are_compiled_anew(compiled, tmp_path):
    def force(t):
        return 6.0 * t

    for damage in (None, lambda path: path.write_bytes(path.read_bytes()[:-9]), lambda path: path.chmod(0o666)):
        user_code._objects.clear()
        found = list(tmp_path.rglob("user-*.o"))
        if damage is not None:
            damage(found[0])
        before = len(compiled)
        assert value(force) == 6.0
        assert len(compiled) == before + 1
    user_code._objects.clear()
    assert value(force) == 6.0
    assert len(compiled) == 3  # from the file


MODULE = """
import math

def help(x):
    return math.sin(x) + 1.0

def force(t):
    return 11.0 * help(t)
"""
OTHER_PROCESS = """
import sys
sys.path.insert(0, sys.argv[1])
from users_laws import force
from flexmbs.core.mechanics.signals import time_function
from flexmbs.machine_code import user_code
own = time_function.compile(force)
assert abs(time_function(own.address, 0.5) - force(0.5)) < 1e-13
print(user_code.seconds_so_far(), "numba" in sys.modules)
"""


def test_another_process_finds_it_and_needs_no_numba(tmp_path):
    (tmp_path / "users_laws.py").write_text(MODULE)
    scope = {"__name__": "users_laws"}
    exec(MODULE, scope)
    time_function.compile(scope["force"])
    command = [sys.executable, "-c", OTHER_PROCESS, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.stdout.split() == ["0.0", "False"], done.stderr


def one_slider(function, **options):
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    body = system.add(fm.RigidBody.box(1000.0, (0.1, 0.1, 0.1)), name="body")
    joint = system.prismatic(system.ground["origin"], body["origin"], axis="x", name="slide", displacement=1.0)
    joint.actuate(function, [system.sensor("coordinate", joint)], **options)
    return system


def test_second_call_compiles_nothing_and_says_so(compiled):
    def pulled(k):
        return lambda t, x: -k * x

    found = [one_slider(pulled(k)).simulate(0.5) for k in (9.0, 9.0, 16.0)]
    seconds = [result.stats["compile_seconds"] for result in found]
    assert len(compiled) == 2 and seconds[0] > 0.02 > max(seconds[1:])  # and the function that hands on the time
    for result, k in zip(found, (9.0, 9.0, 16.0), strict=True):
        assert result["slide.displacement"][-1] == pytest.approx(np.cos(0.5 * np.sqrt(k)), abs=1e-5)


def doubled(x):
    return x + shifted(x)


def shifted(x):
    return x


def odd(x):
    y = 2.0 * x
    return y.as_integer_ratio()[0]  # the line that is told


def test_helpers_are_compiled_and_what_cannot_be_is_told_with_its_line(compiled, recwarn):
    result = one_slider(lambda t, x: -doubled(x)).simulate(0.1)
    assert result["slide.displacement"][-1] == pytest.approx(np.cos(0.1 * np.sqrt(2.0)), abs=1e-6)
    assert not recwarn.list and result.stats["warnings"] == []
    line = odd.__code__.co_firstlineno + 2
    text = rf"joint 'slide', effort .*test_user_code.py:{line}: .*as_integer_ratio.* is called back in Python"
    with pytest.warns(fm.MechanismWarning, match=text):
        result = one_slider(lambda t, x: 0.0 * odd(x)).simulate(0.1)
    assert any(f"test_user_code.py:{line}" in warning for warning in result.stats["warnings"])
    count = len(compiled)
    with pytest.warns(fm.MechanismWarning, match=text):  # and not tried again
        one_slider(lambda t, x: 0.0 * odd(x)).simulate(0.1)
    assert len(compiled) == count
    seen = []
    with pytest.warns(fm.MechanismWarning, match="reads the list 'seen', of which compiled code would have a copy"):
        one_slider(lambda t, x: -x + 0.0 * len(seen)).simulate(0.1)
    recwarn.clear()
    one_slider(lambda t, x: -x + 0.0 * len(seen), compiled=False).simulate(0.1)
    assert not recwarn.list


def test_exception_in_a_compiled_helper_is_told_with_its_force(compiled):
    def limited(t):
        if t > 0.5:
            raise ValueError("the valve is shut")
        return t

    system = one_slider(lambda t, x: 0.0)
    system.force(system.bodies["body"]["origin"], (lambda t: limited(t), 0.0, 0.0), name="gust")
    with pytest.raises(fm.SimulationError, match="force 'gust' raised ValueError.*the valve is shut.* at t = 0.5"):
        system.simulate(1.0)
    assert len(compiled) == 3  # none of them is called back

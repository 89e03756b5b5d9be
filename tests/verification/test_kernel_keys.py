"""Keys of object files against what is compiled: the linked code of all modules, before and after a kernel has changed.

Ten files of the core are drawn, and in each a number in a kernel is changed. Exactly the modules whose code changes must
get another key; and code that is put together from kept translations must be what is translated anew.
"""

import ast
import json
import random
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import flexmbs
from flexmbs.machine_code.build import _environment
from flexmbs.machine_code.target_processor import baseline

PACKAGE = Path(flexmbs.__file__).parent
NEEDED = ("core", "machine_code", "common", "fem/solids")
CODE = """
import gc, hashlib, importlib, json, re, sys
from numba.core import codegen
from flexmbs.machine_code import object_code, sources, translations
from flexmbs.machine_code.entry import ENTRIES

class Linked(Exception):
    pass

def stop(library):
    # addresses of called functions and of types, which nothing uses; numbers in names of numba's own functions
    addresses = r"^@[^ ]* = internal global ptr .*$|numba.dynamic.globals.[0-9a-f]+"
    counts = r"(?<=[a-z0-9])B[0-9]+v[0-9]+(?=B)|(?<=[A-Za-z0-9]{2})[.][0-9]+(?=[( ,])"
    text = re.sub(f"{addresses}|{counts}", "", str(library._final_module), flags=re.MULTILINE)
    text = "\\n".join(sorted(filter(None, text.splitlines())))  # functions may stand in another order
    raise Linked(hashlib.sha256(text.encode()).hexdigest())

codegen.JITCodeLibrary._optimize_final_module = stop
object_code.link_late()
translations.keep_translations()
gc.disable()
found = {}
for module in json.loads(sys.argv[1]):
    importlib.import_module(module)
    try:
        object_code.object_file(ENTRIES[module])
    except Linked as text:
        found[module] = str(text)
print(json.dumps(found))
"""
KEYS = "import json; from flexmbs.machine_code import sources; print(json.dumps(sources.keys()))"


def answer(package: Path, *command: str, cache: str = "cache") -> dict[str, str]:
    environment = {**_environment(baseline()), "PYTHONPATH": str(package.parent), "FLEXMBS_CACHE": str(package.parent / cache)}
    done = subprocess.run(  # Python looks for modules where it runs first
        [sys.executable, "-c", *command], env=environment, cwd=package.parent, stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(done.stdout)


def code_of(package: Path, modules: list[str], **options) -> dict[str, str]:
    """Hash of the linked code of each module, by two processes."""
    with ThreadPoolExecutor(2) as pool:
        parts = pool.map(lambda part: answer(package, CODE, json.dumps(part), **options), (modules[::2], modules[1::2]))
        return {module: text for part in parts for module, text in part.items()}


def numbers_of_kernels(path: Path) -> list[ast.Constant]:
    functions = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)]
    kernels = [f for f in functions if any("kernel" in ast.dump(mark) or "entry" in ast.dump(mark) for mark in f.decorator_list)]
    nodes = [node for kernel in kernels for part in kernel.body for node in ast.walk(part)]
    return [node for node in nodes if isinstance(node, ast.Constant) and type(node.value) is float]


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> Path:
    """A copy of what is needed to compile."""
    copy = tmp_path_factory.mktemp("kernels") / "flexmbs"
    for name in NEEDED:
        shutil.copytree(PACKAGE / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "shipped"))
    for init in ("__init__.py", "fem/__init__.py"):
        shutil.copy(PACKAGE / init, copy / init)
    return copy


@pytest.mark.slow
def test_keys_change_with_the_code_and_with_nothing_else(package):
    keys = answer(package, KEYS)
    code = code_of(package, list(keys))
    files = sorted(path for path in (package / "core").rglob("*.py") if numbers_of_kernels(path))
    draw = random.Random(37)
    concerned = []
    for path in draw.sample(files, 10):
        source = path.read_text()
        number = draw.choice(numbers_of_kernels(path))
        lines = source.splitlines(keepends=True)
        line = lines[number.lineno - 1]
        changed = f"{line[: number.col_offset]}{number.value + 0.015625!r}{line[number.end_col_offset :]}"
        path.write_text("".join([*lines[: number.lineno - 1], "# a comment\n", changed, *lines[number.lineno :]]))
        now, others = code_of(package, list(keys)), answer(package, KEYS)
        path.write_text(source)
        concerned.append({module for module in keys if now[module] != code[module]})
        assert {module for module in keys if others[module] != keys[module]} == concerned[-1], path
    assert sum(map(bool, concerned)) >= 8  # a kernel may be called by nobody
    assert max(map(len, concerned)) < len(keys) / 2


@pytest.mark.slow
def test_kept_translations_are_those_that_would_be_made(package):
    modules = ["flexmbs.core.equations.residual", "flexmbs.core.constraints"]
    code_of(package, modules)
    assert code_of(package, modules) == code_of(package, modules, cache="empty")


@pytest.mark.slow
def test_damaged_translations_are_made_again(package):
    modules = ["flexmbs.core.mechanics.signals"]
    code = code_of(package, modules, cache="damaged")
    files = list((package.parent / "damaged" / "translations").iterdir())
    for number, path in enumerate(files):
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 16
        path.write_bytes([b"", content[:-7], content][number % 3])
    assert files and code_of(package, modules, cache="damaged") == code

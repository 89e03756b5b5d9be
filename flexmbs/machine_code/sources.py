"""Which modules hold entries, and a key of what the machine code of each is made of.

An object file holds the entries of one module and all kernels that they call; other entries and interfaces are called
by symbol or address, so only their signatures matter. The key of a module is a hash over that closure: syntax trees
without docstrings, with what the names in them stand for, down to the statements that make a constant or a block.
Comments, layout and what else stands in these files change no key.
"""

from __future__ import annotations

import ast
import hashlib
import re
from functools import cache
from importlib.metadata import version
from pathlib import Path

from flexmbs.machine_code.switches import BOUNDS_CHECKED

PACKAGE = Path(__file__).resolve().parent.parent
#: Folders and files of the package in which entries are looked for.
PLACES = ("core", "fem/solids/second_order_kernel.py")
#: Modules of this folder that shape machine code; the others only move it about.
_SHAPING = ("blocks", "external_symbols", "kernel", "numba_types", "object_code", "signature")
_ENTRY = re.compile(r"^@entry\b", re.MULTILINE)
_MACHINE_CODE = "flexmbs.machine_code"
# Names, and attributes of names, in the text of a syntax tree without names of fields.
_NAME = re.compile(r"\bName\('(\w+)'")
_ATTRIBUTE = re.compile(r"\bAttribute\(Name\('(\w+)'(?:, Load\(\))?\), '(\w+)'")
_DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


@cache
def _file_of(name: str) -> Path | None:
    """File of a module of the package; None when there is none of that name."""
    path = PACKAGE.joinpath(*name.split(".")[1:])
    return next((place for place in (path.with_suffix(".py"), path / "__init__.py") if place.is_file()), None)


def _statements(name: str) -> list[ast.stmt]:
    """Statements of a module, without docstrings."""
    tree = ast.parse(_file_of(name).read_bytes())
    for node in (tree, *tree.body, *(part for made in tree.body if isinstance(made, ast.ClassDef) for part in made.body)):
        if isinstance(node, (ast.Module, *_DEFINITIONS)) and node.body and _is_text(node.body[0]):
            node.body = node.body[1:]
    return tree.body


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(getattr(statement.value, "value", None), str)


class Module:
    """What the names of a module stand for.

    Attributes
    ----------
    made_by : name -> statements that make it: definitions, assignments, loops that fill it
    imported : name -> (module, name in it; empty: the module itself)
    """

    def __init__(self, name: str):
        self.made_by: dict[str, list[ast.stmt]] = {}
        self.imported: dict[str, tuple[str, str]] = {}
        for statement in _statements(name):
            if isinstance(statement, _DEFINITIONS):
                self.made_by.setdefault(statement.name, []).append(statement)
                continue
            for made in set(_changed_names(statement)):
                self.made_by.setdefault(made, []).append(statement)
            for node in ast.walk(statement):
                if isinstance(node, ast.ImportFrom):
                    self.imported |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
                elif isinstance(node, ast.Import):
                    self.imported |= {alias.asname or alias.name: (alias.name, "") for alias in node.names}


def _changed_names(statement: ast.stmt):
    """Names that a statement outside definitions binds, and those of objects that it changes or calls methods of."""
    for node in ast.walk(statement):
        if isinstance(node, _DEFINITIONS):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            yield _root(node)
        elif isinstance(statement, ast.Expr) and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield _root(node.func)


def _root(node: ast.expr) -> str:
    """The name at the beginning of ``name.attribute[index]``; empty where there is none."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


@cache
def _module(name: str) -> Module:
    return Module(name)


def _mentioned(module: Module, text: str) -> set[tuple[str, ...]]:
    """Names of the module in the text of syntax trees; of an imported module with the attribute that is taken."""
    known = module.imported.keys() | module.made_by.keys()
    names = {(name,) for name in _NAME.findall(text) if name in known}
    return names | {(name, attribute) for name, attribute in _ATTRIBUTE.findall(text) if name in module.imported}


class Closure:
    """Hashes of what names of the package stand for, each with all that it is made of.

    Parameters
    ----------
    kernels_by_name : of the kernels that a name calls only their names and arguments count, as of entries
    """

    def __init__(self, kernels_by_name: bool = False):
        self._by_name = ("entry", "interface", "kernel") if kernels_by_name else ("entry", "interface")
        self.modules: set[str] = set()  # in which names were looked up
        self._known: dict[tuple[str, str, bool], str] = {}
        self._whole: dict[tuple[str, str, bool], str] = {}
        self._texts: dict[tuple[str, str, bool], str] = {}
        self._open: set[tuple[str, str, bool]] = set()  # what is being hashed

    def of(self, module: str, name: str, called: bool = True) -> str:
        """Hash of a name. Of an entry or interface that is ``called`` only its symbol and signature count."""
        key = module, name, called
        if key in self._known:
            return self._known[key]
        if key in self._open:  # it is made of itself
            return self._hash_of_all(key)
        self._open.add(key)
        text = self._text(*key)
        meanings = [(mention, self.of(*there, True) if there else full) for mention, there, full in self._mentions(key, text)]
        self._open.remove(key)
        self._known[key] = hashlib.sha256(f"{text}{meanings}".encode()).hexdigest()
        return self._known[key]

    def _hash_of_all(self, key: tuple[str, str, bool]) -> str:
        """Hash of all texts that a name reaches, with their places."""
        if key not in self._whole:
            self._whole[key] = hashlib.sha256(str(sorted(self.reached(key).items())).encode()).hexdigest()
        return self._whole[key]

    def reached(self, *keys: tuple[str, str, bool]) -> dict[tuple[str, str, bool], str]:
        """Texts of names and of all that they are made of."""
        found: dict[tuple[str, str, bool], str] = {}
        waiting = list(keys)
        while waiting:
            key = waiting.pop()
            if key not in found:
                found[key] = self._text(*key)
                waiting += [(*there, True) for _, there, _ in self._mentions(key, found[key]) if there]
        return found

    def _text(self, module: str, name: str, called: bool) -> str:
        """What makes a name, as syntax trees."""
        key = module, name, called
        if key in self._texts:
            return self._texts[key]
        self.modules.add(module)
        parts: list = _module(module).made_by.get(name, [])
        place = ""
        if called and any(_marker(part) in self._by_name for part in parts):
            place = f"{module}.{name}"
            parts = [x for part in parts for x in (part.args, part.returns, *part.decorator_list) if x is not None]
        self._texts[key] = "\n".join([place, *(ast.dump(part, annotate_fields=False) for part in parts)])
        return self._texts[key]

    def _mentions(self, key: tuple[str, str, bool], text: str) -> list[tuple]:
        """What a text names, in order: (name, its module and name in the package or None, full name elsewhere)."""
        here = _module(key[0])
        mentions = sorted(_mentioned(here, text) - {(key[1],)})
        return [(mention, *_place(here, key[0], mention)) for mention in mentions]


def _place(here: Module, module: str, mention: tuple[str, ...]) -> tuple[tuple[str, str] | None, str]:
    """Where a name of a module is made: module and name in the package, or None and what others call it."""
    name = mention[0]
    if name in here.made_by:
        return (module, name), ""
    source, attribute = here.imported[name]
    full = f"{source}.{attribute}" if attribute else source
    if not source.startswith("flexmbs") or source.startswith(_MACHINE_CODE):
        return None, full
    if _file_of(full) is not None and full != source:  # a module
        return ((full, mention[1]) if len(mention) > 1 else None), full
    while attribute not in (other := _module(source)).made_by and attribute in other.imported:  # passed on
        source, attribute = other.imported[attribute]
    return (source, attribute), ""


def _marker(statement: ast.stmt) -> str:
    """``kernel`` for functions that are compiled in; ``entry``, ``interface`` for those that are called by symbol, address."""
    for decorator in getattr(statement, "decorator_list", ()):
        name = _root(decorator.func if isinstance(decorator, ast.Call) else decorator)
        if name in ("entry", "interface", "kernel"):
            return name
    return ""


def entry_modules() -> list[str]:
    """Names of all modules that hold entries, in alphabetic order."""
    found = []
    for file in watched_files():
        if _ENTRY.search(file.read_text(encoding="utf-8")):
            parts = file.relative_to(PACKAGE).with_suffix("").parts
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            found.append(".".join(("flexmbs", *parts)))
    return sorted(found)


def watched_files() -> list[Path]:
    """All files in which kernels may stand."""
    places = [PACKAGE / place for place in PLACES]
    return [file for path in places for file in (sorted(path.rglob("*.py")) if path.is_dir() else [path])]


def digest_of_sources() -> str:
    """Hash of all files that keys depend on, to the byte: as long as it is the same, keys need not be computed."""
    digest = hashlib.sha256()
    for file in (*watched_files(), *(_file_of(f"{_MACHINE_CODE}.{name}") for name in (*_SHAPING, "sources"))):
        digest.update(f"\n{file.relative_to(PACKAGE).as_posix()}\n".encode() + file.read_bytes())
    return digest.hexdigest()


def circumstances() -> str:
    """What else machine code depends on: versions of what compiles it, and whether it checks indices."""
    versions = [f"{name} {version(name)}" for name in ("numba", "llvmlite")]
    return ", ".join([*versions, *(["bounds checked"] if BOUNDS_CHECKED else [])])


@cache
def shaping() -> str:
    """Hash of what makes machine code of kernels."""
    digest = hashlib.sha256(circumstances().encode())
    for name in _SHAPING:
        digest.update("\n".join(map(ast.dump, _statements(f"{_MACHINE_CODE}.{name}"))).encode())
    return digest.hexdigest()


@cache
def _closure() -> Closure:
    return Closure()


def keys() -> dict[str, str]:
    """Key of each module that holds entries."""
    closure, found = _closure(), {}
    for module in entry_modules():
        digest = hashlib.sha256(shaping().encode())
        for name in _entries(module):
            digest.update(f"\n{closure.of(module, name)} {closure.of(module, name, called=False)}".encode())
        found[module] = digest.hexdigest()[:32]
    _refuse_unwatched(closure)
    return found


def _entries(module: str) -> list[str]:
    """Names of the entries of a module, in the order in which they are compiled."""
    made_by = _module(module).made_by
    return [name for name, parts in made_by.items() if any(_marker(part) == "entry" for part in parts)]


def _refuse_unwatched(closure: Closure) -> None:
    watched = set(watched_files())
    others = sorted(name for name in closure.modules if _file_of(name) not in watched)
    if others:
        raise RuntimeError(f"kernels use what stands outside {', '.join(PLACES)}: {', '.join(others)}")


def size_of(module: str) -> int:
    """Size of all that is compiled for a module: who compiles several modules begins with the longest."""
    return sum(map(len, _closure().reached(*((module, name, False) for name in _entries(module))).values()))

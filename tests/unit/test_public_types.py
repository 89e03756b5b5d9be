"""Type checkers and editors know what public functions and methods take and return."""

import inspect
from pathlib import Path
from typing import get_type_hints

import flexmbs as fm
from flexmbs.analysis.run.simulate import SimulateOptions, simulate

PACKAGE = Path(fm.__file__).parent


def test_package_says_that_it_is_typed():
    assert (PACKAGE / "py.typed").exists()


def public_callables():
    """(label, function) of all public functions, and of the public methods and the constructors of public classes."""
    for name in fm.__all__:
        value = getattr(fm, name)
        if inspect.isfunction(value):
            yield name, value
        elif inspect.isclass(value):
            for attribute in dir(value):
                member = inspect.getattr_static(value, attribute)
                function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
                own = str(getattr(function, "__module__", "")).startswith("flexmbs")
                if (
                    inspect.isfunction(function)
                    and own
                    and (attribute == "__init__" or not attribute.startswith("_"))
                    and function.__qualname__.split(".")[-1] == attribute
                ):
                    yield f"{name}.{attribute}", function


CALLABLES = list(public_callables())


def test_public_functions_are_annotated():
    missing = []
    for label, function in CALLABLES:
        signature = inspect.signature(function)
        missing += [
            f"{label}: {parameter.name}"
            for place, parameter in enumerate(signature.parameters.values())
            if parameter.annotation is inspect.Parameter.empty
            and not (place == 0 and "." in label and parameter.name in ("self", "cls"))
        ]
        if not label.endswith("__init__") and signature.return_annotation is inspect.Signature.empty:
            missing.append(f"{label}: what it returns")
    assert missing == []


def test_options_of_simulate_are_those_of_the_function():
    parameters = inspect.signature(simulate).parameters.values()
    assert set(get_type_hints(SimulateOptions)) == {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}


def test_public_classes_and_their_methods_have_docstrings():
    missing = [name for name in fm.__all__ if inspect.isclass(getattr(fm, name)) and not inspect.getdoc(getattr(fm, name))]
    for label, _ in CALLABLES:
        name, _, method = label.partition(".")
        owner = getattr(fm, name)
        if method not in ("", "__init__") and not (
            inspect.getdoc(inspect.getattr_static(owner, method)) or inspect.getdoc(getattr(owner, method))
        ):
            missing.append(label)
    assert missing == []

"""Type checkers and editors know what public functions and methods take and return."""

import inspect
from pathlib import Path
from typing import get_type_hints

import pytest

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


@pytest.mark.parametrize(("label", "function"), list(public_callables()), ids=lambda value: value if isinstance(value, str) else "")
def test_public_functions_are_annotated(label, function):
    signature = inspect.signature(function)
    missing = [
        parameter.name
        for place, parameter in enumerate(signature.parameters.values())
        if parameter.annotation is inspect.Parameter.empty
        and not (place == 0 and "." in label and parameter.name in ("self", "cls"))
    ]
    assert not missing
    assert label.endswith("__init__") or signature.return_annotation is not inspect.Signature.empty


def test_options_of_simulate_are_those_of_the_function():
    parameters = inspect.signature(simulate).parameters.values()
    assert set(get_type_hints(SimulateOptions)) == {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}


@pytest.mark.parametrize("name", [name for name in fm.__all__ if inspect.isclass(getattr(fm, name))])
def test_public_classes_and_their_methods_have_docstrings(name):
    assert inspect.getdoc(getattr(fm, name))
    members = [(label, function) for label, function in public_callables() if label.startswith(f"{name}.")]
    owner = getattr(fm, name)
    missing = [
        label
        for label, _ in members
        if not label.endswith("__init__")
        and not inspect.getdoc(inspect.getattr_static(owner, label.split(".")[1]))
        and not inspect.getdoc(getattr(owner, label.split(".")[1]))
    ]
    assert not missing

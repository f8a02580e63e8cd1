"""Checks which names are public, how they are described and typed, and that the descriptions are true."""

import doctest
import inspect
import pkgutil
import re
import typing
from pathlib import Path

import pytest

import matchcount as mc
from matchcount import _types

FUNCTIONS = [name for name in mc.__all__ if name[0].islower()]
CLASSES = [name for name in mc.__all__ if name[0].isupper()]
KEYWORD = inspect.Parameter.KEYWORD_ONLY


def test_dir_shows_what_is_public():
    assert dir(mc) == sorted([*mc.__all__, "__version__"])
    assert len(set(mc.__all__)) == len(mc.__all__) == 56
    assert all(hasattr(mc, name) for name in mc.__all__)


def test_the_page_of_compatibility_names_what_is_public():
    page = (Path(__file__).parents[2] / "docs" / "compatibility.md").read_text()
    named = re.findall(r"`([\w.]+)`", page[page.index("In Python `matchcount` has "):])
    gbs, gradients = named.index("matchcount.gbs"), named.index("matchcount.gradients")
    assert named[0] == "matchcount" and sorted(named[1:gbs]) == dir(mc)
    assert sorted(named[gbs + 1:gradients]) == sorted(mc.gbs.__all__)
    assert named[gradients + 1:gradients + 3] == ["matchcount.torch", "matchcount.jax"]
    assert sorted(named[gradients + 3:]) == sorted(mc.gradients.__all__)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_have_keywords_of_their_own_with_types_and_each_is_described(name):
    signature = inspect.signature(getattr(mc, name))
    assert not any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in signature.parameters.values())
    assert all(parameter.annotation is not inspect.Parameter.empty for parameter in signature.parameters.values())
    assert signature.return_annotation is not inspect.Signature.empty
    text = inspect.getdoc(getattr(mc, name))
    sections = re.findall(r"^([A-Z]\w+)\n-+$", text, re.MULTILINE)
    assert sections == [section for section in ("Parameters", "Returns", "Raises", "References", "Examples") if section in sections]
    assert {"Returns", "Examples"} <= set(sections) and (not signature.parameters or {"Parameters", "Raises"} <= set(sections))
    described = re.search(r"^Parameters\n-+\n(.*?)^Returns\n", text, re.MULTILINE | re.DOTALL)
    names = re.findall(r"^\*?([a-z_, *]+?)(?: :.*)?$", described[1] if described else "", re.MULTILINE)
    assert [name for entry in names for name in entry.split(", ")] == list(signature.parameters)
    first = text.split("\n")[0]
    assert first.endswith((".", ":")) and first.split()[0].endswith("s")


@pytest.mark.parametrize("name", CLASSES)
def test_classes_say_what_they_are(name):
    assert inspect.getdoc(getattr(mc, name))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_examples_of_docstrings_are_true(name):
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    (example,) = doctest.DocTestFinder().find(getattr(mc, name), name, globs={"matchcount": mc})
    assert example.examples
    assert runner.run(example).failed == 0


def test_the_example_of_the_package_is_true():
    assert doctest.testmod(mc).failed == 0


@pytest.mark.parametrize("type_name, ask", [
    ("Search.method", lambda name: mc.plan(mc.generate("grid", 2, 2), method=name)),
    ("Search.order", lambda name: mc.plan(mc.generate("grid", 2, 2), order=name)),
    ("Search.engine", lambda name: mc.plan(mc.generate("grid", 2, 2), engine=name)),
    ("Arithmetic.precision", lambda name: mc.plan(mc.generate("grid", 2, 2), precision=name)),
    ("Elimination.method", lambda name: mc.determinant([[1, 2], [3, 4]], method=name)),
    ("Estimates.method", lambda name: mc.estimate(mc.generate("grid", 2, 2), method=name)),
    ("Precision", lambda name: mc.plan(mc.generate("grid", 2, 2), precision=name)),
    ("Matchings", lambda name: mc.plan(mc.generate("grid", 2, 2), matchings=name)),
    ("Reading.format", lambda name: mc.read("/nonexistent", format=name)),
])
def test_the_types_of_names_are_those_that_the_library_knows(type_name, ask):
    group, _, keyword = type_name.partition(".")
    if keyword:
        stub = (Path(mc.__file__).parent / "_groups.pyi").read_text()
        names = re.findall(r'"([^"]+)"', re.search(rf"class {group}\(.*?\n    {keyword}: Literal\[(.*?)\]", stub, re.DOTALL)[1])
    else:
        names = [name for part in typing.get_args(getattr(_types, type_name)) for name in typing.get_args(part) or [part]
                 if isinstance(name, str)]
    with pytest.raises(mc.InputError, match="expected") as error:
        ask("a name that is not there")
    known = set(re.findall(r"[a-z0-9+_-]+", error.value.expected)) - {"or", "one", "of", "where"}
    # Aliases are not told.
    assert known <= set(names) and set(names) - known <= {"merge", "ranked", "lightest", "heaviest", "sdf"}


def test_families_are_typed():
    assert set(typing.get_args(_types.Family)) == set(mc._core.families())


def test_modules_are_private_and_the_package_is_typed():
    assert [module.name for module in pkgutil.iter_modules(mc.__path__) if module.name[0] != "_"] == [
        "gbs", "gradients", "jax", "molecules", "torch"]
    folder = Path(mc.__file__).parent
    assert (folder / "py.typed").exists()
    stub = (folder / "_core.pyi").read_text()
    assert set(re.findall(r"^(?:class |def )?(\w+)[(:]", stub, re.MULTILINE)) == {
        name for name in dir(mc._core) if not name.startswith("__")}

"""Every public name has a docstring as numpydoc wants it."""

import doctest
import inspect
from importlib import import_module
from pkgutil import iter_modules

import pytest
from numpydoc.docscrape import ClassDoc
from numpydoc.validate import validate

import s2fs

#: Checks that are not made: a summary may be all there is to say, related names are linked where
#: they are spoken of, examples stand where they help, and ruff says where the text begins and ends.
LEFT_OUT = {"ES01", "SA01", "EX01", "GL01", "GL02"}


def public_names():
    """Each public class, method and function by its full name."""
    for found in iter_modules(s2fs.__path__, "s2fs."):
        # The command line documents itself: s2fs --help.
        if not found.name.startswith("s2fs._") and found.name != "s2fs.cli":
            yield from names_of(import_module(found.name))
    yield from names_of(s2fs)


def names_of(module):
    for name in getattr(module, "__all__", ()):
        found, path = getattr(module, name), f"{module.__name__}.{name}"
        if inspect.isroutine(found):
            yield path, found
        elif inspect.isclass(found):
            yield path, found
            for member, value in vars(found).items():
                method = isinstance(value, property) or inspect.isfunction(inspect.unwrap(value))
                if method and not member.startswith("_"):
                    yield f"{path}.{member}", value


def fields(record):
    """What a named tuple or a data class holds; other classes have no fields."""
    return set(getattr(record, "_fields", getattr(record, "__dataclass_fields__", ())))


NAMES = dict(public_names())


@pytest.mark.parametrize("path", sorted(NAMES))
def test_a_docstring_is_complete(path):
    left_out = set(LEFT_OUT)
    if held := fields(NAMES[path]):
        left_out.add("PR01")  # fields may be described as attributes
        described = ClassDoc(NAMES[path])
        entries = [*described["Parameters"], *described["Attributes"]]
        assert held <= {name for entry in entries for name in entry.name.split(", ")}
    assert [error for error in validate(path)["errors"] if error[0] not in left_out] == []


CLASSES = {path: named for path, named in NAMES.items() if inspect.isclass(named)}


@pytest.mark.parametrize("path", sorted(CLASSES))
def test_a_public_class_is_named_by_a_public_path(path):
    """So that a persisted model names no file of the package."""
    named = CLASSES[path]
    module, name = path.rsplit(".", 1)
    assert module.startswith(named.__module__)
    assert getattr(import_module(named.__module__), name) is named


@pytest.mark.parametrize("path", sorted(CLASSES))
def test_the_examples_of_a_class_run(path):
    """Pytest looks for them in the module that a class names, which is not its file."""
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for example in doctest.DocTestFinder().find(CLASSES[path], path, module=False, globs={}):
        runner.run(example)
    assert runner.failures == 0

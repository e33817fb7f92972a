"""Checks one row of a table against a library."""

from __future__ import annotations

import enum
import inspect
from typing import TYPE_CHECKING, Any

from tests.compat.surface import configuration, instances, parameters
from tests.compat.surface.library import MissingDependencyError
from tests.compat.surface.table import MISSING

if TYPE_CHECKING:
    from tests.compat.surface.library import Library
    from tests.compat.surface.table import Row

# The table's text for a value that has no literal.
DESCRIBED = ("dict with", "{0", "{-1", "{0: ", "(aiokafka.", "<")


def problem(row: Row, library: Library) -> str | None:
    """What keeps the row from being true of the library, or None.

    Raises:
        MissingDependencyError: An original library cannot be looked at without a package that is not installed.
    """
    if row.kind == "config":
        return configuration.problem(row, library)
    try:
        found = library.find(row.name)
        if "alias" in row.remarks:
            return _alias(row, found, library)
    except MissingDependencyError:
        raise
    except AttributeError as error:
        if row.kind == "property" and _has_instance_attribute(row, library):
            return None
        return f"is missing: {error}"
    except (ImportError, NotImplementedError) as error:
        return f"is missing: {error}"
    return CHECKS[row.kind](row, found, library)


def refusal(row: Row, library: Library) -> str | None:
    """What a face says of a name that it leaves out: when it is imported, when it is taken, or when it is called."""
    try:
        found = library.find(row.name.partition(".config.")[0])
        if callable(found) and row.kind != "constant":
            found()
    except (AttributeError, ImportError, NotImplementedError) as error:
        return str(error)
    except TypeError:
        # Its arguments are asked for: it would do something.
        return None
    return None


def _alias(row: Row, found: Any, library: Library) -> str | None:
    original = library.find(row.remarks["alias"].removeprefix(f"{library.package}."))
    return None if found is original else f"is not {row.remarks['alias']} but {found!r}"


def _class(row: Row, found: Any, library: Library) -> str | None:
    if not inspect.isclass(found):
        return f"is no class but {found!r}"
    if row.remarks.get("base") == "Enum" and not issubclass(found, enum.Enum):
        return "is no enumeration"
    return _callable(row, found, library)


def _exception(row: Row, found: Any, _library: Library) -> str | None:
    if not (inspect.isclass(found) and issubclass(found, BaseException)):
        return f"is no exception but {found!r}"
    base = row.remarks.get("base", "Exception").rpartition(".")[2]
    bases = [parent.__name__ for parent in found.__mro__[1:]]
    if base not in bases:
        return f"derives from {', '.join(bases)}, not from {base}"
    # Classes of broker errors have their code in the table.
    if isinstance(row.default, int) and found.errno != row.default:  # type: ignore[attr-defined]
        return f"has the code {found.errno} instead of {row.default}"  # type: ignore[attr-defined]
    return None


def _callable(row: Row, found: Any, library: Library) -> str | None:
    if not callable(found):
        return f"cannot be called: {found!r}"
    if row.parameters == parameters.UNKNOWN or row.name.endswith("__"):
        return None
    try:
        return parameters.difference(row.parameters, found)
    except (ValueError, TypeError):
        if library.is_face:
            return "tells nothing of its parameters (text_signature)"
        return instances.difference(row, library)


def _property(_row: Row, _found: Any, _library: Library) -> str | None:
    return None


def _constant(row: Row, found: Any, _library: Library) -> str | None:
    value = found.value if isinstance(found, enum.Enum) else found
    if row.default is MISSING or (isinstance(row.default, str) and row.default.startswith(DESCRIBED)):
        return None
    # The table is of one release of several that the faces follow alike.
    if row.name == "__version__":
        same = str(value).split(".")[:2] == row.default.split(".")[:2]
    else:
        same = value == row.default or str(value) == str(row.default)
    return None if same else f"is {value!r} instead of {row.default!r}"


def _has_instance_attribute(row: Row, library: Library) -> bool:
    """Whether instances get the attribute from their class's constructor or declare it."""
    owner, _, attribute = row.name.rpartition(".")
    found = library.find(owner)
    for parent in inspect.getmro(found) if inspect.isclass(found) else ():
        declared = (*getattr(parent, "__annotations__", ()), *getattr(parent, "__slots__", ()))
        code = getattr(vars(parent).get("__init__"), "__code__", None)
        if attribute in declared or (code and attribute in (*code.co_names, *code.co_varnames)):
            return True
    return False


CHECKS = {
    "class": _class,
    "constant": _constant,
    "exception": _exception,
    "function": _callable,
    "method": _callable,
    "property": _property,
}

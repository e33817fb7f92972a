"""The names of the library six that are of use in Python 3 (`kafka.vendor.six`)."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any, NoReturn, TypeVar

from kafkars.compat.kafka.vendor.six import moves

__all__ = [
    "MAXSIZE",
    "PY2",
    "PY3",
    "add_metaclass",
    "advance_iterator",
    "b",
    "binary_type",
    "byte2int",
    "callable",
    "class_types",
    "indexbytes",
    "int2byte",
    "integer_types",
    "iterbytes",
    "iteritems",
    "iterkeys",
    "itervalues",
    "moves",
    "next",
    "python_2_unicode_compatible",
    "raise_from",
    "string_types",
    "text_type",
    "u",
    "unichr",
    "viewitems",
    "viewkeys",
    "viewvalues",
    "with_metaclass",
]

T = TypeVar("T")

PY2 = False
PY3 = True
MAXSIZE = sys.maxsize
string_types = (str,)
integer_types = (int,)
class_types = (type,)
text_type = str
binary_type = bytes
advance_iterator = next = next  # noqa: A001, PLW0127  its name
callable = callable  # noqa: A001, PLW0127
unichr = chr
int2byte = operator.methodcaller("to_bytes", 1, "big")
byte2int = operator.itemgetter(0)
indexbytes = operator.getitem
iterbytes = iter


def iteritems(mapping: Mapping[Any, Any]) -> Iterator[Any]:
    """Returns the items of a mapping, one by one."""
    return iter(mapping.items())


def iterkeys(mapping: Mapping[Any, Any]) -> Iterator[Any]:
    """Returns the keys of a mapping, one by one."""
    return iter(mapping.keys())


def itervalues(mapping: Mapping[Any, Any]) -> Iterator[Any]:
    """Returns the values of a mapping, one by one."""
    return iter(mapping.values())


def viewitems(mapping: Mapping[Any, Any]) -> ItemsView[Any, Any]:
    """Returns the items of a mapping."""
    return mapping.items()


def viewkeys(mapping: Mapping[Any, Any]) -> KeysView[Any]:
    """Returns the keys of a mapping."""
    return mapping.keys()


def viewvalues(mapping: Mapping[Any, Any]) -> ValuesView[Any]:
    """Returns the values of a mapping."""
    return mapping.values()


def b(text: str) -> bytes:
    """Returns text as bytes of Latin-1."""
    return text.encode("latin-1")


def u(text: str) -> str:
    """Returns text unchanged."""
    return text


def python_2_unicode_compatible(kind: T) -> T:
    """Returns a class unchanged."""
    return kind


def raise_from(value: BaseException, from_value: BaseException | None) -> NoReturn:
    """Raises one exception from another."""
    raise value from from_value


def add_metaclass(metaclass: type) -> Callable[[type], Any]:
    """Returns a decorator that recreates a class with a metaclass."""

    def made(kind: type) -> Any:
        left_out = {"__dict__", "__weakref__"}
        names = {name: value for name, value in vars(kind).items() if name not in left_out}
        for slot in [names["__slots__"]] if isinstance(names.get("__slots__"), str) else names.get("__slots__", ()):
            names.pop(slot, None)
        return metaclass(kind.__name__, kind.__bases__, names)

    return made


def with_metaclass(meta: type, *bases: type) -> Any:
    """Returns a base class that has a metaclass."""
    return meta("WithMetaclass", bases, {})

"""Names of the library six that mean something in Python 3 (`kafka.vendor.six`)."""

from __future__ import annotations

from collections.abc import ItemsView, KeysView, Mapping, ValuesView
from typing import Any

from kafkars.compat.kafka.vendor.six import moves

__all__ = [
    "PY2",
    "PY3",
    "binary_type",
    "integer_types",
    "iteritems",
    "iterkeys",
    "itervalues",
    "moves",
    "string_types",
    "text_type",
]

PY2 = False
PY3 = True
string_types = (str,)
integer_types = (int,)
text_type = str
binary_type = bytes


def iteritems(mapping: Mapping[Any, Any]) -> ItemsView[Any, Any]:
    """The items of a mapping."""
    return mapping.items()


def iterkeys(mapping: Mapping[Any, Any]) -> KeysView[Any]:
    """The keys of a mapping."""
    return mapping.keys()


def itervalues(mapping: Mapping[Any, Any]) -> ValuesView[Any]:
    """The values of a mapping."""
    return mapping.values()

"""Names of the library that are not offered: they can be imported, and say at their use what there is instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

SERIALIZE = (
    "serialize in the application, with a library such as fastavro, jsonschema or protobuf, and pass bytes, or pass a function as "
    "key.serializer and value.serializer"
)
"""What programs with a schema registry can do."""


class NotOffered:
    """A class whose objects cannot be made."""

    INSTEAD = ""

    def __init__(self, *_arguments: Any, **_keywords: Any) -> None:
        kind = type(self)
        raise NotImplementedError(f"{kind.__qualname__} is not offered by kafkars: {kind.INSTEAD}")


def classes(module: str, instead: str, *names: str) -> list[type[Any]]:
    """Classes of these names, for a module."""
    body = {"__module__": module, "__doc__": f"Not offered: {instead}.", "INSTEAD": instead}
    return [type(name, (NotOffered,), dict(body)) for name in names]


def functions(module: str, instead: str, *names: str) -> list[Callable[..., NoReturn]]:
    """Functions of these names, for a module."""
    return [function(module, instead, name) for name in names]


def function(module: str, instead: str, name: str) -> Callable[..., NoReturn]:
    def refused(*_arguments: Any, **_keywords: Any) -> NoReturn:
        raise NotImplementedError(f"{name}() is not offered by kafkars: {instead}")

    refused.__name__ = refused.__qualname__ = name
    refused.__module__ = module
    refused.__doc__ = f"Not offered: {instead}."
    return refused

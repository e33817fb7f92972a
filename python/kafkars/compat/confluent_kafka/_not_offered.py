"""Names of the library that are not offered: they can be imported, and say at their use what there is instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

SERIALIZE = (
    "serialize in the application, with a library such as fastavro, jsonschema or protobuf, and pass bytes, or pass a function as "
    "key.serializer and value.serializer"
)
"""What programs with a schema registry can do."""


class Refusing(type):
    """Of classes that are not offered: what the library's class has and this one has not says so, too."""

    INSTEAD: str

    def __getattr__(cls, name: str) -> NoReturn:
        """Asked for what is not there."""
        raise AttributeError(refusal(f"{cls.__qualname__}.{name}", cls.INSTEAD))


class NotOffered(metaclass=Refusing):
    """A class whose objects cannot be made."""

    INSTEAD = ""

    def __init__(self, *_arguments: Any, **_keywords: Any) -> None:
        kind = type(self)
        raise NotImplementedError(refusal(kind.__qualname__, kind.INSTEAD))


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


def others(module: str, instead: str) -> Callable[[str], NoReturn]:
    """For a module's `__getattr__`: every further name of the library's module says what there is instead.

    It is an ImportError, because `from module import name` would put words of its own in the place of an
    AttributeError's.
    """

    def refused(name: str) -> NoReturn:
        if name.startswith("__"):
            # Python asks for names of its own.
            raise AttributeError(name)
        raise ImportError(refusal(f"{module.removeprefix(FACES)}.{name}", instead), name=module)

    return refused


FACES = "kafkars.compat."


def refusal(what: str, instead: str) -> str:
    """What is said of a name."""
    return f"{what} is not offered by kafkars: {instead}"

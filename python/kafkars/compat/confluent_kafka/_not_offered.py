"""Names of the library that are not offered: they can be imported, and their use raises an error with an
alternative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

SERIALIZE = (
    "serialize in the application, with a library such as fastavro, jsonschema or protobuf, and pass bytes, or pass a function as "
    "key.serializer and value.serializer"
)
"""The alternative for programs with a schema registry."""


class Refusing(type):
    """The metaclass of classes that are not offered: attributes of the library's class raise the error, too."""

    INSTEAD: str

    def __getattr__(cls, name: str) -> NoReturn:
        """Called for attributes that do not exist."""
        raise AttributeError(refusal(f"{cls.__qualname__}.{name}", cls.INSTEAD))


class NotOffered(metaclass=Refusing):
    """A class whose objects cannot be made."""

    INSTEAD = ""

    def __init__(self, *_arguments: Any, **_keywords: Any) -> None:
        kind = type(self)
        raise NotImplementedError(refusal(kind.__qualname__, kind.INSTEAD))


def classes(module: str, instead: str, *names: str, methods: Iterable[str] = ()) -> list[type[Any]]:
    """Makes classes of these names, for a module; with methods that programs patch in their tests."""
    body = {"__module__": module, "__doc__": f"Not offered: {instead}.", "INSTEAD": instead}
    return [
        type(name, (NotOffered,), {**body, **{each: function(module, instead, each, name) for each in methods}})
        for name in names
    ]


def public(of: type[Any]) -> list[str]:
    """Returns the names of a class that a class with the same methods has."""
    return [name for name in dir(of) if not name.startswith("_")]


def functions(module: str, instead: str, *names: str) -> list[Callable[..., NoReturn]]:
    """Makes functions of these names, for a module."""
    return [function(module, instead, name) for name in names]


def function(module: str, instead: str, name: str, owner: str | None = None) -> Callable[..., NoReturn]:
    qualified = name if owner is None else f"{owner}.{name}"

    def refused(*_arguments: Any, **_keywords: Any) -> NoReturn:
        raise NotImplementedError(refusal(f"{qualified}()", instead))

    refused.__name__, refused.__qualname__ = name, qualified
    refused.__module__ = module
    refused.__doc__ = f"Not offered: {instead}."
    return refused


def others(module: str, instead: str) -> Callable[[str], NoReturn]:
    """Makes a module's `__getattr__`, which raises an error with the alternative for every further name.

    It is an ImportError, because `from module import name` would put words of its own in the place of an
    AttributeError's.
    """

    def refused(name: str) -> NoReturn:
        if name.startswith("__"):
            # Python itself looks up names such as `__path__`.
            raise AttributeError(name)
        raise ImportError(refusal(f"{module.removeprefix(FACES)}.{name}", instead), name=module)

    return refused


FACES = "kafkars.compat."


def refusal(what: str, instead: str) -> str:
    """Returns the message about a name."""
    return f"{what} is not offered by kafkars: {instead}"

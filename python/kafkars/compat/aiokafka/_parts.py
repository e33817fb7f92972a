"""A class that is written in several files."""

from __future__ import annotations

from types import FunctionType
from typing import Any, TypeVar

Kind = TypeVar("Kind", bound=type[Any])


def of_parts(*parts: type[Any]) -> Any:
    """Decorates the class that programs know: the functions of its parts say that they are its own, to whoever asks for
    their names (warnings about coroutines that were never awaited, `pickle`, reports of errors).
    """

    def whole(kind: Kind) -> Kind:
        for part in parts:
            for name, function in vars(part).items():
                if isinstance(function, FunctionType):
                    function.__module__ = kind.__module__
                    function.__qualname__ = f"{kind.__qualname__}.{name}"
        return kind

    return whole

"""What asyncio clients say to `with` and `for`, and synchronous ones to `async with` and `async for`.

The interpreter says only that the object does not support it. Type checkers need no help, so they see none of this.
"""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

C = TypeVar("C", bound=type)


def asynchronous(client: C) -> C:
    """Decorates a class that is used with `async with` and `async for`."""
    _refuse(client, ("__enter__", "__exit__"), "is of kafkars.aio: write `async with`, in a coroutine")
    if hasattr(client, "__aiter__"):
        _refuse(client, ("__iter__",), "is of kafkars.aio: write `async for`, in a coroutine")
    setattr(client, "_is_asyncio", True)  # noqa: B010  type checkers do not see it
    return client


def synchronous(client: C) -> C:
    """Decorates a class that is used with `with` and `for`."""
    _refuse(client, ("__aenter__", "__aexit__"), "is synchronous: write `with`, or take the one of kafkars.aio")
    if hasattr(client, "__iter__"):
        _refuse(client, ("__aiter__",), "is synchronous: write `for`, or take the one of kafkars.aio")
    return client


def _refuse(client: type, names: tuple[str, ...], problem: str) -> None:
    def refuse(*_: Any) -> NoReturn:
        raise TypeError(f"{client.__name__} {problem}")

    for name in names:
        setattr(client, name, refuse)

"""Native methods that stand in a class as the coroutine functions that aiokafka has there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from kafkars._kafkars import CoroutineMethod

Declared = TypeVar("Declared", bound=Callable[..., Any])


def native(method: Callable[..., Any]) -> Callable[[Declared], Declared]:
    """Puts a native method in the place of the `async def` that declares it.

    A call runs the native method without a frame of Python. Whoever asks about the method (`inspect`, `unittest.mock`,
    decorators that choose by `iscoroutinefunction`) is told of the declaration, whose body never runs.
    """

    def put(declaration: Declared) -> Declared:
        return cast("Declared", CoroutineMethod(method, declaration))

    return put

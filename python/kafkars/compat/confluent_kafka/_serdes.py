"""The serializers and deserializers of a client's configuration, and the translation of their errors.

What clients of asyncio and the others have in common is written once, as coroutines. The latter run them by
`at_once()`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from kafkars.compat.confluent_kafka.error import (
    KeyDeserializationError,
    KeySerializationError,
    ValueDeserializationError,
    ValueSerializationError,
)
from kafkars.compat.confluent_kafka.serialization import MessageField, SerializationContext

if TYPE_CHECKING:
    # With defaults, for a client whose types nobody has said; `typing` has them since Python 3.13.
    from typing_extensions import TypeVar

    K = TypeVar("K", default=Any)
    V = TypeVar("V", default=Any)
else:
    from typing import TypeVar

    K = TypeVar("K")
    V = TypeVar("V")

T = TypeVar("T")
Convert = Callable[[Any, SerializationContext], Any]
Both = tuple[Convert | None, Convert | None]
"""What converts keys, and what converts values."""

KEY, VALUE = MessageField.KEY, MessageField.VALUE

CLUSTER_ID_SECONDS = 60.0
"""How long a serializer that asks for the cluster's id waits for it, as in the library."""


class Serdes:
    """The serializers, or deserializers, of one client.

    Args:
        conf: The program's configuration; it is not changed.
        kind: "serializer" or "deserializer".
        is_async: Whether builders, serializers and what closes them may be coroutine functions.

    Raises:
        ValueError: One is given, and a builder for it as well.
    """

    def __init__(self, conf: Mapping[str, Any], kind: str, *, is_async: bool = False) -> None:
        self.conf: dict[str, Any] = dict(conf)
        """The client's own properties."""
        self._is_async = is_async
        self._owned: list[Any] = []
        self._all: list[Any] = []
        self._builders: list[Any] = []
        self._left: list[dict[str, Any]] = []
        for name in (f"key.{kind}", f"value.{kind}"):
            given, builder = self.conf.pop(name, None), self.conf.pop(f"{name}.builder", None)
            if given is not None and builder is not None:
                raise ValueError(f"{name} and {name}.builder are both set; one of them decides")
            self._all.append(given)
            self._builders.append((name, builder))

    async def build(self) -> Both:
        """Makes those that have builders; the client keeps both, under the names of the library.

        Each builder sees all properties. The client gets those that none of them has taken.

        Raises:
            ValueError: A builder has returned something else than a serializer and a dict.
        """
        try:
            for index, (name, builder) in enumerate(self._builders):
                if builder is not None:
                    self._all[index] = self._take(name, await self._awaited(builder.build({**self.conf}, index == 0)))
        except BaseException:
            with suppress(Exception):
                await self.close()
            raise
        left, self._left = self._left, []
        if left:
            self.conf = {key: value for key, value in left[-1].items() if all(key in each for each in left)}
        of_key, of_value = self._all
        return of_key, of_value

    def _take(self, name: str, answer: Any) -> Any:
        """Takes what a builder has returned. The properties are in no variable of a coroutine, where tools that report
        errors would find secrets.
        """
        try:
            built, conf = answer
        except (TypeError, ValueError):
            kind = type(answer).__name__
            raise ValueError(
                f"{name}.builder: build() must return a pair, with the configuration, not {kind}"
            ) from None
        if not isinstance(conf, dict):
            kind = type(conf).__name__
            raise ValueError(f"{name}.builder: build() must return a dict of what is left, not {kind}")  # noqa: TRY004
        self._owned.append(built)
        self._left.append(conf)
        return built

    async def open(self, construct: Callable[[Any], object], cluster_id: Callable[..., Any]) -> None:
        """Opens the client, and offers a function for the cluster's id to those that take one. If that fails, those
        that were built are closed.
        """
        try:
            construct(self.conf)
            # Others could not await it.
            setter = "set_async_cluster_id_resolver" if self._is_async else "set_cluster_id_resolver"
            for each in self._all:
                offer = getattr(each, setter, None)
                if callable(offer):
                    offer(partial(cluster_id, timeout=CLUSTER_ID_SECONDS))
        except BaseException:
            with suppress(Exception):
                await self.close()
            raise

    async def close(self) -> None:
        """Closes those that were built, each also if another one fails; once."""
        owned, self._owned = self._owned, []
        failures: list[BaseException] = []
        for each in owned:
            try:
                close = getattr(each, "aclose", None) if self._is_async else None
                if not callable(close):
                    close = getattr(each, "close", None)
                if callable(close):
                    await self._awaited(close())
            except BaseException as error:  # noqa: BLE001, PERF203  all are closed, then the first failure is told
                failures.append(error)
        if failures:
            raise failures[0]

    async def serialized(self, both: Both, topic: str, key: Any, value: Any, headers: Any) -> tuple[Any, Any]:
        """Returns key and value as bytes.

        Raises:
            KeySerializationError: The key's serializer has failed.
            TypeError: The topic is no str.
            ValueSerializationError: The value's serializer has failed.
        """
        if not isinstance(topic, str):
            raise TypeError(f"topic must be str, not {type(topic).__name__}")
        of_key, of_value = both
        # One for both: the key's serializer may leave something in it for the value's.
        context = SerializationContext(topic, KEY, headers)
        if of_key is not None:
            key = await self._converted(of_key, key, context, KeySerializationError)
        context.field = VALUE
        if of_value is not None:
            value = await self._converted(of_value, value, context, ValueSerializationError)
        return key, value

    async def deserialized(self, both: Both, message: Any) -> tuple[Any, Any]:
        """Returns the objects that a message has as key and value.

        Raises:
            KeyDeserializationError: The key's deserializer has failed.
            ValueDeserializationError: The value's deserializer has failed.
        """
        of_key, of_value = both
        context = SerializationContext(message.topic(), KEY, message.headers())
        key, value = message.key(), message.value()
        if of_key is not None:
            key = await self._converted(of_key, key, context, KeyDeserializationError, message)
        context.field = VALUE
        if of_value is not None:
            value = await self._converted(of_value, value, context, ValueDeserializationError, message)
        return key, value

    async def _converted(
        self, convert: Convert, given: Any, context: SerializationContext, failure: Callable[..., Any], *of: Any
    ) -> Any:
        """Returns what a serializer or deserializer makes; a failure names the message that it is of, if it is."""
        try:
            made = convert(given, context)
            return await made if self._is_async and inspect.isawaitable(made) else made
        except Exception as error:
            raise failure(error, *of) from error

    async def _awaited(self, answer: Any) -> Any:
        return await answer if self._is_async and inspect.isawaitable(answer) else answer


def at_once(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine that waits for nothing."""
    try:
        work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    except RuntimeError as problem:
        # What code of the program has raised, to which a coroutine says "coroutine raised StopIteration".
        if isinstance(problem.__cause__, StopIteration):
            raise problem.__cause__ from None
        raise
    raise RuntimeError("a client that is not of asyncio cannot wait")


def given(message: Any, objects: tuple[Any, Any]) -> Any:
    """Returns the message, with objects as key and value."""
    message.set_key(objects[0])
    message.set_value(objects[1])
    return message

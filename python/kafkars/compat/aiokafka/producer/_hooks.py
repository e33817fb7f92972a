"""Methods of a producer that aiokafka calls for every record, where a subclass replaces them."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

    from kafkars.compat.aiokafka.producer.producer import AIOKafkaProducer as Producer
else:
    Producer = object

HOOKS = ("_partition", "_serialize")

NOTHING: Any = object()
"""The value of a record that has neither key nor value once `_serialize()` was called: a caller may not give that."""

_has_called_them: ContextVar[bool] = ContextVar("_has_called_them", default=False)


class Hooks(Producer):
    """The `send()` of producers that replace them. It stands before that of `AIOKafkaProducer`, which is native and
    does not look for methods with every record.
    """

    __slots__ = ()

    async def send(
        self,
        topic: str,
        value: Any = None,
        key: Any = None,
        partition: int | None = None,
        timestamp_ms: int | None = None,
        headers: Sequence[tuple[str, bytes | None]] | None = None,
    ) -> asyncio.Future[Any]:
        """Hands a record to the producer, whose own methods make bytes of it and choose its partition."""
        if (value is None and key is None) or self._engine_ is None or self._is_shut_:
            # Whatever stands there says what is wrong.
            return await super().send(topic, value, key, partition, timestamp_ms, headers)
        await self._known_topics_.wait(self, topic)
        self._check_in_transaction_()
        # `_serialize()` may add to them.
        headers = headers or []
        key_bytes, value_bytes = self._serialize(key, value, headers)
        number = self._partition(topic, partition, key, value, key_bytes, value_bytes)
        if key_bytes is None and value_bytes is None:
            value_bytes = NOTHING
        before = _has_called_them.set(True)
        try:
            return await super().send(topic, value_bytes, key_bytes, number, timestamp_ms, headers)
        finally:
            _has_called_them.reset(before)


def taken(value: Any) -> Any:
    """Returns the value that `Hooks.send()` has handed on.

    Raises:
        NotImplementedError: It has not: the record would be sent without the calls of a subclass's methods.
    """
    if not _has_called_them.get():
        raise NotImplementedError(
            f"AIOKafkaProducer.send(producer, ...) does not call {' and '.join(HOOKS)}, which this producer's class "
            "replaces: call super().send(...)"
        )
    return None if value is NOTHING else value


def are_left_out(kind: type[Producer], base: type[Producer]) -> bool:
    """True if a subclass replaces one of those of `base`, and nothing of what it derives from calls them."""
    return not issubclass(kind, Hooks) and any(
        inspect.getattr_static(kind, hook) is not vars(base)[hook] for hook in HOOKS
    )


def bases(kind: type[Producer], base: type[Producer], hooked: type[Producer]) -> tuple[type, ...]:
    """Returns the bases of a class with `hooked` among them, behind all that replace `send()` and before `base`."""
    if base in kind.__bases__:
        return tuple(hooked if each is base else each for each in kind.__bases__)
    return (*kind.__bases__, hooked)

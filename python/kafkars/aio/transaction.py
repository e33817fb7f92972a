"""A transaction as an `async with` block."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from kafkars.errors import KafkaError

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from kafkars.aio.producer import Producer


class Transaction:
    """One transaction of a producer: what `Producer.transaction()` returns.

    The block is committed when it ends, and aborted when it raises or is cancelled, which then goes on. A transaction
    that fails at its commit is aborted as well before the error is raised, where that leaves the producer usable
    (`error.abortable`).
    """

    __slots__ = ("_producer",)

    def __init__(self, producer: Producer[Any, Any]) -> None:
        self._producer = producer

    async def __aenter__(self) -> Self:
        await self._producer.begin_transaction()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        producer = self._producer
        if not producer.in_transaction:
            # Ended by hand inside of the block, or lost with the producer.
            return
        if kind is not None:
            # The block's own exception is what counts; what prevents the abort is raised by the next call.
            with suppress(KafkaError):
                await producer.abort_transaction()
            return
        try:
            await producer.commit_transaction()
        except KafkaError as failure:
            if failure.abortable:
                await producer.abort_transaction()
            raise

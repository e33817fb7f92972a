"""A transaction as an `async with` block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafkars.transaction import add_context

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from kafkars.aio.producer import Producer


class Transaction:
    """A transaction of a producer: what `Producer.transaction()` returns.

    The block is committed when it ends, and aborted when it raises or is cancelled, which then goes on. A transaction
    that fails at its commit is aborted as well before the error is raised. Where the commit is given up when it is
    cancelled, it is carried out without the block, and aborted should it fail; the next block waits for that.
    """

    __slots__ = ("_producer",)

    def __init__(self, producer: Producer[Any, Any]) -> None:
        self._producer = producer

    async def __aenter__(self) -> Self:
        await self._producer._join_left_transaction()  # noqa: SLF001
        await self._producer.begin_transaction()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        producer = self._producer
        if not producer.in_transaction:
            # Ended by hand inside of the block, or lost with the producer.
            return
        if error is not None:
            await self._abort(error)
            return
        try:
            await producer.commit_transaction()
        except Exception as failure:
            await self._abort(failure)
            raise
        except BaseException:
            # Whoever is told to stop does not wait.
            producer._leave_transaction()  # noqa: SLF001
            raise

    async def _abort(self, error: BaseException) -> None:
        """Aborts what is open. What goes wrong meanwhile does not hide the error, which is what counts."""
        if not self._producer._leave_transaction():  # noqa: SLF001
            return
        try:
            await self._producer._join_left_transaction()  # noqa: SLF001
        except Exception as failure:  # noqa: BLE001
            add_context(error, failure)

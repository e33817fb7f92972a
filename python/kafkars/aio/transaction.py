"""A transaction as an `async with` block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafkars._blocks import asynchronous
from kafkars.transaction import add_context

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from kafkars.aio.producer import Producer


@asynchronous
class Transaction:
    """A transaction of a producer: what `Producer.transaction()` returns.

    The transaction is committed when the block ends, and aborted when the block raises or is cancelled; the exception
    then goes on. If the commit fails, the transaction is aborted before the error is raised. If the commit is
    cancelled, it goes on in the background, and the transaction is aborted should it fail; the next block waits for
    that.
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
            # It was ended inside the block, or lost with the producer.
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
            # A cancelled task does not wait.
            producer._leave_transaction()  # noqa: SLF001
            raise

    async def _abort(self, error: BaseException) -> None:
        """Aborts the open transaction. A failure of that does not hide the error that is being raised."""
        if not self._producer._leave_transaction():  # noqa: SLF001
            return
        try:
            await self._producer._join_left_transaction()  # noqa: SLF001
        except Exception as failure:  # noqa: BLE001
            add_context(error, failure)

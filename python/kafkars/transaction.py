"""A transaction as a `with` block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafkars._blocks import synchronous

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from kafkars.producer import Producer


@synchronous
class Transaction:
    """A transaction of a producer: what `Producer.transaction()` returns.

    The transaction is committed when the block ends, and aborted when the block raises; the exception then goes on. If
    the commit fails, the transaction is aborted before the error is raised. If Ctrl+C interrupts the commit, it goes on
    in the background, and the transaction is aborted should it fail; the next block waits for that.
    """

    __slots__ = ("_producer",)

    def __init__(self, producer: Producer[Any, Any]) -> None:
        self._producer = producer

    def __enter__(self) -> Self:
        self._producer._join_left_transaction()  # noqa: SLF001
        self._producer.begin_transaction()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        producer = self._producer
        if not producer.in_transaction:
            # It was ended inside the block, or lost with the producer.
            return
        if error is not None:
            self._abort(error)
            return
        try:
            producer.commit_transaction()
        except Exception as failure:
            self._abort(failure)
            raise
        except BaseException:
            # A program that is told to stop does not wait.
            producer._leave_transaction()  # noqa: SLF001
            raise

    def _abort(self, error: BaseException) -> None:
        """Aborts the open transaction. A failure of that does not hide the error that is being raised."""
        if not self._producer._leave_transaction():  # noqa: SLF001
            return
        try:
            self._producer._join_left_transaction()  # noqa: SLF001
        except Exception as failure:  # noqa: BLE001
            add_context(error, failure)


# The most contexts that are followed: a program may have made a circle of them.
_MOST = 100


def add_context(error: BaseException, other: BaseException) -> None:
    """Appends an exception to the `__context__` chain of another one."""
    told = _contexts(error)
    new = _contexts(other)
    for index, each in enumerate(new):
        if any(each is known for known in told):
            # What both chains have in common is there already, and a circle would have no end.
            del new[index:]
            break
    if new:
        new[-1].__context__ = None
        told[-1].__context__ = new[0]


def _contexts(error: BaseException | None) -> list[BaseException]:
    """Returns an exception, its context, the context of that, and so on, up to a limit."""
    found: list[BaseException] = []
    while error is not None and len(found) < _MOST:
        found.append(error)
        error = error.__context__
    return found

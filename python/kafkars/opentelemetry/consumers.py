"""Methods with spans for instrumented consumers: mixed in before the consumer's own class."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kafkars.opentelemetry.telemetry import Telemetry


class SyncReads:
    """Reading methods of a synchronous consumer, with spans."""

    __slots__ = ()
    _telemetry: Telemetry

    def poll(self, *arguments: Any, **others: Any) -> Any:
        """Calls the consumer's own method."""
        own: Any = super()
        began = time.time_ns()
        record = own.poll(*arguments, **others)
        if record is not None:
            self._telemetry.received([record], began, is_batch=False)
        return record

    def poll_batch(self, *arguments: Any, **others: Any) -> Any:
        """Calls the consumer's own method."""
        own: Any = super()
        began = time.time_ns()
        batch = own.poll_batch(*arguments, **others)
        if batch:
            self._telemetry.received(batch, began, is_batch=True)
        return batch

    def __next__(self) -> Any:
        """Calls the consumer's own method."""
        own: Any = super()
        began = time.time_ns()
        record = own.__next__()
        self._telemetry.received([record], began, is_batch=False)
        return record


class AsyncReads:
    """Reading methods of an asyncio consumer, with spans. Each is a coroutine, which takes no record before it runs."""

    __slots__ = ()
    _telemetry: Telemetry

    async def poll(self, *arguments: Any, **others: Any) -> Any:
        """Calls the consumer's own method."""
        own: Any = super()
        began = time.time_ns()
        record = await own.poll(*arguments, **others)
        if record is not None:
            self._telemetry.received([record], began, is_batch=False)
        return record

    async def poll_batch(self, *arguments: Any, **others: Any) -> Any:
        """Calls the consumer's own method."""
        own: Any = super()
        began = time.time_ns()
        batch = await own.poll_batch(*arguments, **others)
        if batch:
            self._telemetry.received(batch, began, is_batch=True)
        return batch

    async def __anext__(self) -> Any:
        """Calls the consumer's own method."""
        own: Any = super()
        began = time.time_ns()
        record = await own.__anext__()
        self._telemetry.received([record], began, is_batch=False)
        return record

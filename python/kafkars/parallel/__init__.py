"""Consumers that handle records of a group in parallel, in order where it matters, and commit them only when finished.

`ParallelConsumer` calls a function in threads; `kafkars.aio.ParallelConsumer` awaits a coroutine function in tasks.
"""

from __future__ import annotations

from kafkars.parallel.consumer import ParallelConsumer
from kafkars.parallel.settings import ParallelStatus

__all__ = ["ParallelConsumer", "ParallelStatus"]

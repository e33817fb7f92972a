"""The asyncio twins of `kafkars.Producer` and `kafkars.Consumer`: same names, same order of arguments.

Calls return a `Future`, which is done at once where the answer is there: awaiting it then does not even suspend.
They bind to the loop that runs at the time of the call, so one client may serve several loops.
"""

from __future__ import annotations

from kafkars._kafkars import Future
from kafkars.aio.consumer import Consumer
from kafkars.aio.producer import Producer

__all__ = ["Consumer", "Future", "Producer"]

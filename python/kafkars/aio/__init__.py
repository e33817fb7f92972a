"""The asyncio twins of `kafkars.Producer`, `kafkars.Consumer` and `kafkars.Admin`: same names, same order of arguments.

Calls return a `Call`, which is a future and also a coroutine that `asyncio.create_task` accepts. If the result is there
already, awaiting it does not suspend. It belongs to the loop that runs when it is first awaited, so one client may
serve several loops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkars._kafkars import AsyncDeliveries as Deliveries
from kafkars._kafkars import Call, Future
from kafkars._late import late

if TYPE_CHECKING:
    from kafkars.aio.admin import Admin
    from kafkars.aio.consumer import Consumer
    from kafkars.aio.parallel import ParallelConsumer
    from kafkars.aio.producer import Producer
    from kafkars.aio.transaction import Transaction

__all__ = ["Admin", "Call", "Consumer", "Deliveries", "Future", "ParallelConsumer", "Producer", "Transaction"]

__getattr__, __dir__ = late(
    __name__,
    {
        "Admin": "kafkars.aio.admin",
        "Consumer": "kafkars.aio.consumer",
        "ParallelConsumer": "kafkars.aio.parallel",
        "Producer": "kafkars.aio.producer",
        "Transaction": "kafkars.aio.transaction",
    },
    ("admin", "consumer", "parallel", "producer", "transaction"),
)

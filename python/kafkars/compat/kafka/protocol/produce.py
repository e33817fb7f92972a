"""The versions of Produce requests (`kafka.protocol.produce`); the engine sends its own."""

from __future__ import annotations

from kafkars.compat.kafka.protocol.struct import Struct
from kafkars.compat.kafka.protocol.types import Array, Bytes, Int16, Int32, Schema, String

__all__ = ["ProduceRequest"]

TOPICS = ("topics", Array(("topic", String()), ("partitions", Array(("partition", Int32), ("messages", Bytes)))))
ACKS = ("required_acks", Int16)
TIMEOUT = ("timeout", Int32)
WITH_TRANSACTIONS = 3
"""The first version that names a transactional id."""


def version(number: int) -> type[Struct]:
    """Returns the class of a request version."""
    first = (("transactional_id", String()),) if number >= WITH_TRANSACTIONS else ()
    schema = Schema(*first, ACKS, TIMEOUT, TOPICS)
    return type(f"ProduceRequest_v{number}", (Struct,), {"SCHEMA": schema, "API_KEY": 0, "API_VERSION": number})


ProduceRequest: list[type[Struct]] = [version(number) for number in range(9)]

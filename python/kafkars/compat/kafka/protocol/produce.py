"""Requests of producers (`kafka.protocol.produce`), as a list of their versions; the engine sends its own."""

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
    """The request in one version."""
    first = (("transactional_id", String()),) if number >= WITH_TRANSACTIONS else ()
    schema = Schema(*first, ACKS, TIMEOUT, TOPICS)
    return type(f"ProduceRequest_v{number}", (Struct,), {"SCHEMA": schema, "API_KEY": 0, "API_VERSION": number})


ProduceRequest: list[type[Struct]] = [version(number) for number in range(9)]

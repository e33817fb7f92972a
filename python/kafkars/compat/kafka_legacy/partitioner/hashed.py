"""Partitioners that put equal keys into the same partition (`kafka.partitioner.hashed`)."""

from __future__ import annotations

from collections.abc import Sequence

from kafkars._kafkars import partition_of_key
from kafkars.compat.kafka_legacy.partitioner.base import Partitioner

__all__ = ["HashedPartitioner", "LegacyPartitioner", "Murmur2Partitioner", "murmur2"]

POSITIVE = 0x7FFFFFFF
WORD = 0xFFFFFFFF
SEED = 0x9747B28C
FACTOR = 0x5BD1E995


class Murmur2Partitioner(Partitioner):
    """Chooses the partition of a key as Java's clients do, and every other client of kafkars."""

    def partition(self, key: object, partitions: Sequence[int] | None = None) -> int:
        """Returns the partition for a key; keys other than bytes are hashed as text."""
        among = partitions or self.partitions
        data = _as_bytes(key)
        if among:
            return among[partition_of_key("murmur2", data, len(among))]
        raise ZeroDivisionError("there is no partition to choose")


class LegacyPartitioner(Partitioner):
    """Chooses by Python's own `hash()`.

    For text and bytes that hash differs in each process, unless PYTHONHASHSEED is set: keys then go to other partitions
    after a restart. `Murmur2Partitioner` does not do that.
    """

    def partition(self, key: object, partitions: Sequence[int] | None = None) -> int:
        """Returns the partition for a key."""
        among = partitions or self.partitions
        return among[hash(key) % len(among)]


HashedPartitioner = LegacyPartitioner
"""The default partitioner of `KeyedProducer`."""


def murmur2(key: object) -> int:
    """Returns the murmur2 hash of Java's clients, not negative; keys other than bytes are hashed as text."""
    data = _as_bytes(key)
    whole = len(data) & ~3
    state = SEED ^ len(data)
    for at in range(0, whole, 4):
        word = int.from_bytes(data[at : at + 4], "little") * FACTOR & WORD
        word = (word ^ word >> 24) * FACTOR & WORD
        state = (state * FACTOR & WORD) ^ word
    if len(data) > whole:
        state = (state ^ int.from_bytes(data[whole:], "little")) * FACTOR & WORD
    state = (state ^ state >> 13) * FACTOR & WORD
    return state ^ state >> 15


def _as_bytes(key: object) -> bytes:
    return bytes(key) if isinstance(key, (bytes, bytearray)) else str(key).encode()

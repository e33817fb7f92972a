"""The default partitioner (`aiokafka.partitioner`)."""

from __future__ import annotations

from collections.abc import Sequence

M = 0x5BD1E995
MASK = 0xFFFFFFFF


class DefaultPartitioner:
    """Puts a record with a key where Java's producer does, and one without into any available partition.

    kafkars does the same without a Python call for each record; this class is for programs that call it.
    """

    @classmethod
    def __call__(cls, key: bytes | None, all_partitions: Sequence[int], available: Sequence[int]) -> int:
        """Returns the partition of a record.

        Args:
            key: The serialized key.
            all_partitions: The topic's partitions, in order.
            available: Those that have a leader.
        """
        if key is None:
            import random  # noqa: PLC0415  most programs leave the partition to the engine

            return random.choice(available or all_partitions)  # noqa: S311  spreads records, protects nothing
        return all_partitions[(murmur2(key) & 0x7FFFFFFF) % len(all_partitions)]


def murmur2(data: bytes | bytearray | memoryview) -> int:
    """Returns the murmur2 hash of a key as Kafka's Java client computes it: unsigned, of 32 bits."""
    # Through memoryview, because `bytes()` of a number would be so many zeros.
    data = bytes(memoryview(data))
    mixed = (0x9747B28C ^ len(data)) & MASK
    whole = len(data) & ~3
    for at in range(0, whole, 4):
        part = int.from_bytes(data[at : at + 4], "little") * M & MASK
        part = (part ^ part >> 24) * M & MASK
        mixed = mixed * M & MASK ^ part
    rest = data[whole:]
    if rest:
        mixed = (mixed ^ int.from_bytes(rest, "little")) * M & MASK
    mixed = (mixed ^ mixed >> 13) * M & MASK
    return mixed ^ mixed >> 15

"""kafka-python's default partitioner: Java's murmur2 of the key (`kafka.partitioner.default`)."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["DefaultPartitioner", "murmur2"]

SEED = 0x9747B28C
MULTIPLIER = 0x5BD1E995
WORD = 0xFFFFFFFF


class DefaultPartitioner:
    """Chooses the partition of a key by its hash, as Java's producer does, and a random one for records without key."""

    @classmethod
    def __call__(cls, key: bytes | None, all_partitions: Sequence[int], available: Sequence[int]) -> int:
        """Returns the partition for a key.

        Args:
            key: The serialized key, or None.
            all_partitions: All partitions of the topic, in order.
            available: The partitions that have a leader.
        """
        if key is None:
            import random  # noqa: PLC0415  most programs leave the partition to the engine

            return random.choice(available or all_partitions)  # noqa: S311  spreads load, hides nothing
        return all_partitions[(murmur2(key) & 0x7FFFFFFF) % len(all_partitions)]


def murmur2(data: bytes | bytearray | memoryview) -> int:
    """Returns the 32-bit MurmurHash2 of Kafka's clients, not negative."""
    data = bytes(data)
    length = len(data)
    state = SEED ^ length
    whole = length & ~3
    for at in range(0, whole, 4):
        word = int.from_bytes(data[at : at + 4], "little") * MULTIPLIER & WORD
        word = (word ^ word >> 24) * MULTIPLIER & WORD
        state = state * MULTIPLIER & WORD ^ word
    if length > whole:
        rest = int.from_bytes(data[whole:], "little")
        state = (state ^ rest) * MULTIPLIER & WORD
    state = (state ^ state >> 13) * MULTIPLIER & WORD
    return state ^ state >> 15

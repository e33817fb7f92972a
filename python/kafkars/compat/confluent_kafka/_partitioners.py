"""`confluent_kafka.murmur2`, `consistent` and `fnv1a`: where librdkafka's partitioners put a key, without a
producer.
"""

from __future__ import annotations

from operator import index

from kafkars._kafkars import partition_of_key

MOST_PARTITIONS = 2**31 - 1


def murmur2(key: bytes, partition_count: int) -> int:
    """Returns the partition of a key by Java's producer and the partitioners `murmur2` and `murmur2_random`.

    Raises:
        TypeError: The key is not bytes, or the count no whole number.
        ValueError: There are no partitions.
        OverflowError: There are more than can be.
    """
    return partition_of("murmur2", key, partition_count)


def consistent(key: bytes, partition_count: int) -> int:
    """Returns the partition of a key by `consistent` and `consistent_random`: CRC-32. It raises as `murmur2` does."""
    return partition_of("consistent", key, partition_count)


def fnv1a(key: bytes, partition_count: int) -> int:
    """Returns the partition of a key by the partitioners `fnv1a` and `fnv1a_random`. It raises as `murmur2` does."""
    return partition_of("fnv1a", key, partition_count)


def partition_of(partitioner: str, key: bytes, partition_count: int) -> int:
    """Returns the partition of a key."""
    if index(partition_count) > MOST_PARTITIONS:
        raise OverflowError(f"partition_count: {partition_count} is more than {MOST_PARTITIONS}")
    return partition_of_key(partitioner, key, partition_count)

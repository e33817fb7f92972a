"""`confluent_kafka.murmur2`, `consistent` and `fnv1a`: where librdkafka's partitioners put a key, without a
producer.
"""

from __future__ import annotations

from kafkars._kafkars import partition_of_key


def murmur2(key: bytes, partition_count: int) -> int:
    """Returns the partition of a key by Java's producer and the partitioners `murmur2` and `murmur2_random`.

    Raises:
        TypeError: The key is not bytes, or the count no whole number.
        ValueError: There are no partitions.
    """
    return partition_of_key("murmur2", key, partition_count)


def consistent(key: bytes, partition_count: int) -> int:
    """Returns the partition of a key by `consistent` and `consistent_random`: CRC-32. It raises as `murmur2` does."""
    return partition_of_key("consistent", key, partition_count)


def fnv1a(key: bytes, partition_count: int) -> int:
    """Returns the partition of a key by the partitioners `fnv1a` and `fnv1a_random`. It raises as `murmur2` does."""
    return partition_of_key("fnv1a", key, partition_count)

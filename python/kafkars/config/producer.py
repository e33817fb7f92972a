"""Settings of producers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from kafkars.config import checks
from kafkars.config.client import ClientConfig
from kafkars.types import Interceptor, Serializer

if TYPE_CHECKING:
    from dataclasses import dataclass as settings
else:
    from kafkars._frozen import settings


def _acks(name: str, value: object) -> int:
    if isinstance(value, str) and value in {"all", "-1"}:
        return -1
    if isinstance(value, str) and value in {"0", "1"}:
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value not in {-1, 0, 1}:
        raise checks.wrong(name, value, '"all", 1 or 0', ("all",))
    return value


def _partitioner(name: str, value: object) -> object:
    return checks.ordinary(name, value) if callable(value) else checks.choice(*PARTITIONERS)(name, value)


PARTITIONERS = (
    "default",
    "murmur2",
    "murmur2_sticky",
    "murmur2_random",
    "murmur2_consistent",
    "consistent",
    "consistent_random",
    "fnv1a",
    "fnv1a_random",
    "random",
    "round_robin",
)
"""`default` is Java's: murmur2 of the key; keyless records stay with one partition for 64 KiB (or `batch_size`, where
that is less), or until a batch begins there 10 ms after the first, and then move to another. `consistent` is CRC-32; it
and `murmur2_consistent` and `fnv1a` give keyless records the partition of an empty key, as librdkafka does."""


@settings(frozen=True, kw_only=True)
class ProducerConfig(ClientConfig):
    """Settings of how a producer collects, sends and retries, besides those of every client."""

    acks: str | int = "all"
    """The brokers that must have a record before it is acknowledged: "all" in-sync replicas, the leader (1), or none
    (0)."""

    acks_timeout_ms: float | None = None
    """How long a leader may wait for the replicas that `acks` asks for before it gives up with `REQUEST_TIMED_OUT`,
    after which the batch is sent again. None: as long as its answer is waited for, `request_timeout_ms`."""

    linger_ms: float = 5
    """How long a batch that is not full waits for more records."""

    batch_size: int = 1_048_576
    """Bytes of encoded records after which a partition's batch is closed."""

    buffer_memory: int = 33_554_432
    """Bytes of memory that unacknowledged records may take in all. When they are used up, sending waits."""

    max_block_ms: float = 60_000
    """How long sending may wait for a topic to become known or for room in `buffer_memory`. For one that does not exist
    it waits less, see `topic_metadata_propagation_max_ms`."""

    max_request_size: int = 1_048_576
    """Largest request, and so largest record, in bytes before compression."""

    delivery_timeout_ms: float = 120_000
    """Longest time from a send to its acknowledgement or failure, retries included."""

    retries: int = 2_147_483_647
    """How often a batch that was sent and not stored is sent again, within `delivery_timeout_ms`. Without idempotence
    0 keeps a record from being stored twice; with it at least 1."""

    max_in_flight_requests_per_connection: int = 5
    """Produce requests under way per broker. With idempotence at most 5."""

    compression_type: str = "none"
    """Codec of new batches: "none", "gzip", "snappy", "lz4" or "zstd"."""

    compression_level: int | None = None
    """Level of the codec (KIP-390): gzip 1-9, lz4 1-17, zstd -131072 to 22; None takes the codec's default."""

    enable_idempotence: bool | None = None
    """True if brokers drop the duplicates that retries make. None means True with `acks` "all" and `retries` above 0."""

    transactional_id: str | None = None
    """Names the producer across restarts and lets it open transactions; a new producer with the same name fences the
    old."""

    transaction_timeout_ms: float = 60_000
    """How long a transaction may be open before it is aborted. The broker's `transaction.max.timeout.ms` bounds it."""

    partitioner: str | Callable[[bytes | None, int], int] = "default"
    """How a partition is chosen when a record names none: a name of `PARTITIONERS`, or a function of the serialized
    key and the number of partitions, which runs in `send()`."""

    sticky_partitioning_linger_ms: float = 0
    """How long records without key stay with one partition by the partitioners `consistent_random`, `murmur2_random`,
    `fnv1a_random` and `random`: fuller batches, as by librdkafka's setting of this name, whose default is 10. 0 chooses
    for each record. `default` has a rule of its own."""

    interceptors: Sequence[Interceptor] = ()
    """Objects that see each record before it is serialized and what became of it (KIP-42), in this order; see
    `kafkars.Interceptor`. An exception in one is logged and not raised."""

    key_serializer: Callable[[Any], bytes | None] | Serializer[Any] | None = None
    """Turns a key into bytes: a function of it, or an object with `serialize(topic, key, headers)` (see
    `kafkars.Serializer`). None takes bytes, bytearray, memoryview and str (as UTF-8) as they are."""

    value_serializer: Callable[[Any], bytes | None] | Serializer[Any] | None = None
    """Turns a value into bytes; as `key_serializer`, which runs first."""

    CHECKS: ClassVar[Mapping[str, Callable[[str, object], Any]]] = {
        **ClientConfig.CHECKS,
        "acks": _acks,
        "acks_timeout_ms": checks.optional(checks.milliseconds(0, checks.INT32, above=True)),
        "linger_ms": checks.milliseconds(),
        "batch_size": checks.whole(1, 1_073_741_824, "bytes"),
        "buffer_memory": checks.whole(1, unit="bytes"),
        "max_block_ms": checks.milliseconds(),
        "max_request_size": checks.whole(1, 1_073_741_824, "bytes"),
        "delivery_timeout_ms": checks.milliseconds(above=True),
        "retries": checks.whole(0, checks.INT32),
        "max_in_flight_requests_per_connection": checks.whole(1),
        "compression_type": checks.choice("none", "gzip", "snappy", "lz4", "zstd"),
        "compression_level": checks.optional(checks.whole(-131_072, 22)),
        "enable_idempotence": checks.optional(checks.flag),
        "transactional_id": checks.optional(checks.text),
        "transaction_timeout_ms": checks.milliseconds(0, checks.INT32, above=True),
        "partitioner": _partitioner,
        "sticky_partitioning_linger_ms": checks.milliseconds(),
        "interceptors": checks.interceptors,
        "key_serializer": checks.optional(checks.serializer),
        "value_serializer": checks.optional(checks.serializer),
    }

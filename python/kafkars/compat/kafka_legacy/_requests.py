"""Each request of `KafkaClient`, carried out by the kafkars clients. Responses are returned by the topic and partition
of their request.
"""

from __future__ import annotations

import datetime as dt
import logging
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from kafkars import OffsetAndMetadata, TopicPartition, errors
from kafkars._times import Milliseconds
from kafkars.admin import ListedOffset, OffsetSpec
from kafkars.compat.kafka_legacy._engine import Engine
from kafkars.compat.kafka_legacy._fetching import FetchTarget
from kafkars.compat.kafka_legacy._messages import (
    ATTRIBUTE_CODEC_MASK,
    CODEC_GZIP,
    CODEC_NONE,
    CODEC_SNAPPY,
    MessageSet,
    decode_message,
    encode_message,
)
from kafkars.compat.kafka_legacy._numbers import number_of
from kafkars.compat.kafka_legacy.common import (
    ConsumerCoordinatorNotAvailableCode,
    ConsumerMetadataResponse,
    FailedPayloadsError,
    FetchRequest,
    FetchResponse,
    Message,
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
    OffsetRequest,
    OffsetResponse,
    ProduceRequest,
    ProduceResponse,
)
from kafkars.compat.kafka_legacy.util import OfPartition, kafka_bytestring

if TYPE_CHECKING:
    from kafkars._kafkars import Deliveries


T = TypeVar("T")

log = logging.getLogger("kafka.client")

CODECS = {CODEC_NONE: "none", CODEC_GZIP: "gzip", CODEC_SNAPPY: "snappy"}
BEST_GZIP = 9
ALL_IN_SYNC = -1
LATEST = -1
EARLIEST = -2
NOTHING = -1
KNOWN_ACKS = (0, 1)
NO_COORDINATOR = ConsumerCoordinatorNotAvailableCode.errno


def partition_of(payload: OfPartition) -> TopicPartition:
    """Returns the partition of a request, whose topic may be bytes or text."""
    return TopicPartition(kafka_bytestring(payload.topic).decode("utf-8", "replace"), payload.partition)


def produce(
    engine: Engine, payloads: Sequence[ProduceRequest], acks: int
) -> list[ProduceResponse | FailedPayloadsError]:
    """Stores messages. More than one acknowledgement means all in-sync replicas."""
    if acks < ALL_IN_SYNC:
        code = errors.InvalidRequiredAcksError.code
        return [ProduceResponse(each.topic, each.partition, code, NOTHING) for each in payloads]
    started = [_start(engine, each, acks if acks in KNOWN_ACKS else ALL_IN_SYNC) for each in payloads]
    return [_finish(each, deliveries) for each, deliveries in zip(payloads, started, strict=True)]


def fetch(
    engine: Engine, payloads: Sequence[FetchRequest], max_wait: float, min_bytes: int
) -> list[FetchResponse | FailedPayloadsError]:
    """Reads messages."""
    _check_numbers(">iqi", [(each.partition, each.offset, each.max_bytes) for each in payloads])
    wanted = {partition_of(each): FetchTarget(each.offset, each.max_bytes) for each in payloads}
    found = engine.fetcher().fetch(wanted, max_wait, min_bytes)

    def answer(payload: FetchRequest) -> FetchResponse | FailedPayloadsError:
        fetched = found[partition_of(payload)]
        if fetched.error is None:
            return FailedPayloadsError(payload)
        return FetchResponse(payload.topic, payload.partition, fetched.error, fetched.high, fetched.messages)

    return [answer(each) for each in payloads]


def offsets(engine: Engine, payloads: Sequence[OffsetRequest]) -> list[OffsetResponse | FailedPayloadsError]:
    """Looks up offsets of logs: the end, the beginning, or the first message that is not older than a time, else the
    end.

    Brokers of 0.9 returned the offsets at which log segments begin, the latest first. Of those the first is exact here,
    and the second, where more than one is asked for, is the log's beginning.
    """
    _check_numbers(">iqi", [(each.partition, each.time, each.max_offsets) for each in payloads])
    names: dict[int, OffsetSpec] = {LATEST: "latest", EARLIEST: "earliest"}
    places = {partition_of(each): each for each in payloads if each.time >= EARLIEST}
    asked = _listed(engine, {place: names.get(each.time, each.time) for place, each in places.items()})
    behind = {place: each.offset for place, each in asked.items() if isinstance(each, ListedOffset)}
    # No message is as new as the time that was that does not exist.
    ends = _listed(engine, dict.fromkeys((place for place, offset in behind.items() if offset is None), "latest"))
    more = [place for place in behind if places[place].max_offsets > 1]
    starts = _listed(engine, dict.fromkeys(more, "earliest"))

    def answer(payload: OffsetRequest) -> OffsetResponse | FailedPayloadsError:
        place = partition_of(payload)
        if place not in asked:
            return OffsetResponse(payload.topic, payload.partition, errors.InvalidRequestError.code, ())
        found = [ends.get(place, asked[place]), *([starts[place]] if place in starts else [])]
        for each in found:
            if not isinstance(each, ListedOffset):
                number = number_of(each)
                failed = OffsetResponse(payload.topic, payload.partition, number or 0, ())
                return FailedPayloadsError(payload) if number is None else failed
        numbers = dict.fromkeys(each.offset for each in found if isinstance(each, ListedOffset))
        distinct = tuple(number for number in numbers if number is not None)
        return OffsetResponse(payload.topic, payload.partition, 0, distinct[: max(payload.max_offsets, 0)])

    return [answer(each) for each in payloads]


def commit(
    engine: Engine, group: bytes | str | None, payloads: Sequence[OffsetCommitRequest]
) -> list[OffsetCommitResponse | FailedPayloadsError]:
    """Commits a group's offsets at its coordinator, without being a member of it."""
    name = _group(group)
    _check_numbers(">iq", [(each.partition, each.offset) for each in payloads])
    places: dict[tuple[str, int], int | OffsetAndMetadata] = {
        partition_of(each): OffsetAndMetadata(
            each.offset, kafka_bytestring(each.metadata or b"").decode("utf-8", "replace")
        )
        for each in payloads
    }
    found: Mapping[TopicPartition, object] = _tried(
        lambda: engine.ask(
            lambda admin, seconds: admin.alter_group_offsets(name, places, timeout=seconds, return_exceptions=True)
        ),
        [partition_of(each) for each in payloads],
    )

    def answer(payload: OffsetCommitRequest) -> OffsetCommitResponse | FailedPayloadsError:
        error = found[partition_of(payload)]
        number = number_of(error) if isinstance(error, errors.KafkaError) else 0
        if number is None:
            return FailedPayloadsError(payload)
        return OffsetCommitResponse(payload.topic, payload.partition, number)

    return [answer(each) for each in payloads]


def committed(
    engine: Engine, group: bytes | str | None, payloads: Sequence[OffsetFetchRequest]
) -> list[OffsetFetchResponse | FailedPayloadsError]:
    """Returns the committed offsets of a group."""
    name = _group(group)
    places = [partition_of(each) for each in payloads]
    found = _tried(
        lambda: engine.ask(lambda admin, seconds: admin.list_group_offsets({name: places}, timeout=seconds))[name],
        places,
    )

    def answer(payload: OffsetFetchRequest) -> OffsetFetchResponse | FailedPayloadsError:
        stored: object = found.get(partition_of(payload))
        if isinstance(stored, OffsetAndMetadata):
            metadata = stored.metadata.encode()
            return OffsetFetchResponse(payload.topic, payload.partition, stored.offset, metadata, 0)
        number = number_of(stored) if isinstance(stored, errors.KafkaError) else 0
        if number is None:
            return FailedPayloadsError(payload)
        return OffsetFetchResponse(payload.topic, payload.partition, NOTHING, b"", number)

    return [answer(each) for each in payloads]


def coordinator(engine: Engine, group: bytes | str | None) -> ConsumerMetadataResponse:
    """Returns the broker that coordinates a group."""
    try:
        node = engine.ask(lambda admin, seconds: admin.find_coordinator(_group(group), timeout=seconds))
        cluster = engine.ask(lambda admin, seconds: admin.describe_cluster(timeout=seconds))
    except errors.KafkaError as error:
        number = number_of(error)
        return ConsumerMetadataResponse(NO_COORDINATOR if number is None else number, NOTHING, b"", NOTHING)
    for broker in cluster.brokers:
        if broker.id == node:
            return ConsumerMetadataResponse(0, broker.id, broker.host.encode(), broker.port)
    return ConsumerMetadataResponse(NO_COORDINATOR, NOTHING, b"", NOTHING)


def _check_numbers(layout: str, rows: Iterable[tuple[int, ...]]) -> None:
    """Checks that numbers fit the fields of the old requests.

    Raises:
        struct.error: As the original raised it where it made the bytes of a request.
    """
    for row in rows:
        struct.pack(layout, *row)


def _start(engine: Engine, payload: ProduceRequest, acks: int) -> Deliveries | errors.KafkaError:
    """Sends a payload's messages, without waiting."""
    codec, level, messages = _opened(payload.messages)
    values, keys = [each.value for each in messages], [each.key for each in messages]
    if any(isinstance(each, str) for each in (*values, *keys)):
        raise TypeError(f"values and keys of messages for {payload.topic!r} are bytes, not text")
    place = partition_of(payload)
    is_whole = len(messages) > 1 and not engine.takes_what_fits
    if is_whole and engine.limits.are_exceeded(place.topic, messages, codec, level):
        return errors.MessageTooLargeError("a message of this call is larger than max.message.bytes of its topic")
    producer = engine.producer(acks, CODECS[codec], level)
    try:
        return producer.send_many(
            place.topic,
            values,
            keys,
            partitions=place.partition,
            timeout=engine.time_limit,
        )
    except errors.KafkaError as error:
        return error


def _finish(
    payload: ProduceRequest, deliveries: Deliveries | errors.KafkaError
) -> ProduceResponse | FailedPayloadsError:
    """Waits for the outcome of a payload's messages."""
    error = deliveries
    if not isinstance(deliveries, errors.KafkaError):
        try:
            first = next(iter(deliveries.result()), None)
        except errors.KafkaError as failure:
            error = failure
        else:
            return ProduceResponse(payload.topic, payload.partition, 0, NOTHING if first is None else first.offset)
    number = number_of(error) if isinstance(error, errors.KafkaError) else None
    if number is None:
        log.warning("%s sending to %s:%d: %s", type(error).__name__, payload.topic, payload.partition, error)
        return FailedPayloadsError(payload, str(error))
    return ProduceResponse(payload.topic, payload.partition, number, NOTHING)


def _opened(messages: Sequence[Message]) -> tuple[int, int | None, list[Message]]:
    """Returns decompressed messages and their codec: kafkars compresses them again, in the current format."""
    if isinstance(messages, MessageSet):
        level = (messages.level or BEST_GZIP) if messages.codec == CODEC_GZIP else None
        return messages.codec, level, list(messages)
    codec = next((found for each in messages if (found := each.attributes & ATTRIBUTE_CODEC_MASK)), CODEC_NONE)
    inner: list[Message] = []
    for each in messages:
        if each.attributes & ATTRIBUTE_CODEC_MASK == CODEC_NONE:
            inner.append(each)
        else:
            inner += [found for _, found in decode_message(encode_message(each), 0)]
    return codec, None, inner


def _listed(
    engine: Engine, specs: Mapping[TopicPartition, OffsetSpec | int]
) -> Mapping[TopicPartition, ListedOffset | errors.KafkaError]:
    if not specs:
        return {}
    wanted: dict[tuple[str, int], OffsetSpec | int | dt.datetime] = {
        place: Milliseconds(spec) if isinstance(spec, int) else spec for place, spec in specs.items()
    }
    return _tried(
        lambda: engine.ask(lambda admin, seconds: admin.list_offsets(wanted, timeout=seconds, return_exceptions=True)),
        specs,
    )


def _tried(
    ask: Callable[[], Mapping[TopicPartition, T]], places: Iterable[TopicPartition]
) -> Mapping[TopicPartition, T | errors.KafkaError]:
    """Returns responses by partition, or the error that all of them have in common."""
    try:
        return ask()
    except errors.KafkaError as error:
        return dict.fromkeys(places, error)


def _group(group: bytes | str | None) -> str:
    return "" if group is None else kafka_bytestring(group).decode("utf-8", "replace")

"""Every codec and level: what goes in compressed comes out as it was."""

from __future__ import annotations

import random

import pytest
from kafkars.errors import ConfigError, CorruptRecordError

from tests.support.clients import Clients, read, values
from tests.support.waiting import SECONDS

LEVELS: dict[str, list[int | None]] = {
    "none": [None],
    "gzip": [None, *range(1, 10)],
    "snappy": [None],
    "lz4": [None, *range(1, 18)],
    "zstd": [None, -131_072, -7, -1, *range(23)],
}
CODECS_AND_LEVELS = [(codec, level) for codec, levels in LEVELS.items() for level in levels]
CODECS = list(LEVELS)


def samples() -> list[bytes]:
    """Values that compress well, badly and not at all, short and longer than any codec's block."""
    source = random.Random(7)
    return [
        b"",
        b"a",
        b"the same again and again " * 4_000,
        source.randbytes(100),
        source.randbytes(200_000),
        bytes(300_000),
        *(f'{{"number": {number}, "text": "record"}}'.encode() for number in range(500)),
    ]


@pytest.mark.parametrize(("codec", "level"), CODECS_AND_LEVELS)
def test_what_was_sent_comes_back(clients: Clients, topic: str, codec: str, level: int | None) -> None:
    producer = clients.producer(compression_type=codec, compression_level=level, linger_ms=50)
    sent = samples()
    for value in sent:
        producer.send(topic, value, b"key", headers=[("name", b"value")])
    assert producer.flush(SECONDS) == 0
    records = read(clients.consumer([(topic, 0)]), len(sent))
    assert values(records) == sent
    assert {record.key for record in records} == {b"key"}
    assert all(list(record.headers) == [("name", b"value")] for record in records)


@pytest.mark.parametrize("codec", CODECS[1:])
def test_compressed_batches_are_smaller_on_the_wire(clients: Clients, topic: str, codec: str) -> None:
    producer = clients.producer(compression_type=codec, linger_ms=100)
    for _ in range(1_000):
        producer.send(topic, b"the same again and again")
    assert producer.flush(SECONDS) == 0
    metrics = producer.metrics()
    assert metrics["bytes_sent"] < metrics["bytes_uncompressed"] / 3


@pytest.mark.parametrize("codec", CODECS)
def test_reading_may_start_in_the_middle_of_a_batch(clients: Clients, topic: str, codec: str) -> None:
    producer = clients.producer(compression_type=codec, linger_ms=100)
    for number in range(1_000):
        producer.send(topic, str(number))
    producer.flush(SECONDS)
    records = read(clients.consumer({(topic, 0): 437}), 563)
    assert [record.offset for record in records] == list(range(437, 1_000))
    assert values(records) == [str(number).encode() for number in range(437, 1_000)]


@pytest.mark.parametrize("codec", CODECS[1:])
def test_a_batch_that_grows_beyond_the_limit_is_refused_and_can_be_skipped(
    clients: Clients, topic: str, codec: str
) -> None:
    producer = clients.producer(compression_type=codec, linger_ms=0)
    producer.send(topic, b"before").result(SECONDS)
    producer.send(topic, bytes(900_000)).result(SECONDS)
    producer.send(topic, b"after").result(SECONDS)
    consumer = clients.consumer([(topic, 0)], max_decompressed_batch_bytes=100_000)
    assert values(read(consumer, 1)) == [b"before"]
    with pytest.raises(CorruptRecordError, match=r"max_decompressed_batch_bytes|100000") as caught:
        consumer.poll(timeout=SECONDS)
    assert (caught.value.topic, caught.value.partition, caught.value.offset) == (topic, 0, 1)
    consumer.seek((topic, 0), 2)
    assert values(read(consumer, 1)) == [b"after"]


@pytest.mark.parametrize(
    ("codec", "level"),
    [("gzip", 0), ("gzip", 10), ("lz4", 0), ("lz4", 18), ("zstd", 23), ("zstd", -131_073), ("snappy", 1), ("none", 1)],
)
def test_a_level_the_codec_does_not_have_is_refused(clients: Clients, codec: str, level: int) -> None:
    with pytest.raises(ConfigError, match="compression_level"):
        clients.producer(compression_type=codec, compression_level=level)

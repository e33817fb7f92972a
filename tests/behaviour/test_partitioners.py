"""Which partition a record goes to: keys live where other clients look for them."""

from __future__ import annotations

import zlib
from collections import Counter
from typing import Any

import pytest
from kafkars.errors import InvalidPartitionError

from tests.support.clients import Clients, read
from tests.support.waiting import SECONDS

KEYS = [
    b"",
    b"a",
    b"ab",
    b"abc",
    b"abcd",
    b"customer 7",
    "größe".encode(),
    bytes(range(256)),
    *(b"%d" % n for n in range(200)),
]

# Printed by org.apache.kafka.common.utils.Utils.murmur2 of the Java client.
JAVA_MURMUR2 = {
    b"21": -973_932_308,
    b"foobar": -790_332_482,
    b"a-little-bit-long-string": -985_981_536,
    b"a-little-bit-longer-string": -1_486_304_829,
    b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58_897_971,
    b"abc": 479_470_107,
}


def partitions_of(clients: Clients, topic: str, keys: list[Any], **settings: Any) -> list[int]:
    producer = clients.producer(**settings)
    sent = [producer.send(topic, b"value", key) for key in keys]
    producer.flush(SECONDS)
    return [each.result(SECONDS).partition for each in sent]


@pytest.mark.parametrize(
    "partitioner", ["default", "murmur2", "murmur2_sticky", "murmur2_random", "murmur2_consistent"]
)
def test_keys_go_where_java_puts_them(clients: Clients, partitioner: str) -> None:
    topic = clients.broker.new_topic(partitions=7)
    expected = [(number & 0x7FFF_FFFF) % 7 for number in JAVA_MURMUR2.values()]
    assert partitions_of(clients, topic, list(JAVA_MURMUR2), partitioner=partitioner) == expected


@pytest.mark.parametrize("partitioner", ["consistent", "consistent_random"])
def test_keys_go_where_librdkafka_puts_them(clients: Clients, partitioner: str) -> None:
    topic = clients.broker.new_topic(partitions=7)
    keys = [key for key in KEYS if key]
    assert partitions_of(clients, topic, keys, partitioner=partitioner) == [zlib.crc32(key) % 7 for key in keys]


@pytest.mark.kafka
@pytest.mark.parametrize("count", [1, 5, 32])
def test_keys_go_where_kafka_python_puts_them(kafka_clients: Clients, count: int) -> None:
    peer = pytest.importorskip("kafka")
    topic = kafka_clients.broker.new_topic(partitions=count)
    producer = peer.KafkaProducer(bootstrap_servers=kafka_clients.broker.bootstrap_servers)
    try:
        theirs = [producer.send(topic, b"value", key) for key in KEYS]
        producer.flush(SECONDS)
        expected = [each.get(SECONDS).partition for each in theirs]
    finally:
        producer.close()
    assert partitions_of(kafka_clients, topic, KEYS) == expected


@pytest.mark.kafka
@pytest.mark.parametrize("partitioner", ["consistent", "murmur2", "fnv1a"])
def test_keys_go_where_confluent_kafka_puts_them(kafka_clients: Clients, partitioner: str) -> None:
    peer = pytest.importorskip("confluent_kafka")
    topic = kafka_clients.broker.new_topic(partitions=11)
    bootstrap = kafka_clients.broker.bootstrap_servers
    producer = peer.Producer({"bootstrap.servers": bootstrap, "partitioner": partitioner})
    expected: dict[bytes, int] = {}

    def note(_error: object, message: Any) -> None:
        expected[message.key() or b""] = message.partition()

    for key in KEYS:
        producer.produce(topic, b"value", key, callback=note)
    assert producer.flush(SECONDS) == 0
    theirs = [expected[key] for key in KEYS]
    assert partitions_of(kafka_clients, topic, KEYS, partitioner=partitioner) == theirs


def test_the_same_key_stays_on_one_partition(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=6)
    assert len(set(partitions_of(clients, topic, [b"key"] * 50))) == 1


def test_keyless_records_of_a_batch_stay_together(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=6)
    assert len(set(partitions_of(clients, topic, [None] * 50, linger_ms=60_000))) == 1


def test_keyless_records_spread_over_all_partitions(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=6)
    producer = clients.producer(batch_size=500)
    for _ in range(600):
        producer.send(topic, bytes(100))
    producer.flush(SECONDS)
    records = read(clients.consumer([(topic, partition) for partition in range(6)]), 600)
    assert set(Counter(record.partition for record in records)) == set(range(6))


@pytest.mark.parametrize("partitioner", ["random", "consistent_random", "murmur2_random", "fnv1a_random"])
def test_random_ones_spread_keyless_records_one_by_one(clients: Clients, partitioner: str) -> None:
    topic = clients.broker.new_topic(partitions=4)
    chosen = Counter(partitions_of(clients, topic, [None] * 400, partitioner=partitioner))
    assert set(chosen) == set(range(4))
    assert min(chosen.values()) > 40


def test_round_robin_takes_turns(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=4)
    chosen = partitions_of(clients, topic, [b"same key"] * 40, partitioner="round_robin")
    assert Counter(chosen) == dict.fromkeys(range(4), 10)
    assert chosen[:4] == chosen[4:8]


def test_a_function_chooses(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=4)
    asked = []

    def by_length(key: bytes | None, count: int) -> int:
        asked.append((key, count))
        return len(key or b"") % count

    assert partitions_of(clients, topic, [b"", b"a", b"ab", None, "abcde"], partitioner=by_length) == [0, 1, 2, 0, 1]
    assert asked == [(b"", 4), (b"a", 4), (b"ab", 4), (None, 4), (b"abcde", 4)]


def test_a_function_is_not_asked_where_the_record_names_a_partition(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=4)

    def never(_key: bytes | None, _count: int) -> int:
        raise AssertionError("asked")

    producer = clients.producer(partitioner=never)
    assert producer.send(topic, b"value", partition=3).result(SECONDS).partition == 3


@pytest.mark.parametrize(
    ("answer", "error"), [("1", TypeError), (None, TypeError), (4, InvalidPartitionError), (-1, InvalidPartitionError)]
)
def test_a_function_that_chooses_nonsense_is_told(clients: Clients, answer: object, error: type[Exception]) -> None:
    topic = clients.broker.new_topic(partitions=4)
    producer = clients.producer(partitioner=lambda _key, _count: answer)
    with pytest.raises(error):
        producer.send(topic, b"value").result(SECONDS)
    assert producer.metrics()["unacknowledged"] == 0


def test_a_functions_own_exception_reaches_the_caller(clients: Clients, topic: str) -> None:
    class OwnError(Exception):
        pass

    def fail(_key: bytes | None, _count: int) -> int:
        raise OwnError

    with pytest.raises(OwnError):
        clients.producer(partitioner=fail).send(topic, b"value").result(SECONDS)

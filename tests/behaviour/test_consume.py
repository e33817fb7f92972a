"""Reading: everything once, in order, in each of the ways there are."""

from __future__ import annotations

import itertools
import threading
from typing import Any

import pytest
from kafkars import TopicPartition
from kafkars.errors import ClientStateError, InvalidArgumentError

from tests.support.clients import Clients, numbers, read, values
from tests.support.waiting import SECONDS, Stopwatch, eventually


def test_records_come_one_at_a_time(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(100))
    consumer = clients.consumer([(topic, 0)])
    records: list[Any] = [consumer.poll(timeout=SECONDS) for _ in range(100)]
    assert values(records) == numbers(100)
    assert [record.offset for record in records] == list(range(100))


def test_records_come_in_batches(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(1_200))
    consumer = clients.consumer([(topic, 0)])
    assert values(read(consumer, 1_200)) == numbers(1_200)


def test_records_come_by_iteration(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(100))
    consumer = clients.consumer([(topic, 0)])
    assert values(list(itertools.islice(consumer, 100))) == numbers(100)


def test_the_ways_of_reading_share_one_position(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(30))
    consumer = clients.consumer([(topic, 0)])
    found = [consumer.poll(timeout=SECONDS), next(iter(consumer))]
    found += read(consumer, 10)
    found += [next(iter(consumer)), consumer.poll(timeout=SECONDS)]
    found += read(consumer, 16)
    assert values(found) == numbers(30)


def test_iteration_ends_when_the_consumer_is_closed(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(10))
    consumer = clients.consumer([(topic, 0)])
    found = []
    for record in consumer:
        found.append(record.value)
        if len(found) == 10:
            consumer.close()
    assert found == numbers(10)


def test_a_batch_has_at_most_as_many_records_as_asked_for(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(100))
    consumer = clients.consumer([(topic, 0)])
    sizes: list[int] = []
    while sum(sizes) < 100:
        batch = consumer.poll_batch(max_records=7, timeout=SECONDS)
        sizes.append(len(batch))
    assert max(sizes) == 7
    assert sum(sizes) == 100


def test_max_poll_records_limits_batches(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(50))
    consumer = clients.consumer([(topic, 0)], max_poll_records=20)
    sizes: list[int] = []
    while sum(sizes) < 50:
        sizes.append(len(consumer.poll_batch(timeout=SECONDS)))
    assert max(sizes) == 20


@pytest.mark.parametrize("max_records", [0, -1])
def test_a_batch_of_no_records_cannot_be_asked_for(clients: Clients, topic: str, max_records: int) -> None:
    consumer = clients.consumer([(topic, 0)])
    with pytest.raises((InvalidArgumentError, OverflowError)):
        consumer.poll_batch(max_records=max_records)


def test_nothing_in_time_is_none_or_an_empty_batch(clients: Clients, topic: str) -> None:
    consumer = clients.consumer([(topic, 0)])
    # The first answer may take as long as connecting does.
    assert consumer.position((topic, 0), timeout=SECONDS) == 0
    with Stopwatch() as watch:
        assert consumer.poll(timeout=0.1) is None
        assert len(consumer.poll_batch(timeout=0.1)) == 0
    assert 0.19 < watch.seconds < SECONDS / 2


def test_a_timeout_of_zero_does_not_wait(clients: Clients, topic: str) -> None:
    consumer = clients.consumer([(topic, 0)])
    consumer.position((topic, 0), timeout=SECONDS)
    with Stopwatch() as watch:
        for _ in range(50):
            assert consumer.poll(timeout=0) is None
            assert not consumer.poll_batch(timeout=0)
    assert watch.seconds < SECONDS / 2
    clients.fill(topic, [1])
    record = eventually(lambda: consumer.poll(timeout=0), "the record is buffered")
    assert record is not None
    assert record.value == b"1"


def test_a_new_record_ends_a_wait(clients: Clients, topic: str) -> None:
    consumer = clients.consumer([(topic, 0)], fetch_max_wait_ms=30_000)
    consumer.position((topic, 0), timeout=SECONDS)
    sender = threading.Thread(target=send_one_from_elsewhere, args=(clients.broker.bootstrap_servers, topic))
    sender.start()
    with Stopwatch() as watch:
        record = consumer.poll(timeout=SECONDS)
    sender.join()
    assert record is not None
    assert record.value == b"from elsewhere"
    assert watch.seconds < 10


def send_one_from_elsewhere(bootstrap_servers: str, topic: str) -> None:
    from kafkars import Producer

    with Producer(bootstrap_servers=bootstrap_servers) as producer:
        producer.send(topic, b"from elsewhere")


def test_reading_with_nothing_assigned_is_an_error_and_not_a_wait(clients: Clients) -> None:
    consumer = clients.consumer()
    for call in (consumer.poll, consumer.poll_batch):
        with pytest.raises(ClientStateError, match="assign"):
            call(timeout=SECONDS)
    with pytest.raises(ClientStateError, match="assign"):
        next(iter(consumer))


def test_every_partition_is_read_in_its_order(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=5)
    for partition in range(5):
        clients.fill(topic, range(partition * 1_000, partition * 1_000 + 300), partition=partition)
    consumer = clients.consumer([TopicPartition(topic, partition) for partition in range(5)])
    records = read(consumer, 1_500)
    for partition in range(5):
        mine = [record for record in records if record.partition == partition]
        assert values(mine) == numbers(partition * 1_000, partition * 1_000 + 300)
        assert [record.offset for record in mine] == list(range(300))


def test_several_topics_are_read_together(clients: Clients) -> None:
    topics = [clients.broker.new_topic() for _ in range(3)]
    for topic in topics:
        clients.fill(topic, range(50))
    records = read(clients.consumer([(topic, 0) for topic in topics]), 150)
    for topic in topics:
        assert values(record for record in records if record.topic == topic) == numbers(50)


def test_no_partition_starves_beside_a_full_one(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=2)
    clients.fill(topic, range(20_000), partition=0)
    clients.fill(topic, range(10), partition=1)
    consumer = clients.consumer([(topic, 0), (topic, 1)], max_partition_fetch_bytes=2_000)
    from_the_small_one = 0
    for taken in itertools.count(1):
        assert taken < 20_000, "the full partition was read to its end first"
        record = consumer.poll(timeout=SECONDS)
        assert record is not None
        from_the_small_one += record.partition
        if from_the_small_one == 10:
            break


def test_an_assignment_replaces_the_one_before(clients: Clients) -> None:
    first, second = clients.broker.new_topic(), clients.broker.new_topic()
    clients.fill(first, range(100))
    clients.fill(second, range(5))
    consumer = clients.consumer([(first, 0)])
    assert values(read(consumer, 10)) == numbers(10)
    consumer.assign([(second, 0)])
    assert consumer.assignment() == {TopicPartition(second, 0)}
    assert values(read(consumer, 5)) == numbers(5)
    assert consumer.poll(timeout=0.05) is None


def test_nothing_is_read_after_unassigning(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(10))
    consumer = clients.consumer([(topic, 0)])
    read(consumer, 1)
    consumer.unassign()
    assert consumer.assignment() == frozenset()
    with pytest.raises(ClientStateError):
        consumer.poll(timeout=0.1)


def test_paused_partitions_are_silent_until_they_are_resumed(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=2)
    clients.fill(topic, range(5), partition=0)
    clients.fill(topic, range(100, 105), partition=1)
    consumer = clients.consumer([(topic, 0), (topic, 1)])
    consumer.pause([(topic, 0)])
    assert consumer.paused() == {TopicPartition(topic, 0)}
    assert values(read(consumer, 5)) == numbers(100, 105)
    assert consumer.poll(timeout=0.1) is None
    consumer.resume([(topic, 0)])
    assert consumer.paused() == frozenset()
    assert values(read(consumer, 5)) == numbers(5)


def test_a_pause_holds_back_what_is_buffered(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(100))
    consumer = clients.consumer([(topic, 0)])
    assert values(read(consumer, 10)) == numbers(10)
    consumer.pause()
    assert consumer.poll(timeout=0.1) is None
    assert consumer.position((topic, 0)) == 10
    consumer.resume()
    assert values(read(consumer, 90)) == numbers(10, 100)


def test_a_small_buffer_still_reads_everything(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(5_000))
    consumer = clients.consumer([(topic, 0)], fetch_buffer_bytes=1, max_partition_fetch_bytes=1_000)
    assert values(read(consumer, 5_000)) == numbers(5_000)


def test_records_of_ten_megabytes_pass_with_raised_limits(clients: Clients) -> None:
    topic = clients.broker.new_topic(settings={"max.message.bytes": str(12 << 20)})
    large = bytes(range(256)) * 40_960
    assert len(large) == 10 << 20
    producer = clients.producer(max_request_size=11 << 20)
    sent = [producer.send(topic, large), producer.send(topic, b"small")]
    assert [each.result(SECONDS).offset for each in sent] == [0, 1]
    # Above every fetch limit of the consumer: a batch always comes whole.
    first, second = read(clients.consumer([(topic, 0)]), 2)
    assert first.value == large
    assert first.serialized_value_size == 10 << 20
    assert second.value == b"small"


@pytest.mark.alone
@pytest.mark.timeout(300)
def test_a_thousand_partitions_are_read_completely(clients: Clients) -> None:
    # Kafka on a busy machine takes up to half a minute to create a thousand partitions, as long until it leads them,
    # and as long again to make their logs.
    patient = 4 * SECONDS
    topic = clients.broker.new_topic(partitions=1_000, seconds=patient)
    producer = clients.producer(linger_ms=20, delivery_timeout_ms=int(patient * 1e3))
    sent = [producer.send(topic, str(number).encode(), partition=number) for number in range(1_000)]
    assert producer.flush(patient) == 0
    assert {each.result(SECONDS).offset for each in sent} == {0}
    records = read(clients.consumer([(topic, partition) for partition in range(1_000)]), 1_000, patient)
    assert all(record.value == str(record.partition).encode() for record in records)
    assert {record.partition for record in records} == set(range(1_000))


def test_several_threads_share_a_consumer(clients: Clients, topic: str, client_api: Any) -> None:
    if client_api.name != "sync":
        pytest.skip("asyncio clients belong to one loop")
    clients.fill(topic, range(1_000))
    consumer = clients.consumer([(topic, 0)])
    found: list[list[bytes | None]] = [[] for _ in range(4)]
    left = threading.Semaphore(1_000)

    def take(into: list[bytes | None]) -> None:
        while left.acquire(blocking=False):
            record = consumer.poll(timeout=SECONDS)
            assert record is not None
            into.append(record.value)

    threads = [threading.Thread(target=take, args=(into,)) for into in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(itertools.chain(*found), key=lambda value: int(value or 0)) == numbers(1_000)
    assert all([int(value or 0) for value in mine] == sorted(int(value or 0) for value in mine) for mine in found)

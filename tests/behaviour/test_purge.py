"""Records taken back, and what flush and close say of those that are left."""

from __future__ import annotations

from typing import Any

import kafkars
import kafkars.aio
import pytest
from kafkars.errors import ClosedError, PurgedError, TransactionFailedError
from kafkars.testing import EmbeddedBroker

from tests.support.awaits import run
from tests.support.clients import Clients, read, values
from tests.support.waiting import SECONDS, Stopwatch, eventually


def test_what_waits_is_given_up(clients: Clients, topic: str) -> None:
    producer: Any = clients.producer(linger_ms=60_000)
    sent = [producer.send(topic, b"value") for _ in range(3)]
    producer.partitions_for(topic)
    assert producer.purge(in_flight=False) == 3
    for each in sent:
        with pytest.raises(PurgedError, match="purged") as caught:
            each.result(SECONDS)
        assert not caught.value.in_flight
    assert producer.metrics()["unacknowledged"] == 0
    assert producer.metrics()["buffer_used"] == 0
    assert producer.purge() == 0
    sent = producer.send(topic, b"kept")
    assert producer.flush(SECONDS) == 0
    assert sent.result(SECONDS).offset == 0
    assert values(read(clients.consumer([(topic, 0)]), 1)) == [b"kept"]


@pytest.mark.parametrize("idempotent", [True, False])
def test_what_is_under_way_is_given_up_and_may_be_stored(idempotent: bool) -> None:
    with (
        EmbeddedBroker() as broker,
        kafkars.Producer(
            bootstrap_servers=broker.bootstrap_servers, enable_idempotence=idempotent, linger_ms=0
        ) as producer,
    ):
        broker.create_topic("topic")
        producer.send("topic", b"0").result(SECONDS)
        broker.forget_requests()
        with broker.intercept("Produce", "delay", seconds=3.0, times=1):
            sent = producer.send("topic", b"1")
            broker.wait_for_request("Produce")
            assert producer.purge(in_flight=False) == 0
            assert producer.purge(in_queue=False) == 1
            with pytest.raises(PurgedError, match="may be stored") as caught:
                sent.result(SECONDS)
            assert caught.value.in_flight
            assert len(producer) == 0
        # It was stored: the numbers go on behind it.
        assert producer.send("topic", b"2").result(SECONDS).offset == 2
        eventually(lambda: producer.metrics()["buffer_used"] == 0, "the answer gives the memory back")


def test_what_waits_to_be_tried_again_is_not_tried_again() -> None:
    with (
        EmbeddedBroker() as broker,
        kafkars.Producer(bootstrap_servers=broker.bootstrap_servers, retry_backoff_ms=10) as producer,
    ):
        broker.create_topic("topic")
        with broker.intercept("Produce", "NOT_ENOUGH_REPLICAS") as refused:
            sent = producer.send("topic", b"0")
            eventually(lambda: refused.hits > 1, "it is tried again")
            assert producer.purge() == 1
            with pytest.raises(PurgedError):
                sent.result(SECONDS)
        # Its number is missing at the broker, which the producer must survive.
        assert [producer.send("topic", b"1").result(SECONDS).offset for _ in range(3)] == [0, 1, 2]


def test_a_purged_transaction_is_aborted() -> None:
    with (
        EmbeddedBroker() as broker,
        kafkars.Producer(
            bootstrap_servers=broker.bootstrap_servers, transactional_id="purged", linger_ms=60_000
        ) as producer,
    ):
        broker.create_topic("topic")
        producer.init_transactions(SECONDS)
        producer.begin_transaction()
        producer.send("topic", b"0")
        assert producer.purge() == 1
        with pytest.raises(kafkars.KafkaError) as caught:
            producer.commit_transaction(SECONDS)
        assert caught.value.abortable
        producer.abort_transaction(SECONDS)
        with producer.transaction():
            producer.send("topic", b"1")


@pytest.mark.parametrize("version", [None, "2.8"])
@pytest.mark.parametrize("end", ["commit_transaction", "abort_transaction"])
def test_a_transaction_ends_after_what_was_purged_under_way_is_answered(version: str | None, end: str) -> None:
    options: dict[str, Any] = {} if version is None else {"version": version}
    with (
        EmbeddedBroker(topics={"topic": 1}, **options) as broker,
        kafkars.Producer(bootstrap_servers=broker.bootstrap_servers, transactional_id="purge") as producer,
    ):
        producer.init_transactions(SECONDS)
        producer.begin_transaction()
        producer.send("topic", b"0").result(SECONDS)
        delay = broker.intercept("Produce", "delay", seconds=3.0, times=1)
        sent = producer.send("topic", b"purged")
        eventually(lambda: delay.hits, "the record is under way")
        assert producer.purge(in_queue=False) == 1
        assert isinstance(sent.exception(SECONDS), PurgedError)
        if end == "commit_transaction":
            with pytest.raises(TransactionFailedError):
                producer.commit_transaction(SECONDS)
        producer.abort_transaction(SECONDS)
        # What comes after the marker of the abort would be part of the next transaction, or of none.
        _, before = broker.offsets("topic", 0)
        for value in (b"1", b"2"):
            with producer.transaction():
                producer.send("topic", value)
        _, after = broker.offsets("topic", 0)
        assert after - before == 4, "two records and two markers"
        with kafkars.Consumer(
            bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest", isolation_level="read_committed"
        ) as consumer:
            consumer.assign([("topic", 0)])
            assert values(read(consumer, 2)) == [b"1", b"2"]


def test_asyncio_purges_what_waits_for_its_topic() -> None:
    async def test() -> None:
        async with kafkars.aio.Producer(bootstrap_servers="127.0.0.1:1") as producer:
            sent = [producer.send("topic", b"value") for _ in range(3)]
            assert producer.purge() == 3
            for each in sent:
                with pytest.raises(PurgedError):
                    await each
            assert await producer.close(0.1) == 0

    run(test())


def test_flush_says_what_is_left(clients: Clients, topic: str) -> None:
    producer: Any = clients.producer()
    assert producer.flush(0) == 0
    producer.send(topic, b"value")
    assert producer.flush(SECONDS) == 0
    with EmbeddedBroker() as broker:
        broker.create_topic("topic")
        slow: Any = clients.producer(bootstrap_servers=broker.bootstrap_servers)
        slow.send("topic", b"0").result(SECONDS)
        broker.pause_node(1)
        slow.send("topic", b"1")
        slow.send("topic", b"2")
        with Stopwatch() as watch:
            assert slow.flush(0.05) == 2
        assert watch.seconds < SECONDS / 2
        broker.resume_node(1)
        assert slow.flush(SECONDS) == 0
        slow.close()


def test_close_says_what_was_given_up(clients: Clients) -> None:
    with EmbeddedBroker() as broker:
        broker.create_topic("topic")
        producer: Any = clients.producer(bootstrap_servers=broker.bootstrap_servers)
        with broker.intercept("Produce", "NOT_ENOUGH_REPLICAS"):
            sent = [producer.send("topic", b"value") for _ in range(2)]
            assert producer.close(0.1) == 2
            for each in sent:
                with pytest.raises(ClosedError):
                    each.result(SECONDS)
        assert producer.close(0.1) == 0

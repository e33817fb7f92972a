"""Topics that do not exist and that nobody creates are said soon, by name, with what to do."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import kafkars
import pytest
from kafkars import Producer
from kafkars.admin import NewTopic
from kafkars.errors import KafkaTimeoutError, MetadataTimeoutError, UnknownTopicOrPartitionError
from kafkars.testing import EmbeddedBroker

from tests.support.clients import Clients
from tests.support.waiting import SECONDS, Stopwatch, eventually

GRACE_MS = 700
"""Less than the default of 5 s, so that tests take less; far less than `max_block_ms`, which is 60 s."""

SOON = 10.0
KEPT_SHORT = {"topic_metadata_propagation_max_ms": GRACE_MS, "allow_auto_create_topics": False}


def unknown() -> str:
    return f"unknown-{uuid4().hex[:12]}"


def says_what_to_do(error: BaseException, topic: str) -> bool:
    text = str(error)
    return all(part in text for part in (topic, "UNKNOWN_TOPIC_OR_PARTITION", "create it", "propagation_max_ms=700"))


def test_a_send_to_an_unknown_topic_fails_soon(clients: Clients) -> None:
    producer = clients.producer(**KEPT_SHORT)
    topic = unknown()
    with Stopwatch() as watch, pytest.raises(UnknownTopicOrPartitionError) as raised:
        producer.send(topic, b"value").result(SECONDS)
    assert GRACE_MS / 1000 * 0.9 < watch.seconds < SOON
    assert says_what_to_do(raised.value, topic)
    assert raised.value.topic == topic


def test_so_do_calls_about_it(clients: Clients) -> None:
    producer, consumer = clients.producer(**KEPT_SHORT), clients.consumer(**KEPT_SHORT)
    topic = unknown()
    with Stopwatch() as watch:
        for call in (
            lambda: producer.partitions_for(topic),
            lambda: producer.send_many(topic, [b"value"]).result(SECONDS),
            lambda: consumer.partitions_for(topic),
            lambda: consumer.end_offsets((topic, 0)),
        ):
            with pytest.raises(UnknownTopicOrPartitionError, match=topic):
                call()
    assert watch.seconds < SOON


def test_every_call_says_of_an_unknown_topic_what_to_do(clients: Clients) -> None:
    """Some said only that it passes right after a topic was made: whoever has written a wrong name waited."""
    topic = unknown()
    producer, consumer = clients.producer(**KEPT_SHORT), clients.consumer([(topic, 0)], **KEPT_SHORT)
    admin = clients.admin()
    for call in (
        lambda: producer.send(topic, b"value").result(SECONDS),
        lambda: producer.partitions_for(topic),
        lambda: consumer.partitions_for(topic),
        lambda: consumer.end_offsets((topic, 0)),
        lambda: consumer.poll(SECONDS),
        lambda: admin.describe_topics([topic]),
        lambda: admin.delete_topics([topic]),
    ):
        with pytest.raises(UnknownTopicOrPartitionError, match="create it, or mend its name") as raised:
            call()
        assert topic in str(raised.value)


def test_the_end_of_a_call_says_so_too(clients: Clients) -> None:
    producer = clients.producer(topic_metadata_propagation_max_ms=60_000, allow_auto_create_topics=False)
    producer.partitions_for(clients.broker.new_topic(), timeout=SECONDS)
    with pytest.raises(KafkaTimeoutError, match=r"mend its name\. .*this passes; the client does not ask") as raised:
        producer.partitions_for(unknown(), timeout=2)
    assert "..;" not in str(raised.value)


def test_a_topic_is_waited_for_once(client_api: Any) -> None:
    """And is found by a call soon after it was made."""
    given = {**KEPT_SHORT, "topic_metadata_propagation_max_ms": 4_000}
    topic = unknown()
    with (
        EmbeddedBroker(auto_create_topics=False) as broker,
        client_api.Producer(bootstrap_servers=broker.bootstrap_servers, **given) as producer,
        kafkars.Admin(bootstrap_servers=broker.bootstrap_servers) as admin,
    ):
        with Stopwatch() as watch, pytest.raises(UnknownTopicOrPartitionError, match=topic):
            producer.send(topic, b"value").result(SECONDS)
        assert watch.seconds > 3.6
        with Stopwatch() as watch:
            for _ in range(10):
                with pytest.raises(UnknownTopicOrPartitionError, match=topic):
                    producer.send(topic, b"value").result(SECONDS)
        # One wait more would take longer.
        assert watch.seconds < 3.6
        admin.create_topics([NewTopic(topic)])

        def is_stored() -> bool:
            try:
                return producer.send(topic, b"value").result(SECONDS).offset == 0
            except UnknownTopicOrPartitionError:
                return False

        eventually(is_stored, "the topic is found")


def test_a_partition_function_is_not_waited_for() -> None:
    with EmbeddedBroker(auto_create_topics=False) as broker:
        given: dict[str, Any] = {"topic_metadata_propagation_max_ms": GRACE_MS, "partitioner": lambda _key, _count: 0}
        with Producer(bootstrap_servers=broker.bootstrap_servers, **given) as producer:
            with (
                Stopwatch() as watch,
                pytest.raises(UnknownTopicOrPartitionError, match=r"auto\.create\.topics\.enable"),
            ):
                producer.send("unknown", b"value")
            assert watch.seconds < SOON


def test_sends_that_wait_fail_together() -> None:
    async def main(servers: str) -> None:
        given: dict[str, Any] = {"bootstrap_servers": servers, "topic_metadata_propagation_max_ms": GRACE_MS}
        async with kafkars.aio.Producer[Any, Any](**given) as producer:
            with Stopwatch() as watch:
                sent = [producer.send("unknown", b"%d" % number) for number in range(100)]
                failures = await asyncio.gather(*sent, return_exceptions=True)
            assert {type(failure) for failure in failures} == {UnknownTopicOrPartitionError}
            assert watch.seconds < SOON
            assert (await producer.send("there", b"value")).offset == 0

    with EmbeddedBroker(auto_create_topics=False, topics={"there": 1}) as broker:
        asyncio.run(main(broker.bootstrap_servers))


def test_a_topic_that_is_made_meanwhile_is_waited_for() -> None:
    with EmbeddedBroker(auto_create_topics=False) as broker, ThreadPoolExecutor(1) as threads:
        seen = broker.intercept("Metadata", "delay", seconds=0.001)
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            sent = threads.submit(producer.send, "late", b"value")
            eventually(lambda: seen.hits > 2, "some answers")
            broker.create_topic("late", partitions=1)
            assert sent.result(SECONDS).result(SECONDS).offset == 0


def test_waiting_longer_is_a_setting() -> None:
    with EmbeddedBroker(auto_create_topics=False, topics={"there": 1}) as broker:
        given: dict[str, Any] = {"topic_metadata_propagation_max_ms": 60_000, "max_block_ms": 2_000}
        with Producer(bootstrap_servers=broker.bootstrap_servers, **given) as producer:
            producer.partitions_for("there", timeout=SECONDS)
            with pytest.raises(MetadataTimeoutError, match="max_block_ms=") as raised:
                producer.send("unknown", b"value")
            assert isinstance(raised.value.__cause__, UnknownTopicOrPartitionError)


def test_brokers_that_do_not_answer_know_of_no_topic(client_api: Any) -> None:
    """What was unknown before is asked for again; silence is not taken for an answer."""
    with EmbeddedBroker(auto_create_topics=False, topics={"there": 1}) as broker:
        given: dict[str, Any] = {"topic_metadata_propagation_max_ms": 100, "max_block_ms": 2_000}
        with client_api.Producer(bootstrap_servers=broker.bootstrap_servers, close_timeout_ms=100, **given) as producer:
            producer.partitions_for("there", timeout=SECONDS)
            with pytest.raises(UnknownTopicOrPartitionError):
                producer.send("unknown", b"value").result(SECONDS)
            broker.pause_node(1)

            def is_silence() -> bool:
                with pytest.raises((MetadataTimeoutError, UnknownTopicOrPartitionError)) as raised:
                    producer.send("unknown", b"value").result(SECONDS)
                return isinstance(raised.value, MetadataTimeoutError)

            # The answer of the last second counts until that is over.
            eventually(is_silence, "their answer counts no longer")


def test_a_topic_of_the_first_send_is_created_as_before(clients: Clients) -> None:
    topic = unknown()
    assert clients.producer().send(topic, b"value").result(SECONDS).offset == 0


def test_a_subscription_to_an_unknown_topic_is_heard(
    clients: Clients, protocol: str, topic: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "kafkars")
    missing = unknown()
    consumer: Any = clients.consumer(group_id=unknown(), group_protocol=protocol, **KEPT_SHORT)
    consumer.subscribe([missing, topic])

    def lines() -> list[str]:
        consumer.poll(timeout=0.05)
        return [each.getMessage() for each in caplog.records if "do not exist" in each.getMessage()]

    eventually(lines, "a line in the log")
    (line,) = lines()
    assert missing in line
    assert topic not in line
    health = getattr(consumer, "_client", consumer).health()
    assert health.unknown_topics == (missing,)
    # Once it is made it is read, and nothing is amiss.
    clients.fill(missing, ["value"])
    assert eventually(lambda: consumer.poll(timeout=0.1), "its record").topic == missing
    health = getattr(consumer, "_client", consumer).health()
    assert health.unknown_topics == ()
    assert len(lines()) == 1


def test_an_unknown_topic_that_is_assigned_is_said(clients: Clients) -> None:
    topic = unknown()
    consumer = clients.consumer([(topic, 0)], **KEPT_SHORT)
    with pytest.raises(UnknownTopicOrPartitionError, match=topic):
        while True:
            consumer.poll(timeout=SECONDS)

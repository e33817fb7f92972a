"""Records that cannot leave: their outcome is known when their time is over, and says what they waited for."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from typing import Any

import kafkars
import kafkars.aio
import pytest
from kafkars.admin import NewTopic
from kafkars.errors import (
    BrokerError,
    ClusterAuthorizationFailedError,
    DeliveryTimeoutError,
    KafkaTimeoutError,
    PurgedError,
    TopicAlreadyExistsError,
    TransactionalIdAuthorizationFailedError,
    UnknownTopicOrPartitionError,
    UnsupportedVersionError,
)
from kafkars.testing import EmbeddedBroker

from tests.kafka import wire
from tests.support.awaits import run
from tests.support.clients import Clients
from tests.support.waiting import SECONDS, Stopwatch, eventually

SHORT = {"delivery_timeout_ms": 1_000, "request_timeout_ms": 500, "retry_backoff_ms": 20, "retry_backoff_max_ms": 200}
# For what takes all of its time and must hear of a refusal, or be stored, within that.
LONGER = {**SHORT, "delivery_timeout_ms": 3_000}
# For what must be stored.
LONG = {**SHORT, "delivery_timeout_ms": 10_000, "request_timeout_ms": 2_000}
# The default of `delivery_timeout_ms` is two minutes.
SOON = 10.0
KEYS = [b"%d" % number for number in range(40)]


@pytest.fixture
def embedded() -> Iterator[EmbeddedBroker]:
    """One node with a topic of two partitions."""
    with EmbeddedBroker(topics={"topic": 2}) as broker:
        yield broker


def made_again(admin: kafkars.Admin, topic: NewTopic) -> None:
    """Makes a topic that was deleted, as soon as brokers have forgotten it."""

    def is_made() -> bool:
        try:
            admin.create_topics([topic])
        except TopicAlreadyExistsError:
            return False
        return True

    eventually(is_made, "the topic is made again")


@pytest.mark.timeout(180)
def test_keys_go_on_when_a_topic_is_made_again_with_fewer_partitions(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=6)
    # Brokers before topic ids refuse nothing where a topic has more partitions than are known: a look from time to time
    # shows it.
    settings = {**SHORT, "delivery_timeout_ms": 5_000, "request_timeout_ms": 2_000, "metadata_max_age_ms": 1_000}
    # While the topic is away its producer would make it, with as many partitions as brokers like.
    producer: Any = clients.producer(allow_auto_create_topics=False, **settings)

    def partitions() -> set[int]:
        """Where records of all keys are stored; none where one fails, as it may for a partition that is gone."""
        sent = [producer.send(topic, b"value", key) for key in KEYS]
        try:
            return {each.result(SECONDS).partition for each in sent}
        except (KafkaTimeoutError, UnknownTopicOrPartitionError):
            return set()

    assert partitions() == set(range(6))
    with kafkars.Admin(bootstrap_servers=clients.broker.bootstrap_servers) as admin:
        for count in (2, 3, 1):
            admin.delete_topics([topic])
            made_again(admin, NewTopic(topic, count))
            expected = set(range(count))
            eventually(lambda expected=expected: partitions() == expected, "all keys are stored in all partitions", 45)
    assert producer.flush(SECONDS) == 0
    assert producer.metrics()["buffer_used"] == 0


@pytest.mark.parametrize("idempotent", [True, False])
def test_a_partition_that_is_gone_fails_its_records_and_no_others(clients: Clients, idempotent: bool) -> None:
    topic = clients.broker.new_topic(partitions=3)
    settings = {"request_timeout_ms": 2_000, "retry_backoff_max_ms": 200}
    # While the topic is away its producer would make it, with as many partitions as brokers like.
    producer: Any = clients.producer(enable_idempotence=idempotent, allow_auto_create_topics=False, **settings)
    producer.send(topic, b"before", partition=2).result(SECONDS)
    with kafkars.Admin(bootstrap_servers=clients.broker.bootstrap_servers) as admin:
        admin.delete_topics([topic])
        wire.wait_until_gone(clients.broker.bootstrap_servers, topic)
        # Records of a partition that the producer still knows of.
        sent = [producer.send(topic, b"during", partition=2) for _ in range(3)]
        made_again(admin, NewTopic(topic, 1))
    for each in sent:
        with pytest.raises(UnknownTopicOrPartitionError, match="partition 2 is gone"):
            each.result(SECONDS)
    assert producer.send(topic, b"after", partition=0).result(SECONDS).offset == 0
    assert producer.flush(SECONDS) == 0
    assert producer.metrics()["buffer_used"] == 0


def test_records_expire_again_and_again_while_their_leader_is_gone(
    clients: Clients, embedded: EmbeddedBroker, caplog: pytest.LogCaptureFixture
) -> None:
    producer: Any = clients.producer(bootstrap_servers=embedded.bootstrap_servers, **SHORT)
    eventually(lambda: succeeds(producer), "a record is stored")
    with caplog.at_level(logging.WARNING, "kafkars.producer"):
        node = embedded.leader("topic", 0)
        assert node is not None
        embedded.stop_node(node)
        for _ in range(3):
            with Stopwatch() as watch:
                sent = [producer.send("topic", b"value", partition=partition) for partition in (0, 1)]
                assert producer.flush(SECONDS) == 0
            assert watch.seconds < SOON
            for each in sent:
                with pytest.raises(DeliveryTimeoutError, match=r"last cause: .*broker"):
                    each.result(SECONDS)
        warnings = [line for line in caplog.messages if "records wait" in line]
        assert len(warnings) <= 1, warnings
    assert producer.metrics()["buffer_used"] == 0
    embedded.start_node(node)
    assert eventually(lambda: succeeds(producer, partition=0), "it goes on by itself").partition == 0


@pytest.mark.parametrize(
    ("action", "told"),
    [
        ("drop", "InitProducerId"),
        ("disconnect", "InitProducerId of broker"),
        ("disconnect_after", "InitProducerId of broker"),
        ("truncate", "InitProducerId of broker"),
        ("wrong_correlation_id", "InitProducerId of broker"),
        ("wrong_length", "InitProducerId of broker"),
        ("COORDINATOR_LOAD_IN_PROGRESS", "InitProducerId of broker .*COORDINATOR_LOAD_IN_PROGRESS"),
        ("CLUSTER_AUTHORIZATION_FAILED", "InitProducerId of broker .*CLUSTER_AUTHORIZATION_FAILED"),
        ("9999", "InitProducerId of broker .*UNKNOWN_ERROR_CODE"),
    ],
)
def test_records_that_wait_for_a_producer_id_end_in_time_and_say_so(
    clients: Clients, embedded: EmbeddedBroker, action: str, told: str
) -> None:
    producer: Any = clients.producer(bootstrap_servers=embedded.bootstrap_servers, **LONGER)
    producer.partitions_for("topic")
    with embedded.intercept("InitProducerId", action):
        for _ in range(2):
            with Stopwatch() as watch:
                sent = producer.send("topic", b"value")
                with pytest.raises(kafkars.KafkaError, match=told):
                    sent.result(SECONDS)
            assert watch.seconds < SOON
        asked = len(embedded.requests("InitProducerId"))
        # Pauses grow from 20 to 200 ms within the six seconds.
        assert asked < 60
    # Nothing is lost for good.
    stored = eventually(lambda: succeeds(producer), "it goes on by itself")
    assert stored.partition in {0, 1}
    assert producer.close(None) == 0


def succeeds(producer: Any, **where: Any) -> Any:
    """What became of one record, or None where it failed."""
    try:
        return producer.send("topic", b"value", **where).result(SECONDS)
    except kafkars.KafkaError:
        return None


def test_closing_ends_when_no_producer_id_comes(clients: Clients, embedded: EmbeddedBroker) -> None:
    producer: Any = clients.producer(bootstrap_servers=embedded.bootstrap_servers, **SHORT)
    with embedded.intercept("InitProducerId", "disconnect"):
        sent = [producer.send("topic", b"value", partition=number % 2) for number in range(10)]
        with Stopwatch() as watch:
            assert producer.close(None) == 0
        assert watch.seconds < SOON
    for each in sent:
        with pytest.raises(DeliveryTimeoutError):
            each.result(SECONDS)


@pytest.mark.parametrize("code", ["NOT_ENOUGH_REPLICAS", "KAFKA_STORAGE_ERROR", "UNSUPPORTED_VERSION", "9999"])
def test_a_broker_that_refuses_to_store_is_named_and_not_stormed(
    clients: Clients, embedded: EmbeddedBroker, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    producer: Any = clients.producer(bootstrap_servers=embedded.bootstrap_servers, **LONGER)
    producer.partitions_for("topic")
    producer.send("topic", b"value", partition=0).result(SECONDS)
    embedded.forget_requests()
    name = "UNKNOWN_ERROR_CODE" if code == "9999" else code
    with embedded.intercept("Produce", code), caplog.at_level(logging.WARNING, "kafkars.producer"):
        sent = producer.send("topic", b"value", partition=0)
        with pytest.raises(kafkars.KafkaError, match=name):
            sent.result(SECONDS)
        # Pauses grow from 20 to 200 ms within the three seconds that the record lives.
        assert len(embedded.requests("Produce")) <= 24
    assert len([line for line in caplog.messages if "records wait" in line]) <= 1
    # An attempt that was under way at the time limit may have stored the record, which the error says.
    assert producer.send("topic", b"value", partition=0).result(SECONDS).offset in {1, 2}


def test_a_send_after_a_purge_has_all_of_its_own_time() -> None:
    async def test() -> None:
        async with kafkars.aio.Producer(bootstrap_servers="127.0.0.1:1", max_block_ms=1_000) as producer:
            taken_back = producer.send("topic", b"value")
            assert producer.purge() == 1
            with pytest.raises(PurgedError):
                await taken_back
            # Half of the time for which the record that was taken back would have waited.
            other = asyncio.create_task(fails(producer.send("another", b"value")))
            await asyncio.wait([other], timeout=0.5)
            with Stopwatch() as watch, pytest.raises(kafkars.KafkaError):
                await producer.send("topic", b"value")
            assert watch.seconds > 0.9
            await other

    async def fails(sent: Any) -> None:
        with pytest.raises(kafkars.KafkaError):
            await sent

    run(test())


@pytest.mark.parametrize("action", ["wrong_length", "wrong_correlation_id", "truncate"])
@pytest.mark.parametrize("api", ["FindCoordinator", "InitProducerId", "EndTxn"])
def test_a_garbled_answer_of_a_coordinator_ends_no_transactional_producer(
    clients: Clients, embedded: EmbeddedBroker, api: str, action: str
) -> None:
    producer: Any = clients.producer(bootstrap_servers=embedded.bootstrap_servers, transactional_id="garbled", **LONG)
    with embedded.intercept(api, action, times=1) as garbled:
        producer.init_transactions(SECONDS)
        producer.begin_transaction()
        sent = producer.send("topic", b"value")
        producer.commit_transaction(SECONDS)
        assert garbled.hits == 1
    assert sent.result(SECONDS).offset == 0


@pytest.mark.parametrize(
    "error",
    [ClusterAuthorizationFailedError, TransactionalIdAuthorizationFailedError, UnsupportedVersionError],
)
def test_a_refused_producer_id_is_an_error_of_its_own_kind(embedded: EmbeddedBroker, error: type[BrokerError]) -> None:
    with (
        embedded.intercept("InitProducerId", error),
        kafkars.Producer(bootstrap_servers=embedded.bootstrap_servers) as producer,
        pytest.raises(error, match=r"gives no producer id .*enable_idempotence=False"),
    ):
        producer.send("topic", b"value").result(SECONDS)

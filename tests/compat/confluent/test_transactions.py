"""Transactions: begun, committed, aborted, with positions of a consumer, and out of order."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

import pytest

from tests.compat.confluent.conftest import RUNS, Clients, places, poll_until, read_to_end
from tests.compat.confluent.test_produce import Reports
from tests.support.proxy import Proxy, Weather
from tests.support.waiting import eventually


@pytest.fixture
def producer(clients: Clients) -> Any:
    made = clients.producer({"transactional.id": clients.group()})
    made.init_transactions(20)
    return made


def test_only_what_was_committed_is_read(clients: Clients, producer: Any) -> None:
    topic, reports = clients.topic(), Reports()
    for value, end in (
        ("one", producer.commit_transaction),
        ("two", producer.abort_transaction),
        ("three", producer.commit_transaction),
    ):
        producer.begin_transaction()
        producer.produce(topic, value, callback=reports)
        producer.flush(20)
        end(20)
    assert read_to_end(clients, topic) == [b"one", b"three"]
    assert reports.codes() == [None, None, None]


def test_committing_sends_what_is_left_and_runs_its_callbacks(clients: Clients, producer: Any) -> None:
    topic, reports = clients.topic(), Reports()
    producer.begin_transaction()
    producer.produce(topic, "value", callback=reports)
    producer.commit_transaction(20)
    assert reports.codes() == [None]
    assert read_to_end(clients, topic) == [b"value"]


def test_aborting_gives_up_what_is_left_and_runs_its_callbacks(clients: Clients, producer: Any) -> None:
    topic, reports = clients.topic(), Reports()
    producer.list_topics(topic, 20)
    producer.begin_transaction()
    producer.produce(topic, "value", callback=reports)
    producer.abort_transaction(20)
    # It may have left by then, and be stored and aborted.
    assert reports.codes()[0] in {None, clients.ck.KafkaError._PURGE_QUEUE, clients.ck.KafkaError._PURGE_INFLIGHT}
    assert read_to_end(clients, topic) == []


def test_positions_are_part_of_a_transaction(clients: Clients, producer: Any) -> None:
    source, sink = clients.topic(messages=3), clients.topic()
    consumer = clients.consumer({"enable.auto.commit": False})
    consumer.subscribe([source])
    poll_until(consumer, 2)
    here = [clients.ck.TopicPartition(source, 0)]
    producer.begin_transaction()
    producer.produce(sink, "made of two")
    producer.send_offsets_to_transaction(
        consumer.position(consumer.assignment()), consumer.consumer_group_metadata(), 20
    )
    producer.commit_transaction(20)
    assert places(consumer.committed(here, 20)) == [(source, 0, 2)]
    producer.begin_transaction()
    producer.send_offsets_to_transaction(
        [clients.ck.TopicPartition(source, 0, 3)], consumer.consumer_group_metadata(), 20
    )
    producer.abort_transaction(20)
    assert places(consumer.committed(here, 20)) == [(source, 0, 2)]
    with pytest.raises(TypeError):
        producer.send_offsets_to_transaction(here, "text", 20)


@pytest.mark.parametrize("isolation_level", ["read_uncommitted", "read_committed"])
def test_offsets_of_an_open_transaction_are_waited_for_by_who_reads_what_is_committed(
    clients: Clients, producer: Any, isolation_level: str
) -> None:
    group, place = clients.group(), clients.ck.TopicPartition(clients.topic(), 0, 2)
    consumer = clients.consumer({"group.id": group, "isolation.level": isolation_level, "enable.auto.commit": False})
    consumer.commit(offsets=[clients.ck.TopicPartition(place.topic, 0, 1)], asynchronous=False)
    producer.begin_transaction()
    producer.send_offsets_to_transaction([place], consumer.consumer_group_metadata(), 20)
    if isolation_level == "read_uncommitted":
        assert places(consumer.committed([place], 20)) == [(place.topic, 0, 1)]
    else:
        with pytest.raises(clients.ck.KafkaException):
            consumer.committed([place], 0.5)
    producer.commit_transaction(20)
    # Kafka has ended a transaction before its offsets can be seen.
    eventually(lambda: places(consumer.committed([place], 20)) == [(place.topic, 0, 2)], "the offset is there")


def test_calls_out_of_order_are_refused(clients: Clients) -> None:
    state = clients.ck.KafkaError._STATE
    topic, producer = clients.topic(), clients.producer({"transactional.id": clients.group()})

    def refused(name: str, *arguments: Any) -> int:
        with pytest.raises(clients.ck.KafkaException) as caught:
            getattr(producer, name)(*arguments)
        error = caught.value.args[0]
        assert (error.fatal(), error.retriable(), error.txn_requires_abort()) == (False, False, False)
        return int(error.code())

    assert refused("produce", topic, "value") == state
    assert refused("begin_transaction") == state
    producer.init_transactions(20)
    assert refused("produce", topic, "value") == state
    assert refused("commit_transaction", 20) == state
    assert refused("abort_transaction", 20) == state
    producer.begin_transaction()
    assert refused("begin_transaction") == state
    assert refused("init_transactions", 20) == state
    producer.abort_transaction(20)


def test_a_call_that_was_cut_short_is_made_again_before_others(clients: Clients) -> None:
    """Whether it has ended by then is not known: it may be made again, and nothing else."""
    topic = clients.topic()
    # Brokers may answer at once: what is first asked of them is late.
    with Proxy(1) as proxy:
        proxy.weather = Weather(delay=0.5)
        proxy.forward([int(clients.broker.bootstrap_servers.split(",")[0].rpartition(":")[2])])
        settings = {"transactional.id": clients.group(), "bootstrap.servers": proxy.bootstrap_servers}
        producer = clients.producer(settings)
        assert ends(clients, {"init": lambda: producer.init_transactions(0)}) == {
            "init": ("_TIMED_OUT", False, True, False)
        }
        calls = {
            "begin": producer.begin_transaction,
            "commit": lambda: producer.commit_transaction(20),
            "abort": lambda: producer.abort_transaction(20),
        }
        conflict = ("_CONFLICT", False, True, False)
        for _ in range(2):
            assert ends(clients, calls) == dict.fromkeys(calls, conflict)
        producer.init_transactions(20)
    with pytest.raises(clients.ck.KafkaException) as caught:
        producer.init_transactions(20)
    assert caught.value.args[0].code() == clients.ck.KafkaError._STATE
    producer.begin_transaction()
    producer.produce(topic, b"value")
    producer.commit_transaction(20)
    assert read_to_end(clients, topic) == [b"value"]


def test_transactions_need_an_id(clients: Clients) -> None:
    producer = clients.producer()
    for name in ("init_transactions", "begin_transaction", "commit_transaction", "abort_transaction"):
        with pytest.raises(clients.ck.KafkaException) as caught:
            getattr(producer, name)()
        assert caught.value.args[0] == clients.ck.KafkaError._NOT_CONFIGURED


def test_a_producer_that_was_replaced_cannot_go_on() -> None:
    """On the face alone: the library raises an error that nothing can catch."""
    from kafkars.compat import confluent_kafka as face
    from kafkars.testing import EmbeddedBroker

    with EmbeddedBroker() as broker:
        broker.create_topic("topic", 1)
        settings = {"bootstrap.servers": broker.bootstrap_servers, "transactional.id": "same"}
        reports = Reports()
        warned = pytest.warns(RuntimeWarning, match="abort_transaction failed during close")
        with warned, face.Producer(settings) as first, face.Producer(settings) as second:
            first.init_transactions(20)
            second.init_transactions(20)
            first.begin_transaction()
            first.produce("topic", "value", callback=reports)
            with pytest.raises(face.KafkaException) as caught:
                first.commit_transaction(20)
            error = caught.value.args[0]
            assert (error.code(), error.fatal()) == (face.KafkaError._FENCED, True)
            assert reports.codes() == [face.KafkaError.INVALID_PRODUCER_EPOCH]
            with pytest.raises(face.KafkaException) as caught:
                first.produce("topic", "value")
            assert caught.value.args[0].code() == face.KafkaError._FATAL


def lose(clients: Clients, producer: Any, lost: str, reports: Reports) -> None:
    """Produces a message that fails later. The library may know so much by then that it refuses it in the call: then
    another one."""
    for number in range(20):
        arguments = {"partition": (clients.topic(), "lost", None, 99), "topic": (f"not/valid-{number}", "lost")}
        with suppress(clients.ck.KafkaException):
            producer.produce(*arguments[lost], callback=reports)
            return
    raise AssertionError("every message was refused in the call")


@pytest.mark.parametrize("lost", ["partition", "topic", "purge"])
def test_a_transaction_is_not_committed_without_one_of_its_messages(clients: Clients, lost: str) -> None:
    """A message that failed before it could be part of the transaction counts as well."""
    topic, reports = clients.topic(), Reports()
    producer = clients.producer({"transactional.id": clients.group(), "linger.ms": 5_000})
    producer.init_transactions(20)
    producer.begin_transaction()
    if lost == "purge":
        producer.list_topics(topic, 20)
        producer.produce(topic, "lost", callback=reports)
        producer.purge(in_flight=False)
    else:
        lose(clients, producer, lost, reports)
        producer.produce(topic, "kept")
    with pytest.raises(clients.ck.KafkaException) as caught:
        producer.commit_transaction(20)
    error = caught.value.args[0]
    assert (error.name(), error.txn_requires_abort(), error.fatal(), error.retriable()) == (
        "_INCONSISTENT",
        True,
        False,
        False,
    )
    [code] = reports.codes()
    assert code is not None
    producer.abort_transaction(20)
    producer.begin_transaction()
    producer.produce(topic, "next")
    producer.commit_transaction(20)
    assert read_to_end(clients, topic) == [b"next"]


def calls_of_transactions(clients: Clients, producer: Any, topic: str) -> dict[str, Any]:
    """Every call but that of an abort."""
    group = clients.consumer().consumer_group_metadata()
    place = clients.ck.TopicPartition(topic, 0, 1)
    return {
        "produce": lambda: producer.produce(topic, b"value"),
        "produce, and too large": lambda: producer.produce(topic, bytes(2_000_000)),
        "begin": producer.begin_transaction,
        "init": lambda: producer.init_transactions(20),
        "offsets": lambda: producer.send_offsets_to_transaction([place], group, 20),
        "commit": lambda: producer.commit_transaction(20),
    }


def ends(clients: Clients, calls: dict[str, Any]) -> dict[str, tuple[str, bool, bool, bool]]:
    """How each of these calls is refused."""
    found = {}
    for name, call in calls.items():
        with pytest.raises(clients.ck.KafkaException) as caught:
            call()
        error = caught.value.args[0]
        found[name] = (error.name(), error.fatal(), error.retriable(), error.txn_requires_abort())
    return found


STATE = ("_STATE", False, False, False)


def test_nothing_but_an_abort_follows_a_commit_that_was_refused(clients: Clients) -> None:
    topic, reports = clients.topic(), Reports()
    producer = clients.producer({"transactional.id": clients.group()})
    producer.init_transactions(20)
    producer.begin_transaction()
    lose(clients, producer, "topic", reports)
    inconsistent = ("_INCONSISTENT", False, False, True)
    calls = calls_of_transactions(clients, producer, topic)
    assert ends(clients, {"commit": calls["commit"]}) == {"commit": inconsistent}
    assert ends(clients, calls) == {name: STATE if "produce" in name else inconsistent for name in calls}
    assert producer.produce_batch(topic, [{"value": b"value"}]) == 0
    producer.abort_transaction(20)
    producer.begin_transaction()
    producer.produce(topic, b"next")
    producer.commit_transaction(20)
    assert read_to_end(clients, topic) == [b"next"]


def test_nothing_but_an_abort_follows_a_message_that_the_cluster_refuses(clients: Clients) -> None:
    topic, reports = clients.topic(settings={"max.message.bytes": "1000"}), Reports()
    producer = clients.producer({"transactional.id": clients.group()})
    producer.init_transactions(20)
    producer.begin_transaction()
    producer.produce(topic, bytes(2_000), callback=reports)
    assert producer.flush(20) == 0
    calls = calls_of_transactions(clients, producer, topic)
    refused = ("MSG_SIZE_TOO_LARGE", False, False, True)
    assert ends(clients, calls) == {name: STATE if "produce" in name else refused for name in calls}
    producer.abort_transaction(20)
    assert read_to_end(clients, topic) == []


@pytest.mark.parametrize("lost", [False, True])
def test_closing_aborts_the_open_transaction(clients: Clients, lost: bool) -> None:
    source, topic = clients.topic(), clients.topic()
    consumer = clients.consumer()
    producer = clients.producer({"transactional.id": clients.group()})
    producer.init_transactions(20)
    producer.begin_transaction()
    place = clients.ck.TopicPartition(source, 0, 3)
    producer.send_offsets_to_transaction([place], consumer.consumer_group_metadata(), 20)
    producer.produce(topic, b"value")
    if lost:
        lose(clients, producer, "topic", Reports())
    producer.flush(20)
    producer.close()
    # It would wait for a transaction that is open.
    assert places(consumer.committed([place], 5)) == [(source, 0, clients.ck.OFFSET_INVALID)]
    assert read_to_end(clients, topic) == []


@pytest.mark.parametrize("call", ["poll", "flush"])
def test_who_asks_for_no_reports_hears_once_of_a_fence(clients: Clients, call: str) -> None:
    topic, name = clients.topic(), clients.group()
    # Not closed at the end: the library raises SystemError then.
    fenced = clients.ck.Producer({"bootstrap.servers": clients.broker.bootstrap_servers, "transactional.id": name})
    fenced.init_transactions(20)
    fenced.begin_transaction()
    fenced.produce(topic, b"value")
    assert fenced.flush(20) == 0
    clients.producer({"transactional.id": name}).init_transactions(20)
    fenced.produce(topic, b"fenced")
    with pytest.raises(clients.ck.KafkaException) as caught:
        while True:
            getattr(fenced, call)(20)
    error = caught.value.args[0]
    assert (error.name(), error.fatal()) == ("_FENCED", True)
    fenced.poll(0.1)
    assert fenced.flush(20) == 0


def test_the_report_of_a_message_that_was_purged_names_its_partition(clients: Clients) -> None:
    topic, told = clients.topic(), []
    producer = clients.producer({"linger.ms": 60_000})
    producer.list_topics(topic, 20)
    producer.produce(topic, b"value", key=b"key", callback=lambda _, message: told.append(message.partition()))
    producer.purge(in_flight=False)
    assert producer.flush(20) == 0
    assert told == [0]


def test_a_transaction_goes_on_after_a_message_that_was_refused_at_the_call(clients: Clients, producer: Any) -> None:
    topic = clients.topic()
    producer.list_topics(topic, 20)
    producer.begin_transaction()
    with pytest.raises(clients.ck.KafkaException):
        producer.produce(topic, bytes(2_000_000))
    producer.produce(topic, "value")
    producer.commit_transaction(20)
    assert read_to_end(clients, topic) == [b"value"]


def test_positions_without_an_offset_are_left_out(clients: Clients, producer: Any) -> None:
    source = clients.topic(messages=1)
    consumer = clients.consumer({"enable.auto.commit": False})
    consumer.subscribe([source])
    poll_until(consumer, 1)
    nowhere = [clients.ck.TopicPartition(source, 0)]
    # Outside of transactions, too, where a program has read nothing to begin one for.
    assert producer.send_offsets_to_transaction([], consumer.consumer_group_metadata(), 20) is None
    producer.begin_transaction()
    assert producer.send_offsets_to_transaction(nowhere, consumer.consumer_group_metadata(), 20) is None
    assert producer.send_offsets_to_transaction([], consumer.consumer_group_metadata(), 20) is None
    producer.commit_transaction(20)
    assert places(consumer.committed(nowhere, 20)) == [(source, 0, clients.ck.OFFSET_INVALID)]


def test_after_a_fence_every_call_says_so(clients: Clients) -> None:
    topic, name = clients.topic(), clients.group()
    # Not closed at the end: the library raises SystemError then.
    fenced = clients.ck.Producer({"bootstrap.servers": clients.broker.bootstrap_servers, "transactional.id": name})
    fenced.init_transactions(20)
    other = clients.producer({"transactional.id": name})
    other.init_transactions(20)
    fenced.begin_transaction()
    fenced.produce(topic, b"value")
    group = clients.consumer().consumer_group_metadata()
    place = clients.ck.TopicPartition(topic, 0, 1)
    calls = [
        lambda: fenced.commit_transaction(20),
        lambda: fenced.commit_transaction(20),
        fenced.begin_transaction,
        lambda: fenced.init_transactions(20),
        lambda: fenced.send_offsets_to_transaction([place], group, 20),
        lambda: fenced.abort_transaction(20),
        fenced.begin_transaction,
    ]
    for call in calls:
        with pytest.raises(clients.ck.KafkaException) as caught:
            call()
        error = caught.value.args[0]
        told = (error.name(), error.fatal(), error.retriable(), error.txn_requires_abort())
        assert told == ("_FENCED", True, False, False)
    with pytest.raises(clients.ck.KafkaException) as caught:
        fenced.produce(topic, b"value")
    assert caught.value.args[0].name() == "_FATAL"
    assert fenced.send_offsets_to_transaction([], group, 20) is None


@pytest.mark.timeout(60)
def test_a_transaction_may_take_all_of_its_time(clients: Clients) -> None:
    # A slow machine may need longer than the shorter one.
    assert any(commits_late(clients, seconds) for seconds in (3, 12))


def commits_late(clients: Clients, seconds: float) -> bool:
    """Commits when nearly all of a transaction's time is over. False if it was over before the commit."""
    topic = clients.topic()
    producer = clients.producer({"transactional.id": clients.group(), "transaction.timeout.ms": seconds * 1000})
    producer.init_transactions(20)
    producer.begin_transaction()
    begun = time.monotonic()
    try:
        while time.monotonic() - begun < 0.93 * seconds:
            producer.produce(topic, b"late", partition=0)
            assert producer.flush(20) == 0
        producer.commit_transaction(20)
    except clients.ck.KafkaException:
        if time.monotonic() - begun > seconds:
            return False
        raise
    assert set(read_to_end(clients, topic)) == {b"late"}
    return True


@pytest.mark.parametrize("clients", RUNS[1:], indirect=True)
def test_a_transaction_whose_time_is_over_is_aborted_and_the_next_one_commits(clients: Clients) -> None:
    """In the library it goes on until the coordinator has found it, which then fences the producer."""
    topic = clients.topic()
    producer = clients.producer({"transactional.id": clients.group(), "transaction.timeout.ms": 1000})
    producer.init_transactions(20)
    producer.begin_transaction()
    begun = time.monotonic()
    with pytest.raises(clients.ck.KafkaException) as caught:
        while time.monotonic() - begun < 20:
            producer.produce(topic, b"dropped", partition=0)
            producer.flush(20)
    assert caught.value.args[0].name() == "_STATE"
    told = ends(clients, {"commit": lambda: producer.commit_transaction(20)})
    assert told == {"commit": ("_TIMED_OUT", False, False, True)}
    producer.abort_transaction(20)
    producer.begin_transaction()
    producer.produce(topic, b"kept", partition=0)
    producer.commit_transaction(20)
    assert read_to_end(clients, topic) == [b"kept"]

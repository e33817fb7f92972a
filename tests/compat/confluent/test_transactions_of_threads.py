"""Calls of one transactional producer that meet: in two threads, or within a report. One of them goes on."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from kafkars.compat.confluent_kafka import KafkaException
from kafkars.compat.confluent_kafka._ending import Ending
from kafkars.compat.confluent_kafka._transaction_calls import TransactionCalls

from tests.brokers import Broker
from tests.compat.confluent.conftest import FACE, LIBRARY, SECONDS, Clients, read_all
from tests.compat.confluent.test_closing_beside_polls import beside

PAUSE = 2.0
"""Seconds by which an answer is late, in which the test makes its calls."""

CONFLICT, AGAIN, REFUSED = ("_CONFLICT", True), ("_PREV_IN_PROGRESS", True), ("_STATE", False)


@pytest.fixture(params=[LIBRARY, FACE], ids=["original", "face"])
def clients(request: pytest.FixtureRequest, embedded_broker: Broker) -> Iterator[Clients]:
    """Both on the embedded broker, whose answers can be late."""
    made = Clients(importlib.import_module(request.param), embedded_broker)
    yield made
    made.close()


@contextmanager
def late(clients: Clients, api: str, call: Callable[[], Any]) -> Iterator[list[Any]]:
    """Makes a call in another thread, and goes on when it has sent a request whose answer is late."""
    asked = threading.Event()

    def is_first(_seen: object) -> bool:
        asked.set()
        return True

    with (
        clients.broker.handle.intercept(api, "delay", seconds=PAUSE, times=1, when=is_first),
        beside(call) as outcome,
    ):
        assert asked.wait(SECONDS)
        yield outcome


def end(clients: Clients, call: Callable[[], Any]) -> Any:
    """What a call gives: the name of its error, and whether it may be tried again."""
    try:
        call()
    except clients.ck.KafkaException as raised:
        error = raised.args[0]
        assert not error.fatal()
        assert not error.txn_requires_abort()
        return error.name(), error.retriable()
    return None


def calls(clients: Clients, producer: Any, topic: str) -> dict[str, Callable[[], Any]]:
    """All calls of transactions, and one that sends."""
    group = clients.consumer().consumer_group_metadata()
    offsets = [clients.ck.TopicPartition(topic, 0, 1)]
    return {
        "init": lambda: producer.init_transactions(SECONDS),
        "begin": producer.begin_transaction,
        "offsets": lambda: producer.send_offsets_to_transaction(offsets, group, SECONDS),
        "commit": lambda: producer.commit_transaction(SECONDS),
        "abort": lambda: producer.abort_transaction(SECONDS),
        "produce": lambda: producer.produce(topic, b"late"),
    }


def begun(clients: Clients, topic: str) -> Any:
    """A producer with a message in its transaction, which is not sent yet."""
    # Nothing leaves before it is asked to.
    producer = clients.producer({"transactional.id": clients.group(), "linger.ms": 10_000})
    producer.init_transactions(SECONDS)
    producer.begin_transaction()
    producer.produce(topic, b"value")
    return producer


@pytest.mark.parametrize("api", ["Produce", "EndTxn"])
def test_nothing_overtakes_a_commit_and_nothing_comes_into_it(clients: Clients, api: str) -> None:
    """Neither while it sends what is left, nor while the transaction ends."""
    topic = clients.topic()
    producer = begun(clients, topic)
    made = calls(clients, producer, topic)
    with late(clients, api, made["commit"]) as outcome:
        assert {name: end(clients, call) for name, call in made.items()} == {
            **dict.fromkeys(made, CONFLICT),
            "commit": AGAIN,
            "produce": REFUSED,
        }
        assert not outcome
    assert outcome == [None]
    assert end(clients, made["abort"]) == REFUSED
    producer.begin_transaction()
    producer.produce(topic, b"next")
    producer.commit_transaction(SECONDS)
    assert [message.value() for message in read_all(clients, topic, 2)] == [b"value", b"next"]


def test_of_two_aborts_one_is_refused(clients: Clients) -> None:
    topic = clients.topic()
    producer = begun(clients, topic)
    assert producer.flush(SECONDS) == 0
    made = calls(clients, producer, topic)
    with late(clients, "EndTxn", made["abort"]) as outcome:
        assert end(clients, made["abort"]) == AGAIN
        assert end(clients, made["commit"]) == CONFLICT
        assert end(clients, made["produce"]) == REFUSED
    assert outcome == [None]


def test_of_two_calls_of_init_one_is_refused(clients: Clients) -> None:
    producer = clients.producer({"transactional.id": clients.group()})
    made = calls(clients, producer, clients.topic())
    with late(clients, "InitProducerId", made["init"]) as outcome:
        assert end(clients, made["init"]) == AGAIN
        assert end(clients, made["begin"]) == CONFLICT
    assert outcome == [None]
    producer.begin_transaction()


def test_a_report_that_a_commit_brings_cannot_change_the_transaction(clients: Clients) -> None:
    topic = clients.topic()
    producer = begun(clients, topic)
    made = calls(clients, producer, topic)
    ends: dict[str, Any] = {}
    producer.produce(
        topic, b"told", on_delivery=lambda *_: ends.update({name: end(clients, call) for name, call in made.items()})
    )
    producer.commit_transaction(SECONDS)
    assert ends == {**dict.fromkeys(made, CONFLICT), "commit": AGAIN, "produce": REFUSED}
    assert [message.value() for message in read_all(clients, topic, 2)] == [b"value", b"told"]


def test_a_commit_that_was_cut_short_takes_no_message(clients: Clients) -> None:
    topic = clients.topic()
    producer = begun(clients, topic)
    with clients.broker.handle.intercept("Produce", "delay", seconds=PAUSE, times=1):
        assert end(clients, lambda: producer.commit_transaction(0.1)) == ("_TIMED_OUT", True)
        assert end(clients, lambda: producer.produce(topic, b"late")) == REFUSED
        producer.commit_transaction(SECONDS)
    producer.begin_transaction()
    producer.produce(topic, b"next")
    producer.commit_transaction(SECONDS)
    assert [message.value() for message in read_all(clients, topic, 2)] == [b"value", b"next"]


def test_who_produces_while_the_producer_is_closed_is_told_that_it_is_closed(clients: Clients) -> None:
    topic = clients.topic()
    producer = begun(clients, topic)
    assert producer.flush(SECONDS) == 0
    with late(clients, "EndTxn", producer.close) as outcome:
        with pytest.raises(RuntimeError, match="Producer has been closed"):
            producer.produce(topic, b"late")
        assert not outcome
    assert outcome == [True]


@pytest.mark.parametrize("reachable", [False, True])
def test_a_producer_is_closed_though_a_thread_goes_on_trying(clients: Clients, reachable: bool) -> None:
    """It is told that the producer is closed; of what it has heard before the library may raise SystemError here."""
    more = {} if reachable else {"bootstrap.servers": "127.0.0.1:9"}
    producer = clients.producer({"transactional.id": clients.group(), **more})
    tried = threading.Event()

    def work() -> None:
        while True:
            with suppress(clients.ck.KafkaException):
                tried.set()
                producer.init_transactions(0.05)

    with beside(work) as outcome:
        assert tried.wait(SECONDS)
        began = time.monotonic()
        with suppress(*[SystemError] * (clients.ck.__name__ == LIBRARY)):
            assert producer.close() is True
        assert time.monotonic() - began < SECONDS / 4
    assert [type(each) for each in outcome] == [RuntimeError]


def test_the_end_of_a_producer_waits_for_a_commit(clients: Clients) -> None:
    topic = clients.topic()
    producer = begun(clients, topic)
    with late(clients, "EndTxn", lambda: producer.commit_transaction(SECONDS)) as outcome:
        producer.close()
        assert outcome == [None]
    assert [message.value() for message in read_all(clients, topic, 1)] == [b"value"]


def test_offsets_whose_time_is_over_leave_the_transaction_to_be_aborted(clients: Clients) -> None:
    """They are not made again: whoever aborts then can go on."""
    topic = clients.topic()
    producer = begun(clients, topic)
    assert producer.flush(SECONDS) == 0
    made = calls(clients, producer, topic)
    group = clients.consumer().consumer_group_metadata()
    place = clients.ck.TopicPartition(topic, 0, 1)
    with clients.broker.handle.intercept("TxnOffsetCommit", "COORDINATOR_LOAD_IN_PROGRESS"):
        with pytest.raises(clients.ck.KafkaException) as caught:
            producer.send_offsets_to_transaction([place], group, 0.5)
        error = caught.value.args[0]
        assert (error.retriable(), error.fatal(), error.txn_requires_abort()) == (False, False, True)
        for name in ("commit", "begin"):
            with pytest.raises(clients.ck.KafkaException) as caught:
                made[name]()
            assert caught.value.args[0].txn_requires_abort()
        assert end(clients, made["produce"]) == REFUSED
        producer.abort_transaction(SECONDS)
    producer.begin_transaction()
    producer.produce(topic, b"next")
    producer.send_offsets_to_transaction([place], group, SECONDS)
    producer.commit_transaction(SECONDS)
    assert [message.value() for message in read_all(clients, topic, 1)] == [b"next"]


@pytest.mark.parametrize("clients", [FACE], indirect=True)
def test_a_commit_in_a_report_does_not_end_the_one_that_was_cut_short(clients: Clients) -> None:
    """In a report it is refused, which says nothing of the other."""
    topic, refused = clients.topic(), []
    producer = begun(clients, topic)
    assert producer.flush(SECONDS) == 0
    producer.produce(
        topic,
        b"late",
        on_delivery=lambda *_: refused.append(end(clients, lambda: producer.commit_transaction(SECONDS))),
    )
    with clients.broker.handle.intercept("Produce", "delay", seconds=1.0, times=1):
        with pytest.raises(clients.ck.KafkaException) as caught:
            producer.commit_transaction(0.3)
        assert caught.value.args[0].retriable()
        while not refused:
            producer.poll(0.2)
    assert refused == [REFUSED]
    assert end(clients, lambda: producer.abort_transaction(SECONDS)) == CONFLICT
    producer.commit_transaction(SECONDS)
    assert [message.value() for message in read_all(clients, topic, 2)] == [b"value", b"late"]


def test_of_two_calls_that_begin_at_once_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The face's own lock: no thread comes between the look at it and its turn."""
    calls, looks = TransactionCalls(), threading.Barrier(2)
    looked: set[int] = set()
    outcomes: list[str] = []
    is_refused = threading.Event()

    def look() -> None:
        if threading.get_ident() not in looked:
            looked.add(threading.get_ident())
            looks.wait(SECONDS)

    def make() -> None:
        try:
            calls.run("commit_transaction", lambda: outcomes.append(f"{is_refused.wait(SECONDS)}"), Ending(SECONDS, ""))
        except KafkaException as refused:
            outcomes.append(refused.args[0].name())
            is_refused.set()

    monkeypatch.setattr(calls, "_check_alive", look)
    threads = [threading.Thread(target=make) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(SECONDS)
    assert outcomes == ["_PREV_IN_PROGRESS", "True"]

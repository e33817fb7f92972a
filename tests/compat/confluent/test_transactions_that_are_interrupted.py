"""Ctrl+C in calls of transactions, which go on to their end as the library's do; and at any line of the face's."""

from __future__ import annotations

import random
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from tests.compat.confluent.conftest import FACE, SECONDS, Clients, read_to_end
from tests.compat.interrupting import LINES, MADE, Interrupt

API = {"init": "InitProducerId", "commit": "EndTxn", "abort": "EndTxn"}


@contextmanager
def pressed(clients: Clients, api: str, presses: int = 1, seconds: float = 1.0) -> Iterator[None]:
    """Ctrl+C, once or more often, while an answer is late."""
    if not hasattr(clients.broker.handle, "intercept"):
        pytest.skip("needs the embedded broker's faults")
    with clients.broker.handle.intercept(api, "delay", seconds=seconds, times=1):
        timers = [threading.Timer(0.2 * (each + 1), signal.raise_signal, [signal.SIGINT]) for each in range(presses)]
        for timer in timers:
            timer.start()
        try:
            yield
        except BaseException:
            # What comes later would end another test, or all of them.
            for timer in timers:
                timer.cancel()
            raise
        finally:
            for timer in timers:
                timer.join()


def begun(clients: Clients, topic: str, value: bytes = b"first") -> Any:
    producer = clients.producer({"transactional.id": topic})
    producer.init_transactions(SECONDS)
    producer.begin_transaction()
    producer.produce(topic, value)
    producer.flush(SECONDS)
    return producer


def next_transaction(producer: Any, topic: str) -> None:
    producer.begin_transaction()
    producer.produce(topic, b"next")
    producer.commit_transaction(SECONDS)


@pytest.mark.parametrize("call", ["commit", "abort"])
def test_the_end_of_a_transaction_that_is_interrupted_is_its_end(clients: Clients, call: str) -> None:
    topic = clients.topic()
    producer = begun(clients, topic)
    with pressed(clients, API[call]), pytest.raises(KeyboardInterrupt):
        getattr(producer, f"{call}_transaction")(SECONDS)
    next_transaction(producer, topic)
    assert read_to_end(clients, topic) == ([b"first", b"next"] if call == "commit" else [b"next"])


def test_init_transactions_that_is_interrupted_has_an_id(clients: Clients) -> None:
    topic = clients.topic()
    producer = clients.producer({"transactional.id": topic})
    with pressed(clients, API["init"]), pytest.raises(KeyboardInterrupt):
        producer.init_transactions(SECONDS)
    next_transaction(producer, topic)
    assert read_to_end(clients, topic) == [b"next"]


def test_a_block_that_is_left_by_an_interrupt_in_its_commit_has_committed(clients: Clients) -> None:
    topic = clients.topic()
    producer = begun(clients, topic)
    with pressed(clients, API["commit"]), pytest.raises(KeyboardInterrupt), producer:
        producer.commit_transaction()
    assert read_to_end(clients, topic) == [b"first"]


def test_a_handler_that_raises_an_exception_of_the_client_ends_no_call(clients: Clients) -> None:
    """As one that aborts, which is refused while the commit runs, and does not catch that."""
    topic = clients.topic()
    producer = begun(clients, topic)
    before = signal.signal(signal.SIGINT, lambda *_: producer.abort_transaction())
    try:
        with pressed(clients, API["commit"]), pytest.raises(clients.ck.KafkaException):
            producer.commit_transaction(SECONDS)
    finally:
        signal.signal(signal.SIGINT, before)
    next_transaction(producer, topic)
    assert read_to_end(clients, topic) == [b"first", b"next"]


@pytest.mark.parametrize("clients", [(FACE, "embedded_broker")], indirect=True, ids=["face"])
def test_a_second_interrupt_ends_the_wait_and_the_call_can_be_made_again(clients: Clients) -> None:
    topic = clients.topic()
    producer = begun(clients, topic)
    with pressed(clients, API["commit"], presses=2), pytest.raises(KeyboardInterrupt):
        producer.commit_transaction(SECONDS)
    with pytest.raises(clients.ck.KafkaException) as caught:
        producer.begin_transaction()
    assert caught.value.args[0].retriable()
    producer.commit_transaction(SECONDS)
    next_transaction(producer, topic)
    assert read_to_end(clients, topic) == [b"first", b"next"]


MODULES = ("_producer.py", "_transaction_calls.py", "_ending.py")


@pytest.mark.parametrize("clients", [(FACE, "embedded_broker")], indirect=True, ids=["face"])
@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
@pytest.mark.parametrize("call", ["begin", "commit", "abort"])
def test_a_producer_that_is_interrupted_at_any_line_can_be_closed_and_go_on(
    clients: Clients, call: str, made: Callable[[], BaseException]
) -> None:
    topic = clients.topic()
    for line in LINES:
        producer = clients.producer({"transactional.id": topic})
        producer.init_transactions(SECONDS)
        if call != "begin":
            producer.begin_transaction()
            producer.produce(topic, b"x")
        interrupt = Interrupt(line, made(), MODULES)
        end = getattr(producer, f"{call}_transaction")
        if not interrupt.is_raised_by(end if call == "begin" else lambda end=end: end(SECONDS)):
            producer.close()
            break
        # The traceback is alive, and what it refers to.
        assert interrupt.raised.__traceback__ is not None
        go_on(producer, topic, line)
        producer.close()
    assert line > 20, "it was interrupted"


@pytest.mark.parametrize("clients", [(FACE, "embedded_broker")], indirect=True, ids=["face"])
@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_a_commit_that_has_begun_is_made_wherever_an_interrupt_comes(
    clients: Clients, made: Callable[[], BaseException]
) -> None:
    topic = clients.topic()
    outcomes: list[bool] = []
    for line in LINES:
        producer = clients.producer({"transactional.id": topic})
        producer.init_transactions(SECONDS)
        producer.begin_transaction()
        producer.produce(topic, str(line))
        interrupt = Interrupt(line, made(), MODULES)
        is_interrupted = interrupt.is_raised_by(lambda producer=producer: producer.commit_transaction(SECONDS))
        outcomes.append(not producer._engine_.in_transaction)
        producer.close()
        if not is_interrupted:
            break
    check_all_from_the_first(outcomes)
    expected = [str(line).encode() for line, is_made in enumerate(outcomes, 1) if is_made]
    assert read_to_end(clients, topic) == expected


def check_all_from_the_first(outcomes: list[bool]) -> None:
    """Checks that a call is made wherever an interrupt comes after some line."""
    begun = outcomes.index(True)
    assert all(outcomes[begun:]), f"not made: {[line for line in range(begun, len(outcomes)) if not outcomes[line]]}"
    assert len(outcomes) - begun > 30, "it was interrupted"


def go_on(producer: Any, topic: str, line: int) -> None:
    """Ends what may be open, as a program would, and makes a transaction."""
    module = type(producer).__module__.rpartition(".")[0]
    failure = __import__(module, fromlist=["KafkaException"]).KafkaException
    for end in (producer.commit_transaction, producer.abort_transaction):
        with suppress(failure):
            end(SECONDS)
    if random.Random(line).random() < 0.5:
        next_transaction(producer, topic)


@pytest.mark.parametrize("clients", [(FACE, "embedded_broker")], indirect=True, ids=["face"])
@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
@pytest.mark.parametrize("is_transactional", [False, True], ids=["plain", "transactional"])
def test_a_close_that_has_begun_is_made_wherever_an_interrupt_comes(
    clients: Clients, is_transactional: bool, made: Callable[[], BaseException]
) -> None:
    topic = clients.topic()
    outcomes: list[bool] = []
    for line in LINES:
        producer = clients.producer({"transactional.id": topic} if is_transactional else {})
        if is_transactional:
            producer.init_transactions(SECONDS)
            producer.begin_transaction()
        reports: list[Any] = []
        producer.produce(topic, str(line), on_delivery=lambda error, _, reports=reports: reports.append(error))
        interrupt = Interrupt(line, made(), MODULES)
        is_interrupted = interrupt.is_raised_by(producer.close)
        outcomes.append(producer._engine_.closed)
        producer.close()
        [error] = reports
        assert (error is None) or is_transactional, interrupt.where
        assert producer._engine_.closed
        if not is_interrupted:
            break
    check_all_from_the_first(outcomes)


@pytest.mark.parametrize("clients", [(FACE, "embedded_broker")], indirect=True, ids=["face"])
@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_the_exception_of_a_handler_counts_more_than_that_of_a_report(
    clients: Clients, made: Callable[[], BaseException]
) -> None:
    """Both come while the commit sends what is left."""
    topic = clients.topic()
    producer = clients.producer({"transactional.id": topic})
    producer.init_transactions(SECONDS)
    producer.begin_transaction()

    def fail(*_: object) -> None:
        raise LookupError

    producer.produce(topic, b"first", on_delivery=fail)
    raised = made()
    before = signal.signal(signal.SIGINT, lambda *_: throw(raised))
    try:
        with pressed(clients, "Produce"), pytest.raises(type(raised)) as caught:
            producer.commit_transaction(SECONDS)
    finally:
        signal.signal(signal.SIGINT, before)
    assert caught.value is raised
    next_transaction(producer, topic)
    assert read_to_end(clients, topic) == [b"first", b"next"]


def throw(raised: BaseException) -> None:
    raise raised


def test_offsets_that_are_sent_go_on_where_an_interrupt_comes(clients: Clients) -> None:
    topic, group = clients.topic(), clients.group()
    producer = begun(clients, topic)
    metadata = clients.consumer({"group.id": group}).consumer_group_metadata()
    offsets = [clients.ck.TopicPartition(topic, 0, 7)]
    with pressed(clients, "TxnOffsetCommit"), pytest.raises(KeyboardInterrupt):
        producer.send_offsets_to_transaction(offsets, metadata, SECONDS)
    clients.broker.handle.forget_requests()
    producer.commit_transaction(SECONDS)
    assert clients.broker.handle.requests("TxnOffsetCommit") == []
    [found] = clients.consumer({"group.id": group}).committed([clients.ck.TopicPartition(topic, 0)], SECONDS)
    assert found.offset == 7


@pytest.mark.parametrize("clients", [(FACE, "embedded_broker")], indirect=True, ids=["face"])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_warning_that_is_raised_does_not_leave_a_producer_open(clients: Clients) -> None:
    producer = begun(clients, clients.topic())
    with clients.broker.handle.intercept("EndTxn", "INVALID_PRODUCER_EPOCH"), pytest.raises(RuntimeWarning):
        producer.close()
    assert producer._engine_.closed

"""Ctrl+C in calls of transactions, which go on to their end as the library's do; and at any line of the face's."""

from __future__ import annotations

import random
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

import pytest

from tests.compat.confluent.conftest import FACE, SECONDS, Clients, read_to_end

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
        yield
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
    with pressed(clients, API["commit"]), pytest.raises(KeyboardInterrupt), begun(clients, topic) as producer:
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


class Interrupted(BaseException):
    """What the handler of a signal raises."""


@contextmanager
def interrupted_at(line: int) -> Iterator[None]:
    """Raises at some line of the modules that make calls of transactions, wherever a signal could."""
    left = line

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.endswith(
            ("_producer.py", "_transaction_calls.py", "_ending.py", "contextlib.py")
        ):
            return None
        if event == "line":
            left -= 1
            if left == 0:
                raise Interrupted
        return trace

    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(None)


@pytest.mark.parametrize("clients", [(FACE, "embedded_broker")], indirect=True, ids=["face"])
@pytest.mark.parametrize("call", ["begin", "commit", "abort"])
def test_a_producer_that_is_interrupted_at_any_line_can_be_closed_and_go_on(clients: Clients, call: str) -> None:
    topic = clients.topic()
    for line in range(1, 1_000):
        producer = clients.producer({"transactional.id": topic})
        producer.init_transactions(SECONDS)
        if call != "begin":
            producer.begin_transaction()
            producer.produce(topic, b"x")
        is_whole = False
        try:
            with interrupted_at(line):
                getattr(producer, f"{call}_transaction")(*([] if call == "begin" else [SECONDS]))
                is_whole = True
        except Interrupted:
            # In the `except` clause, where the traceback is alive, and what it refers to.
            go_on(producer, topic, line)
            producer.close()
        else:
            producer.close()
        if is_whole:
            assert line > 20, "it was interrupted"
            break
    else:
        raise AssertionError("the call never ended")


@pytest.mark.parametrize("clients", [(FACE, "embedded_broker")], indirect=True, ids=["face"])
def test_a_commit_that_has_begun_is_made_wherever_an_interrupt_comes(clients: Clients) -> None:
    topic = clients.topic()
    made: list[bool] = []
    for line in range(1, 1_000):
        producer = clients.producer({"transactional.id": topic})
        producer.init_transactions(SECONDS)
        producer.begin_transaction()
        producer.produce(topic, str(line))
        try:
            with interrupted_at(line):
                producer.commit_transaction(SECONDS)
        except Interrupted:
            made.append(not producer._engine_.in_transaction)
            producer.close()
        else:
            producer.close()
            break
    begun = made.index(True)
    assert all(made[begun:]), f"not made: {[line for line in range(begun, len(made)) if not made[line]]}"
    assert len(made) - begun > 30, "it was interrupted"
    expected = [str(line).encode() for line, is_made in enumerate([*made, True], 1) if is_made]
    assert read_to_end(clients, topic) == expected


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
@pytest.mark.parametrize("is_transactional", [False, True], ids=["plain", "transactional"])
def test_a_close_that_has_begun_is_made_wherever_an_interrupt_comes(clients: Clients, is_transactional: bool) -> None:
    topic = clients.topic()
    made: list[bool] = []
    for line in range(1, 1_000):
        producer = clients.producer({"transactional.id": topic} if is_transactional else {})
        if is_transactional:
            producer.init_transactions(SECONDS)
            producer.begin_transaction()
        reports: list[object] = []
        producer.produce(topic, str(line), on_delivery=lambda *report, reports=reports: reports.append(report))
        try:
            with interrupted_at(line):
                producer.close()
        except Interrupted:
            made.append(producer._engine_.closed)
            producer.close()
        else:
            break
        assert len(reports) == 1, line
        assert producer._engine_.closed
    begun = made.index(True)
    assert all(made[begun:]), f"not made: {[line for line in range(begun, len(made)) if not made[line]]}"
    assert len(made) - begun > 30, "it was interrupted"

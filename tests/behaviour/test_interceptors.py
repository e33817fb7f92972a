"""Interceptors see every record before it is sent and what became of it, and do no harm."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import kafkars.aio
import pytest
from kafkars import Interceptor, ProducerRecord, RecordMetadata
from kafkars.errors import ConfigError, InvalidArgumentError, MessageTooLargeError, RecordTooLargeError

from tests.brokers import Broker
from tests.support.awaits import run
from tests.support.clients import Clients, read, values
from tests.support.waiting import SECONDS


class Notes(Interceptor):
    """Keeps all it sees."""

    def __init__(self) -> None:
        self.sent: list[ProducerRecord] = []
        self.stored: list[RecordMetadata] = []
        self.failed: list[Exception] = []

    def on_send(self, record: ProducerRecord) -> None:
        self.sent.append(record)

    def on_acknowledgement(self, metadata: RecordMetadata | None, error: Exception | None) -> None:
        if metadata is not None:
            assert error is None
            self.stored.append(metadata)
        if error is not None:
            self.failed.append(error)


class Upper(Interceptor):
    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        return record._replace(value=record.value.upper(), headers=(*record.headers, ("by", b"upper")))


class Broken(Interceptor):
    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        raise ZeroDivisionError(record.topic)

    def on_acknowledgement(self, metadata: Any, error: Any) -> None:
        raise ZeroDivisionError((metadata, error))


def test_they_see_records_and_acknowledgements(clients: Clients, topic: str) -> None:
    notes = Notes()
    producer: Any = clients.producer(interceptors=[notes])
    producer.send(topic, "text", b"key", partition=0, timestamp=5, headers={"name": b"x"})
    producer.send(topic, b"2")
    producer.flush(SECONDS)
    assert notes.sent[0] == ProducerRecord(topic, "text", b"key", 0, 5, (("name", b"x"),))
    assert notes.sent[1] == ProducerRecord(topic, b"2")
    assert [metadata.offset for metadata in notes.stored] == [0, 1]
    assert notes.failed == []


def test_they_may_change_records_before_serialization_one_after_the_other(clients: Clients, topic: str) -> None:
    notes = Notes()
    producer: Any = clients.producer(interceptors=[Upper(), notes], value_serializer=str.encode)
    producer.send(topic, "value", headers=[("first", b"1")]).result(SECONDS)
    assert [record.value for record in notes.sent] == ["VALUE"]
    (record,) = read(clients.consumer([(topic, 0)]), 1)
    assert record.value == b"VALUE"
    assert record.headers == (("first", b"1"), ("by", b"upper"))


def test_they_may_send_elsewhere(clients: Clients, topic: str) -> None:
    other = clients.broker.new_topic(partitions=2)

    class Reroute:
        def on_send(self, record: ProducerRecord) -> ProducerRecord:
            return record._replace(topic=other, partition=1)

    producer: Any = clients.producer(interceptors=[Reroute()])
    metadata = producer.send(topic, b"value").result(SECONDS)
    assert (metadata.topic, metadata.partition) == (other, 1)
    # A call for one topic is for that topic.
    with pytest.raises(InvalidArgumentError, match=other):
        producer.send_many(topic, [b"value"])


def test_what_fails_in_one_is_logged_and_goes_no_further(
    clients: Clients, topic: str, caplog: pytest.LogCaptureFixture
) -> None:
    notes = Notes()
    wrong: Any = type("Wrong", (), {"on_send": lambda _self, _record: "text"})()
    producer: Any = clients.producer(interceptors=[Broken(), wrong, Upper(), notes])
    with caplog.at_level(logging.ERROR, "kafkars.producer"):
        producer.send(topic, b"value").result(SECONDS)
        producer.flush(SECONDS)
    assert values(read(clients.consumer([(topic, 0)]), 1)) == [b"VALUE"]
    assert len(notes.stored) == 1
    told = [record for record in caplog.records if record.name == "kafkars.producer"]
    assert [record.exc_info[0] for record in told if record.exc_info] == [
        ZeroDivisionError,
        TypeError,
        ZeroDivisionError,
    ]
    assert "Broken.on_send" in told[0].getMessage()
    assert "ProducerRecord" in str(told[1].exc_info)


def test_failures_are_told_wherever_they_appear(clients: Clients, topic: str) -> None:
    small = clients.broker.new_topic(settings={"max.message.bytes": "1000"})
    notes = Notes()
    producer: Any = clients.producer(interceptors=[notes], max_request_size=10_000)
    with pytest.raises(RecordTooLargeError):
        producer.send(topic, bytes(20_000)).result(SECONDS)
    with pytest.raises(TypeError):
        producer.send(topic, 5)
    with pytest.raises(MessageTooLargeError):
        producer.send(small, bytes(5_000)).result(SECONDS)
    producer.flush(SECONDS)
    assert [type(error) for error in notes.failed] == [RecordTooLargeError, TypeError, MessageTooLargeError]
    assert notes.failed[2].topic == small  # type: ignore[attr-defined]


def test_many_records_are_shown_one_by_one(clients: Clients, topic: str) -> None:
    notes = Notes()
    producer: Any = clients.producer(interceptors=[Upper(), notes])
    producer.send_many(topic, [b"a", b"b"], keys=[b"1", None], timestamps=[1, None]).result(SECONDS)
    producer.flush(SECONDS)
    assert [(record.value, record.key, record.timestamp) for record in notes.sent] == [
        (b"A", b"1", 1),
        (b"B", None, None),
    ]
    assert values(read(clients.consumer([(topic, 0)]), 2)) == [b"A", b"B"]
    assert [metadata.offset for metadata in notes.stored] == [0, 1]


def test_they_hear_without_polling_and_memory_stays_bounded(broker: Broker, topic: str) -> None:
    notes = Notes()
    with kafkars.Producer(bootstrap_servers=broker.bootstrap_servers, interceptors=[notes], linger_ms=0) as producer:
        for _ in range(5):
            producer.send(topic, b"value").result(SECONDS)
        # Told by `result()` and by `send()`.
        assert len(notes.stored) == 5


def test_asyncio_tells_on_the_loop_without_another_call(broker: Broker, topic: str) -> None:
    async def test() -> None:
        told = asyncio.Event()

        class Tell:
            def on_acknowledgement(self, metadata: RecordMetadata | None, _error: Exception | None) -> None:
                assert metadata is not None
                assert asyncio.get_running_loop()
                told.set()

        async with kafkars.aio.Producer(bootstrap_servers=broker.bootstrap_servers, interceptors=[Tell()]) as producer:
            producer.send_nowait(topic, b"value")
            await asyncio.wait_for(told.wait(), SECONDS)

    run(test())


@pytest.mark.parametrize("given", ["text", 5, [object()], [None]])
def test_what_is_no_interceptor_is_refused(client_api: Any, given: object) -> None:
    with pytest.raises(ConfigError, match="interceptors"):
        client_api.Producer(bootstrap_servers="localhost:9092", interceptors=given)

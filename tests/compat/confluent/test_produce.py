"""Messages on their way out: what is taken, what is refused, and what reports say."""

from __future__ import annotations

import pickle
from types import ModuleType
from typing import Any

import pytest

from tests.compat.confluent.conftest import Clients, poll_until, read_all


class Reports:
    """What callbacks were called with, in order."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.errors: list[Any] = []

    def __call__(self, error: Any, message: Any) -> None:
        assert message.error() == error
        self.errors.append(error)
        self.messages.append(message)

    def values(self) -> list[Any]:
        return [message.value() for message in self.messages]

    def codes(self) -> list[int | None]:
        return [None if error is None else error.code() for error in self.errors]


def test_a_report_comes_in_poll_and_tells_where_the_message_is(clients: Clients) -> None:
    # It is not on its way before it is counted.
    topic, producer, reports = clients.topic(2), clients.producer({"linger.ms": 2_000}), Reports()
    assert producer.produce(topic, "value", "key", 1, reports, headers={"name": "header"}) is None
    assert reports.messages == []
    assert (len(producer), bool(producer)) == (1, True)
    assert producer.poll(20) == 1
    [message] = reports.messages
    assert (message.topic(), message.partition(), message.offset()) == (topic, 1, 0)
    assert (message.value(), message.key(), message.headers()) == (b"value", b"key", None)
    assert message.timestamp()[0] == clients.ck.TIMESTAMP_CREATE_TIME
    assert 0 < message.latency() < 20
    assert (len(producer), bool(producer)) == (0, True)
    assert producer.poll(0) == 0


def test_the_message_of_a_report_can_be_changed_and_copied(clients: Clients) -> None:
    topic, producer, reports = clients.topic(), clients.producer(), Reports()
    producer.produce(topic, "value", "key", on_delivery=reports)
    assert producer.flush(20) == 0
    [message] = reports.messages
    assert (len(message), message.leader_epoch() in {None, 0}, message.delivery_count()) == (5, True, None)
    copy = pickle.loads(pickle.dumps(message))
    # The library rounds it once more.
    assert (copy == message, copy.latency()) == (True, pytest.approx(message.latency(), abs=2e-6))
    place, made = (topic, 0, 0, message.timestamp()), {"any": "object"}
    message.set_key(made)
    message.set_value([1, 2, 3])
    message.set_headers([("name", b"header")])
    message.set_error(clients.ck.KafkaError(7))
    assert (message.key() is made, message.value(), message.headers()) == (True, [1, 2, 3], [("name", b"header")])
    assert (len(message), message.error() == 7) == (3, True)
    assert (message.topic(), message.partition(), message.offset(), message.timestamp()) == place
    assert (copy.key(), copy.value(), copy.headers(), copy.error()) == (b"key", b"value", None, None)
    assert copy != message


def test_what_is_sent_is_what_is_read(clients: Clients) -> None:
    topic, producer = clients.topic(), clients.producer()
    producer.produce(topic, value=b"bytes", key="text", timestamp=1_700_000_000_000)
    producer.produce(topic, headers=[("a", "text"), ("b", b"bytes"), ("c", None)])
    producer.produce(topic, "ümlaut")
    assert producer.flush(20) == 0
    first, second, third = read_all(clients, topic, 3)
    assert (first.key(), first.value(), first.timestamp()[1]) == (b"text", b"bytes", 1_700_000_000_000)
    assert (second.key(), second.value()) == (None, None)
    assert second.headers() == [("a", b"text"), ("b", b"bytes"), ("c", None)]
    assert third.value() == "ümlaut".encode()


def test_names_of_headers_that_are_no_text_are_sent_as_str_writes_them(clients: Clients) -> None:
    topic, producer = clients.topic(), clients.producer()
    producer.produce(topic, headers={1: b"a"})
    producer.produce(topic, headers=[(b"b", b"x"), (None, "y")])
    assert producer.flush(20) == 0
    first, second = read_all(clients, topic, 2)
    assert (first.headers(), second.headers()) == ([("1", b"a")], [("b'b'", b"x"), ("None", b"y")])


def test_reports_of_a_partition_come_in_order(clients: Clients) -> None:
    topic, producer, reports = clients.topic(), clients.producer({"linger.ms": 20}), Reports()
    for number in range(50):
        producer.produce(topic, str(number), on_delivery=reports)
    assert producer.flush() == 0
    assert reports.values() == [str(number).encode() for number in range(50)]
    assert [message.offset() for message in reports.messages] == list(range(50))


def test_one_callback_is_enough(clients: Clients) -> None:
    topic, first, second, default = clients.topic(), Reports(), Reports(), Reports()
    producer = clients.producer({"on_delivery": default})
    producer.produce(topic, "1", callback=first, on_delivery=second)
    producer.produce(topic, "2", on_delivery=second)
    producer.produce(topic, "3")
    producer.flush(20)
    assert (first.values(), second.values(), default.values()) == ([b"1"], [b"2"], [b"3"])


@pytest.mark.parametrize("acks", [0, 1, "all"])
def test_acknowledgements(clients: Clients, acks: object) -> None:
    topic, producer, reports = clients.topic(), clients.producer({"acks": acks}), Reports()
    producer.produce(topic, "value", callback=reports)
    assert producer.flush(20) == 0
    assert reports.codes() == [None]
    assert reports.messages[0].offset() == (None if acks == 0 else 0)


@pytest.mark.parametrize("value", [bytearray(b"a"), memoryview(b"a"), 5, 1.5, object()])
def test_keys_and_values_are_bytes_or_text(clients: Clients, value: object) -> None:
    producer = clients.producer()
    for arguments in ({"value": value}, {"key": value}):
        with pytest.raises(TypeError):
            producer.produce("topic", **arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {"partition": None},
        {"partition": "1"},
        {"timestamp": "1"},
        {"timestamp": None},
        {"headers": "text"},
        {"headers": [5]},
        {"headers": [("name",)]},
        {"headers": [("name", 5)]},
        {"headers": (("name", b"value"),)},
        {"unknown": 5},
    ],
)
def test_other_arguments_have_their_types(clients: Clients, arguments: dict[str, Any]) -> None:
    producer = clients.producer()
    with pytest.raises(TypeError):
        producer.produce("topic", "value", **arguments)
    for topic in (None, b"topic"):
        with pytest.raises(TypeError):
            producer.produce(topic, "value")
    assert len(producer) == 0


def test_a_message_that_is_too_large_is_refused_at_once(clients: Clients) -> None:
    producer = clients.producer({"message.max.bytes": 1000})
    with pytest.raises(clients.ck.KafkaException) as caught:
        producer.produce(clients.topic(), b"x" * 2000)
    assert caught.value.args[0] == clients.ck.KafkaError.MSG_SIZE_TOO_LARGE
    assert len(producer) == 0


def test_a_partition_that_does_not_exist(clients: Clients) -> None:
    topic, producer, reports = clients.topic(), clients.producer(), Reports()
    # Before anything is known of the topic the report says it, afterwards the call.
    producer.produce(topic, "value", partition=7, callback=reports)
    assert producer.flush(20) == 0
    assert reports.codes() == [clients.ck.KafkaError._UNKNOWN_PARTITION]
    assert (reports.messages[0].topic(), reports.messages[0].partition()) == (topic, 7)
    assert reports.messages[0].value() == b"value"
    with pytest.raises(clients.ck.KafkaException) as caught:
        producer.produce(topic, "value", partition=7)
    assert caught.value.args[0] == clients.ck.KafkaError._UNKNOWN_PARTITION


def test_a_topic_whose_name_is_not_valid(clients: Clients) -> None:
    producer, reports = clients.producer(), Reports()
    producer.produce("not valid", "value", callback=reports)
    assert producer.flush(20) == 0
    assert reports.codes() == [clients.ck.KafkaError.TOPIC_EXCEPTION]


def test_a_full_queue_is_a_buffer_error(clients: Clients) -> None:
    topic, reports = clients.topic(), Reports()
    producer = clients.producer({"queue.buffering.max.messages": 3, "linger.ms": 60_000})
    for number in range(3):
        producer.produce(topic, str(number), callback=reports)
    with pytest.raises(BufferError):
        producer.produce(topic, "3", callback=reports)
    assert len(producer) == 3
    assert producer.flush(20) == 0
    producer.produce(topic, "3", callback=reports)
    assert producer.flush(20) == 0
    assert reports.values() == [b"0", b"1", b"2", b"3"]


def test_the_exception_of_a_callback_reaches_the_caller(clients: Clients) -> None:
    topic, seen = clients.topic(), []
    producer = clients.producer({"linger.ms": 60_000})

    def callback(_error: Any, message: Any) -> None:
        seen.append(message.value())
        raise LookupError("not today")

    for number in range(3):
        producer.produce(topic, str(number), callback=callback)
    with pytest.raises(LookupError, match="not today"):
        producer.flush(20)
    assert producer.flush(20) == 0
    # Nobody is asked twice, and the others of the batch hear of theirs.
    assert seen == [b"0", b"1", b"2"]


def test_every_exception_of_a_callback_is_raised_by_a_poll(clients: Clients) -> None:
    # They are one batch.
    topic, producer, told = clients.topic(), clients.producer({"linger.ms": 4_000}), list[int]()

    def report(number: int) -> Any:
        def tell(_error: Any, _message: Any) -> None:
            told.append(number)
            if number % 2:
                raise LookupError(number)

        return tell

    producer.list_topics(topic, 20)
    for number in range(6):
        producer.produce(topic, "value", partition=0, on_delivery=report(number))
    for last in (1, 3, 5):
        with pytest.raises(LookupError, match=str(last)):
            producer.poll(20)
        assert told == list(range(last + 1))
    assert len(producer) == 0


def test_reports_of_failures_only(clients: Clients) -> None:
    topic, reports = clients.topic(), Reports()
    producer = clients.producer({"on_delivery": reports, "delivery.report.only.error": True})
    # First, while nothing is known of the topic: later, produce() itself may refuse it.
    producer.produce(topic, "refused", partition=7)
    producer.produce(topic, "stored")
    assert producer.flush(20) == 0
    assert reports.values() == [b"refused"]


def test_purged_messages_have_their_reports(clients: Clients) -> None:
    topic, reports = clients.topic(), Reports()
    producer = clients.producer({"linger.ms": 60_000})
    producer.list_topics(topic, 20)
    producer.produce(topic, "value", callback=reports)
    assert producer.purge(in_flight=False) is None
    assert producer.flush(20) == 0
    assert reports.codes() == [clients.ck.KafkaError._PURGE_QUEUE]
    assert reports.messages[0].value() == b"value"


def test_a_callback_may_send(clients: Clients) -> None:
    topic, producer, reports = clients.topic(), clients.producer(), Reports()

    def again(error: Any, message: Any) -> None:
        assert error is None
        producer.produce(topic, message.value() + b" again", callback=reports)

    producer.produce(topic, "value", callback=again)
    assert producer.flush(20) == 0
    assert reports.values() == [b"value again"]


def test_many_messages_in_one_call(clients: Clients) -> None:
    topic, reports, own = clients.topic(2), Reports(), Reports()
    producer = clients.producer({"message.max.bytes": 1000})
    messages: list[dict[str, Any]] = [
        {"value": b"0", "partition": 0},
        {"value": "1", "key": "key", "partition": 0, "callback": own},
        {"value": b"2" * 2000, "partition": 0},
        {"value": None, "partition": 1},
    ]
    assert producer.produce_batch(topic, messages, on_delivery=reports) == 3
    assert [("_error" in message) for message in messages] == [False, False, True, False]
    assert messages[2]["_error"] == clients.ck.KafkaError.MSG_SIZE_TOO_LARGE
    assert producer.flush(20) == 0
    assert own.values() == [b"1"]
    assert sorted(map(repr, reports.values())) == ["None", "b'0'"]
    for wrong in (5, [5], [{"value": 5}]):
        with pytest.raises(TypeError):
            producer.produce_batch(topic, wrong)


@pytest.mark.parametrize(
    ("part", "value", "error"),
    [
        ("headers", 5, ValueError),
        ("headers", "text", ValueError),
        ("headers", {"name": 1}, ValueError),
        ("headers", [("name",)], ValueError),
        ("headers", [["name", "value"]], ValueError),
        ("headers", (("name", b"value"),), ValueError),
        ("partition", "0", TypeError),
        ("partition", 0.5, TypeError),
        ("timestamp", 1000, NotImplementedError),
    ],
)
def test_of_a_batch_with_a_wrong_message_nothing_is_sent(
    clients: Clients, part: str, value: object, error: type[Exception]
) -> None:
    producer = clients.producer()
    with pytest.raises(error):
        producer.produce_batch("topic", [{"value": b"right"}, {"value": b"wrong", part: value}])
    assert len(producer) == 0


@pytest.mark.parametrize("headers", [None, {}, [], {"name": None, "other": "text"}, [("name", b"value"), ("name", "")]])
def test_messages_of_a_batch_have_headers(clients: Clients, headers: object) -> None:
    topic, reports = clients.topic(), Reports()
    producer = clients.producer()
    messages = [{"value": b"value", "headers": headers, "partition": None}]
    assert producer.produce_batch(topic, messages, on_delivery=reports) == 1
    assert producer.flush(20) == 0
    assert reports.codes() == [None]


def test_parts_of_a_message_of_a_batch_may_be_none(clients: Clients) -> None:
    topic, reports = clients.topic(), Reports()
    producer = clients.producer()
    parts = ("key", "partition", "headers", "timestamp", "callback", "on_delivery")
    assert producer.produce_batch(topic, [{"value": b"value", **dict.fromkeys(parts)}], on_delivery=reports) == 1
    assert producer.flush(20) == 0
    assert reports.codes() == [None]


def test_a_message_of_a_batch_names_its_report_callback(clients: Clients) -> None:
    """`on_delivery` is no part of a message, as little as any other name."""
    topic, own, of_all = clients.topic(), Reports(), Reports()
    producer = clients.producer()
    messages = [{"value": b"0", "on_delivery": own}, {"value": b"1", "callback": own}]
    assert producer.produce_batch(topic, messages, on_delivery=of_all) == 2
    assert producer.flush(20) == 0
    assert (own.values(), of_all.values()) == ([b"1"], [b"0"])


def test_a_closed_producer_says_so(clients: Clients) -> None:
    topic, reports = clients.topic(), Reports()
    with clients.producer() as producer:
        producer.produce(topic, "value", callback=reports)
    assert reports.codes() == [None]
    assert producer.close() is True
    calls: list[tuple[str, tuple[Any, ...]]] = [
        ("produce", (topic, "value")),
        ("poll", (0,)),
        ("flush", ()),
        ("purge", ()),
        ("init_transactions", ()),
        ("begin_transaction", ()),
    ]
    for name, arguments in calls:
        with pytest.raises(RuntimeError, match="Producer has been closed"):
            getattr(producer, name)(*arguments)
    assert len(producer) == 0


def test_constructing_needs_a_configuration(ck: ModuleType) -> None:
    with pytest.raises(TypeError):
        ck.Producer()
    assert len(ck.Producer({})) == 0


def test_programs_derive_classes_with_constructors_of_their_own(clients: Clients) -> None:
    class Writer(clients.ck.Producer):  # type: ignore[misc, name-defined]
        def __init__(self, bootstrap: str, topic: str) -> None:
            super().__init__({"bootstrap.servers": bootstrap})
            self.topic = topic

        def write(self, value: str) -> None:
            self.produce(self.topic, value)

    topic = clients.topic()
    writer = Writer(clients.broker.bootstrap_servers, topic)
    writer.write("value")
    writer.close()
    assert [message.value() for message in read_all(clients, topic, 1)] == [b"value"]


def test_an_idempotent_producer(clients: Clients) -> None:
    topic, reports = clients.topic(), Reports()
    producer = clients.producer({"enable.idempotence": True, "compression.type": "lz4"})
    for number in range(20):
        producer.produce(topic, str(number), callback=reports)
    assert producer.flush(20) == 0
    assert reports.codes() == [None] * 20
    consumer = clients.consumer()
    consumer.assign([clients.ck.TopicPartition(topic, 0)])
    assert [message.value() for message in poll_until(consumer, 20)] == reports.values()

"""Arguments of the wrong type: told at the call, and the client goes on as if nothing had happened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.brokers import Broker
from tests.support.waiting import SECONDS

pytestmark = pytest.mark.usefixtures("nothing_left")

SENDS: dict[str, tuple[Callable[[Any, str], object], str]] = {
    "topic": (lambda producer, _: producer.send(5, b"value"), "topic.*int"),
    "no topic": (lambda producer, _: producer.send(None, b"value"), "topic.*None"),
    "bytes as topic": (lambda producer, _: producer.send(b"topic", b"value"), "topic.*bytes"),
    "value": (lambda producer, topic: producer.send(topic, 5), "value.*int.*value_serializer"),
    "value in a list": (lambda producer, topic: producer.send(topic, [b"value"]), "value.*list"),
    "key": (lambda producer, topic: producer.send(topic, b"value", 5), "key.*int.*key_serializer"),
    "partition": (lambda producer, topic: producer.send(topic, b"value", partition="0"), "partition"),
    "true as a time": (lambda producer, topic: producer.send(topic, b"value", timestamp=True), "timestamp.*not bool"),
    "timestamp": (lambda producer, topic: producer.send(topic, b"value", timestamp=1.5), "timestamp"),
    "headers": (lambda producer, topic: producer.send(topic, b"value", headers=5), "int"),
    "header": (lambda producer, topic: producer.send(topic, b"value", headers=[("name", 5)]), "int"),
    "unknown argument": (lambda producer, topic: producer.send(topic, b"value", partitions=1), "partitions"),
}

READS: dict[str, tuple[Callable[[Any, str], object], type[Exception], str]] = {
    "timeout": (lambda consumer, _: consumer.poll("1"), TypeError, "timeout|str"),
    "negative timeout": (lambda consumer, _: consumer.poll(-1), ValueError, "timeout.*-1"),
    "no number": (lambda consumer, _: consumer.poll(float("nan")), ValueError, "timeout.*NaN|nan"),
    "max_records": (lambda consumer, _: consumer.poll_batch("5"), TypeError, "max_records|str"),
    "assignment": (lambda consumer, topic: consumer.assign(topic), TypeError, "TopicPartition"),
    "offsets": (lambda consumer, topic: consumer.assign({(topic, 0): "0"}), TypeError, "str|int"),
    "offset": (lambda consumer, topic: consumer.seek((topic, 0), "0"), TypeError, "offset"),
    "partition to seek": (lambda consumer, topic: consumer.seek(topic, 0), TypeError, "TopicPartition"),
    "true as a time": (lambda consumer, _: consumer.seek_to_timestamp(True), TypeError, "timestamp.*not bool"),
    "time": (lambda consumer, _: consumer.seek_to_timestamp("now"), TypeError, "timestamp"),
    "times": (lambda consumer, topic: consumer.offsets_for_times([(topic, 0)]), TypeError, "mapping"),
    "partition to ask": (lambda consumer, topic: consumer.position(topic), TypeError, "TopicPartition"),
    "partitions to ask": (lambda consumer, _: consumer.end_offsets(5), TypeError, "expected a TopicPartition"),
    "topic to ask": (lambda consumer, _: consumer.partitions_for(5), TypeError, "topic"),
}


@pytest.mark.parametrize("case", SENDS)
def test_a_record_of_wrong_parts_is_a_type_error(client_api: Any, broker: Broker, topic: str, case: str) -> None:
    call, named = SENDS[case]
    with client_api.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        with pytest.raises(TypeError, match=named):
            call(producer, topic)
        assert producer.metrics()["unacknowledged"] == 0
        assert producer.send(topic, b"value").result(SECONDS).offset == 0


@pytest.mark.parametrize("case", READS)
def test_a_call_of_wrong_arguments_is_told(client_api: Any, broker: Broker, topic: str, case: str) -> None:
    call, error, named = READS[case]
    with client_api.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        producer.send(topic, b"value").result(SECONDS)
    with client_api.Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([(topic, 0)])
        with pytest.raises(error, match=named):
            call(consumer, topic)
        assert consumer.poll(timeout=SECONDS).value == b"value"

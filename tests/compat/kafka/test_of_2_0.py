"""What kafka-python 2.0.2 has and 2.3 has no longer: programs of either run on one face."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any

import pytest
from kafkars.compat.kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, errors
from kafkars.compat.kafka.future import Future
from kafkars.compat.kafka_3 import KafkaConsumer as NewerConsumer

from tests.brokers import Broker

SETTINGS: dict[str, Any] = {"sock_chunk_bytes": 4096, "sock_chunk_buffer_count": 1000}


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (KafkaConsumer, {**SETTINGS, "legacy_iterator": True}),
        (KafkaProducer, {**SETTINGS, "buffer_memory": 33554432}),
        (KafkaAdminClient, SETTINGS),
    ],
)
def test_its_settings_are_taken_with_a_warning(kind: Any, settings: Any, broker: Broker) -> None:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        made = kind(bootstrap_servers=broker.bootstrap_servers, **settings)
    made.close()
    told = [str(each.message) for each in warned if each.category is DeprecationWarning]
    assert {name for name in settings if any(name in text for text in told)} == settings.keys()


def test_the_face_of_3_refuses_them(broker: Broker) -> None:
    with pytest.raises(errors.KafkaConfigurationError, match="sock_chunk_bytes"):
        NewerConsumer(bootstrap_servers=broker.bootstrap_servers, sock_chunk_bytes=1)


@pytest.mark.parametrize("name", ["next_v1", "next_v2"])
def test_records_come_by_its_names_for_next(name: str, broker: Broker) -> None:
    topic = broker.new_topic()
    with KafkaProducer(bootstrap_servers=broker.bootstrap_servers) as producer:
        producer.send(topic, b"value").get(10)
    settings: dict[str, Any] = {"auto_offset_reset": "earliest", "consumer_timeout_ms": 5000}
    with KafkaConsumer(topic, bootstrap_servers=broker.bootstrap_servers, **settings) as consumer:
        assert getattr(consumer, name)().value == b"value"


def test_its_lists_of_errors() -> None:
    assert errors.LeaderNotAvailableError in errors.RETRY_BACKOFF_ERROR_TYPES
    assert errors.NotLeaderForPartitionError in errors.RETRY_REFRESH_ERROR_TYPES
    assert set(errors.RETRY_ERROR_TYPES) == {*errors.RETRY_BACKOFF_ERROR_TYPES, *errors.RETRY_REFRESH_ERROR_TYPES}
    with pytest.raises(errors.NotLeaderForPartitionError):
        errors.check_error(SimpleNamespace(error=6))
    with pytest.raises(LookupError):
        errors.check_error(LookupError())
    errors.check_error(SimpleNamespace(error=0))


def test_a_future_of_3_is_awaited() -> None:
    future = Future()
    waiting = future.__await__()
    assert next(waiting) is future
    future.success(42)
    with pytest.raises(StopIteration) as ended:
        next(waiting)
    assert ended.value.value == 42
    with pytest.raises(LookupError):
        next(Future().failure(LookupError()).__await__())
    early = Future().__await__()
    next(early)
    with pytest.raises(RuntimeError):
        next(early)

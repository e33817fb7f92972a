"""`retries` of `KafkaProducer`: how often a record is sent again that a broker has refused for a while."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from kafkars.compat import kafka as version_2
from kafkars.compat import kafka_3 as version_3
from kafkars.compat.kafka import errors
from kafkars.testing import EmbeddedBroker

ONE_TRY: dict[str, Any] = {"retries": 0, "retry_backoff_ms": 1}
TWO_TRIES: dict[str, Any] = {"retries": 0.5, "retry_backoff_ms": 1, "enable_idempotence": False}


@pytest.fixture(params=[version_2, version_3], ids=["2", "3"])
def library(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_a_record_is_sent_once_without_retries(library: ModuleType) -> None:
    with (
        EmbeddedBroker(topics={"t": 1}) as broker,
        library.KafkaProducer(bootstrap_servers=broker.bootstrap_servers, **ONE_TRY) as producer,
    ):
        broker.intercept("Produce", "NOT_ENOUGH_REPLICAS", times=1)
        with pytest.raises(errors.NotEnoughReplicasError):
            producer.send("t", b"x").get(20)
        assert producer.send("t", b"x").get(20).offset == 0


def test_an_answer_that_is_lost_is_an_error_of_the_connection_and_nothing_is_stored_twice(library: ModuleType) -> None:
    with (
        EmbeddedBroker(topics={"t": 1}) as broker,
        library.KafkaProducer(bootstrap_servers=broker.bootstrap_servers, **ONE_TRY) as producer,
    ):
        broker.intercept("Produce", "disconnect_after", times=1)
        with pytest.raises(errors.KafkaConnectionError):
            producer.send("t", b"x").get(20)
        assert producer.send("t", b"x").get(20).offset == 1


def test_a_broker_that_does_not_answer_is_a_request_that_timed_out(library: ModuleType) -> None:
    with (
        EmbeddedBroker(topics={"t": 1}) as broker,
        library.KafkaProducer(
            bootstrap_servers=broker.bootstrap_servers, request_timeout_ms=3_000, **ONE_TRY
        ) as producer,
    ):
        producer.send("t", b"x").get(20)
        broker.intercept("Produce", "drop", times=1)
        with pytest.raises(errors.RequestTimedOutError):
            producer.send("t", b"x").get(20)


def test_tries_are_counted(library: ModuleType) -> None:
    with (
        EmbeddedBroker(topics={"t": 1}) as broker,
        library.KafkaProducer(bootstrap_servers=broker.bootstrap_servers, **TWO_TRIES) as producer,
    ):
        fault = broker.intercept("Produce", "NOT_ENOUGH_REPLICAS", times=2)
        with fault, pytest.raises(errors.NotEnoughReplicasError):
            producer.send("t", b"x").get(20)
        with broker.intercept("Produce", "NOT_ENOUGH_REPLICAS", times=1):
            assert producer.send("t", b"x").get(20).offset == 0

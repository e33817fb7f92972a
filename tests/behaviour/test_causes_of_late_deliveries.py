"""A record that was not acknowledged in time says what its last try has met."""

from __future__ import annotations

from typing import Any

import pytest
from kafkars.errors import BrokerConnectionError, DeliveryTimeoutError, KafkaError, NotEnoughReplicasError
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import SECONDS

LIMITS = {"delivery_timeout_ms": 700, "request_timeout_ms": 300, "linger_ms": 0}


@pytest.mark.parametrize(
    ("fault", "cause"),
    [("NOT_ENOUGH_REPLICAS", NotEnoughReplicasError), ("disconnect", BrokerConnectionError)],
    ids=["refused", "cut off"],
)
def test_the_cause_is_what_the_last_try_has_met(client_api: Any, fault: str, cause: type[KafkaError]) -> None:
    with (
        EmbeddedBroker(topics={"t": 1}) as broker,
        client_api.Producer(bootstrap_servers=broker.bootstrap_servers, **LIMITS) as producer,
    ):
        producer.send("t", b"stored").result(SECONDS)
        with broker.intercept("Produce", fault), pytest.raises(DeliveryTimeoutError) as raised:
            producer.send("t", b"late").result(SECONDS)
    found = raised.value.__cause__
    assert type(found) is cause
    assert (found.topic, found.partition) == ("t", 0)


def test_without_a_try_there_is_no_cause(client_api: Any) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        broker.intercept("InitProducerId", "COORDINATOR_LOAD_IN_PROGRESS")
        producer = client_api.Producer(bootstrap_servers=broker.bootstrap_servers, **LIMITS)
        with producer, pytest.raises(DeliveryTimeoutError) as raised:
            producer.send("t", b"waits").result(SECONDS)
    assert raised.value.__cause__ is None

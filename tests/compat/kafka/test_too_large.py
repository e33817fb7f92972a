"""Records that are larger than `max_request_size`: kafka-python 2 makes it the outcome, 3 raises it."""

from __future__ import annotations

import pytest
from kafkars.compat import kafka as version_2
from kafkars.compat import kafka_3 as version_3
from kafkars.compat.kafka import errors
from kafkars.testing import EmbeddedBroker


def test_version_3_raises_it_in_send() -> None:
    with (
        EmbeddedBroker(topics={"t": 1}) as broker,
        version_3.KafkaProducer(bootstrap_servers=broker.bootstrap_servers, max_request_size=1000) as producer,
    ):
        for headers in (None, [("h", b"v")]):
            with pytest.raises(errors.MessageSizeTooLargeError):
                producer.send("t", b"x" * 2000, headers=headers)
        assert producer.send("t", b"x").get(20).offset == 0


def test_in_version_2_it_is_the_outcome_of_the_future() -> None:
    with (
        EmbeddedBroker(topics={"t": 1}) as broker,
        version_2.KafkaProducer(bootstrap_servers=broker.bootstrap_servers, max_request_size=1000) as producer,
    ):
        future = producer.send("t", b"x" * 2000)
        with pytest.raises(errors.MessageSizeTooLargeError):
            future.get(20)

"""Text with NUL, which a text of C cannot have: said where it is given, not cut."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from tests.compat.confluent.conftest import Clients
from tests.support.peers import closed_port

NAME = "a\0b"


@pytest.fixture
def settings() -> Iterator[dict[str, Any]]:
    with closed_port() as address:
        yield {"bootstrap.servers": address, "log_level": 0, "message.timeout.ms": 100}


@pytest.mark.parametrize("given", [{"topic": NAME}, {"topic": "t", "metadata": NAME}, {"topic": "t", "metadata": "\0"}])
def test_a_partition_has_none(ck: ModuleType, given: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="embedded null character"):
        ck.TopicPartition(**given)


def test_no_message_is_sent_to_such_a_topic(ck: ModuleType, settings: dict[str, Any]) -> None:
    with ck.Producer(settings) as producer:
        for call in (
            lambda: producer.produce(NAME, b"value"),
            lambda: producer.produce_batch(NAME, [{"value": b"value"}]),
            lambda: producer.produce_batch(NAME, []),
            lambda: producer.list_topics(NAME, 1),
            lambda: producer.set_sasl_credentials(NAME, "secret"),
        ):
            with pytest.raises(ValueError, match="embedded null character"):
                call()


def test_nothing_is_asked_about_it(ck: ModuleType, settings: dict[str, Any]) -> None:
    admin = importlib.import_module(f"{ck.__name__}.admin").AdminClient(settings)
    consumer = ck.Consumer({**settings, "group.id": "group"})
    with pytest.raises(ValueError, match="embedded null character"):
        consumer.list_topics(NAME, 1)
    with pytest.raises(ValueError, match="embedded null character"):
        admin.list_topics(NAME, 1)
    with warnings.catch_warnings(), pytest.raises(ValueError, match="embedded null character"):
        warnings.simplefilter("ignore", DeprecationWarning)
        admin.list_groups(NAME, 1)
    consumer.close()


def test_metadata_comes_back_as_it_was_committed(clients: Clients) -> None:
    consumer, topic = clients.consumer(), clients.topic()
    text = "näme " * 20
    consumer.commit(offsets=[clients.ck.TopicPartition(topic, 0, 1, text)], asynchronous=False)
    assert consumer.committed([clients.ck.TopicPartition(topic, 0)])[0].metadata == text

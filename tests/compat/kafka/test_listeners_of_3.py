"""Listeners of kafka-python 3: they are told in `close()` as well, and what they raise is raised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from kafkars.compat import kafka, kafka_3
from kafkars.compat.kafka import errors
from kafkars.testing import EmbeddedBroker

PLACE = kafka_3.TopicPartition("t", 0)


class Listener(kafka_3.ConsumerRebalanceListener):
    """Does something with its consumer when partitions are taken away."""

    def __init__(self, does: Callable[[Any], object], consumer: Any) -> None:
        self.does = does
        self.consumer = consumer
        self.heard: list[Any] = []

    def on_partitions_assigned(self, assigned: Any) -> None:
        self.heard.append(("assigned", len(assigned)))

    def on_partitions_revoked(self, revoked: Any) -> None:
        self.heard.append(("revoked", len(revoked)))
        if revoked:
            self.does(self.consumer)


def consumer_of(broker: EmbeddedBroker) -> Any:
    """A member of a group that commits nothing of itself."""
    return kafka_3.KafkaConsumer(
        bootstrap_servers=broker.bootstrap_servers,
        group_id="g",
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        consumer_timeout_ms=20_000,
    )


@pytest.mark.parametrize(
    ("does", "committed"),
    [
        (lambda consumer: consumer.commit_async(), 1),
        (lambda consumer: consumer.commit_async({PLACE: kafka_3.OffsetAndMetadata(7, "mine", -1)}), 7),
        (lambda consumer: consumer.commit(), 1),
        (lambda consumer: consumer.position(PLACE), None),
        (lambda consumer: consumer.close(), None),
    ],
    ids=["commit_async", "commit_async of offsets", "commit", "position", "close"],
)
def test_one_uses_the_consumer_while_it_closes(does: Callable[[Any], object], committed: int | None) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        with kafka_3.KafkaProducer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("t", b"v")
        consumer = consumer_of(broker)
        listener = Listener(does, consumer)
        consumer.subscribe(["t"], listener=listener)
        assert next(consumer).offset == 0
        consumer.close()
        assert listener.heard[-1] == ("revoked", 1)
        with pytest.raises(errors.IllegalStateError, match="closed"):
            consumer.commit_async()
        asking = consumer_of(broker)
        assert asking.committed(PLACE) == committed
        asking.close()


@pytest.mark.parametrize("face", [kafka, kafka_3], ids=["2", "3"])
def test_what_is_assigned_is_told_though_the_call_before_raises(face: Any) -> None:
    heard: list[str] = []

    class Raising(face.ConsumerRebalanceListener):  # type: ignore[misc]
        def on_partitions_assigned(self, _assigned: Any) -> None:
            heard.append("assigned")

        def on_partitions_revoked(self, _revoked: Any) -> None:
            heard.append("revoked")
            if len(heard) == 1:
                raise RuntimeError("not now")

    with EmbeddedBroker(topics={"t": 1}) as broker:
        with face.KafkaProducer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("t", b"v")
        consumer = face.KafkaConsumer(
            bootstrap_servers=broker.bootstrap_servers,
            group_id="g",
            auto_offset_reset="earliest",
            consumer_timeout_ms=20_000,
        )
        consumer.subscribe(["t"], listener=Raising())
        if face is kafka_3:
            with pytest.raises(errors.KafkaError, match="not now"):
                next(consumer)
        assert next(consumer).offset == 0
        assert heard == ["revoked", "assigned"]
        consumer.close()

"""A commit of a consumer that subscribes and has not joined its group yet."""

from __future__ import annotations

from typing import Any

import pytest
from kafkars import Consumer
from kafkars.compat import kafka, kafka_3
from kafkars.compat.kafka.errors import CommitFailedError

from tests.brokers import Broker
from tests.support.waiting import eventually


@pytest.mark.parametrize("module", [kafka, kafka_3])
@pytest.mark.parametrize("by_pattern", [False, True])
def test_it_is_refused(broker: Broker, module: Any, by_pattern: bool) -> None:
    topic = broker.new_topic()
    settings: dict[str, Any] = {"bootstrap_servers": broker.bootstrap_servers, "group_id": f"early-{topic}"}
    with (
        Consumer(**settings, partition_assignment_strategy="range", enable_auto_commit=False) as other,
        module.KafkaConsumer(**settings) as consumer,
    ):
        # A member that does not poll does not give up its partition, and nobody joins before it has.
        other.subscribe(topic, on_partitions_revoked=lambda _: None)
        eventually(lambda: other.poll(0.1) or other.assignment(), "the other member has the partition")
        consumer.subscribe(pattern=f"{topic}$") if by_pattern else consumer.subscribe([topic])
        place = module.TopicPartition(topic, 0)
        with pytest.raises(CommitFailedError):
            consumer.commit({place: module.OffsetAndMetadata(6, "", -1)})
        assert consumer.committed(place) is None


@pytest.mark.parametrize("module", [kafka, kafka_3])
def test_a_pattern_that_matches_nothing(embedded_broker: Broker, module: Any) -> None:
    topic = embedded_broker.new_topic()
    consumer = module.KafkaConsumer(bootstrap_servers=embedded_broker.bootstrap_servers, group_id=f"none-{topic}")
    consumer.subscribe(pattern=f"nothing-{topic}$")
    place, told = module.TopicPartition(topic, 0), []
    offsets = {place: module.OffsetAndMetadata(6, "", -1)}
    for _ in range(2):
        with pytest.raises(CommitFailedError):
            consumer.commit(offsets)
        future = consumer.commit_async(offsets, lambda *answer: told.append(answer))
        assert isinstance(future.exception, CommitFailedError)
        assert told.pop() == (offsets, future.exception)
        consumer.poll(10)
    assert consumer.committed(place) is None
    consumer.close()

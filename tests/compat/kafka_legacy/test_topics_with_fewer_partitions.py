"""A topic that is deleted and made again with fewer partitions."""

from __future__ import annotations

import pytest
from kafkars import Admin
from kafkars.admin import NewTopic
from kafkars.compat.kafka_legacy import KafkaClient, SimpleConsumer, SimpleProducer
from kafkars.compat.kafka_legacy.common import UnknownTopicOrPartitionError
from kafkars.testing import EmbeddedBroker


def test_reading_a_partition_that_is_gone_says_so() -> None:
    with EmbeddedBroker(topics={"t": 2}) as broker, Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        client = KafkaClient(broker.bootstrap_servers, timeout=5)
        producer = SimpleProducer(client, random_start=False)
        for value in (b"a", b"b"):
            producer.send_messages(b"t", value)
        consumer = SimpleConsumer(client, b"g", b"t", auto_commit=False)
        assert len(consumer.get_messages(2, timeout=5)) == 2
        admin.delete_topics(["t"])
        admin.create_topics([NewTopic("t", 1)])
        with pytest.raises(UnknownTopicOrPartitionError):
            consumer.get_messages(5, timeout=2)
        client.close()

"""What a conversation with a cluster has: a client, a topic and a group of its own."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from typing import Any

from tests.compat.kafka_legacy.calls import Import, plain, told

NUMBERS = itertools.count(1)
PARTITIONS = 3
LONG = 10
"""Seconds within which what is there has come."""


class Talk:
    """A client, a topic and a group of one conversation.

    Args:
        load: Imports a module by its name, which begins with `kafka`.
        servers: Where brokers are.
        topic: A topic of three partitions that nobody else uses.
    """

    def __init__(self, load: Import, servers: str, topic: str) -> None:
        self.load = load
        self.servers = servers
        self.topic = topic.encode()
        self.group = f"{topic}-{os.getpid()}-{next(NUMBERS)}"
        self.kafka = load("kafka")
        self.common = load("kafka.common")
        self.protocol = load("kafka.protocol")
        self.client = self.kafka.KafkaClient(servers)

    def fill(self, count: int = 4) -> None:
        """Puts so many messages into each partition."""
        producer = self.load("kafka.producer.base").Producer(self.client)
        for partition in range(PARTITIONS):
            producer.send_messages(self.topic, partition, *[b"%d-%d" % (partition, each) for each in range(count)])

    def simple(self, **options: Any) -> Any:
        """A consumer that commits when it is told to."""
        options.setdefault("auto_commit", False)
        return self.kafka.SimpleConsumer(self.client, self.group, self.topic, **options)

    def consumer(self, *topics: Any, **options: Any) -> Any:
        """The old `KafkaConsumer`."""
        settings = {"auto_offset_reset": "smallest", "consumer_timeout_ms": 2000, "group_id": self.group} | options
        return self.kafka.KafkaConsumer(*(topics or (self.topic,)), bootstrap_servers=[self.servers], **settings)

    def stored(self) -> list[tuple[int, int, Any, Any]]:
        """Everything that is in the topic."""
        requests = [self.common.FetchRequest(self.topic, each, 0, 1 << 20) for each in range(PARTITIONS)]
        answers = self.client.send_fetch_request(requests, min_bytes=0)
        return sorted(
            (answer.partition, each.offset, each.message.key or b"", each.message.value or b"")
            for answer in answers
            for each in answer.messages
        )


Conversation = Callable[[Talk], Any]


def hold(conversation: Conversation, load: Import, servers: str, topic: str) -> Any:
    """What a conversation tells, without names that are others each time."""
    talk = Talk(load, servers, topic)
    try:
        return _named(told(lambda: conversation(talk)), talk)
    finally:
        talk.client.close()


def _named(value: Any, talk: Talk) -> Any:
    if isinstance(value, list):
        return [_named(each, talk) for each in value]
    if isinstance(value, str):
        names = {plain(talk.topic): "TOPIC", talk.group: "GROUP", talk.topic.decode(): "TOPIC"}
        for name, said in names.items():
            value = value.replace(name, said)
    return value


def each_of(*calls: Callable[[], Any]) -> list[Any]:
    """What each call tells, failures as well."""
    return [told(each) for each in calls]

"""Ordinary work with confluent-kafka."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    ResourceType,
)

from tests.interop.work.worker import SECONDS, Record, RefusedError, Stored, Worker, headers, text


class ConfluentWorker(Worker):
    name = "confluent-kafka"

    def __init__(self, bootstrap: str) -> None:
        super().__init__(bootstrap)
        self._admin = AdminClient({"bootstrap.servers": bootstrap})

    def create_topic(self, topic: str, partitions: int, settings: Mapping[str, str]) -> None:
        result(self._admin.create_topics([NewTopic(topic, partitions, 1, config=dict(settings))]))

    def topics(self) -> set[str]:
        return set(self._admin.list_topics(timeout=SECONDS).topics)

    def partitions(self, topic: str) -> list[int]:
        found = self._admin.list_topics(topic, timeout=SECONDS).topics[topic].partitions
        return sorted(number for number, partition in found.items() if partition.leader >= 0)

    def setting(self, topic: str, name: str) -> str:
        found: str = result(self._admin.describe_configs([ConfigResource(ResourceType.TOPIC, topic)]))[name].value
        return found

    def change_setting(self, topic: str, name: str, value: str) -> None:
        change = ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
        resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[change])
        result(self._admin.incremental_alter_configs([resource]))

    def add_partitions(self, topic: str, total: int) -> None:
        result(self._admin.create_partitions([NewPartitions(topic, total)]))

    def delete_records(self, topic: str, partition: int, before: int) -> None:
        result(self._admin.delete_records([TopicPartition(topic, partition, before)]))

    def delete_topic(self, topic: str) -> None:
        result(self._admin.delete_topics([topic]))

    def produce(self, topic: str, records: Sequence[Record]) -> None:
        producer = self._producer()
        send(producer, topic, records)
        assert producer.flush(SECONDS) == 0

    def ends(self, topic: str) -> dict[int, tuple[int, int]]:
        first, following = (self._offsets(topic, spec) for spec in (OffsetSpec.earliest(), OffsetSpec.latest()))
        return {partition: (first[partition], following[partition]) for partition in first}

    def offsets_since(self, topic: str, timestamp: int) -> dict[int, int]:
        return self._offsets(topic, OffsetSpec.for_timestamp(timestamp))

    def consume(self, topic: str, count: int, *, committed_only: bool = False) -> list[Stored]:
        isolation = "read_committed" if committed_only else "read_uncommitted"
        consumer = self._consumer("unused", {"isolation.level": isolation})
        consumer.assign([TopicPartition(topic, partition, 0) for partition in self.partitions(topic)])
        found = take(consumer, count)
        consumer.close()
        return sorted(map(stored, found))

    def consume_in_group(self, topic: str, group: str, count: int) -> list[Stored]:
        consumer = self._consumer(group, {})
        consumer.subscribe([topic])
        found = take(consumer, count)
        consumer.commit(offsets=after(found), asynchronous=False)
        consumer.close()
        return sorted(map(stored, found))

    def committed(self, topic: str, group: str) -> dict[int, int]:
        futures = self._admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])
        found = result(futures).topic_partitions
        return {each.partition: each.offset for each in found if each.topic == topic}

    def set_committed(self, topic: str, group: str, offsets: Mapping[int, int]) -> None:
        wanted = [TopicPartition(topic, *each) for each in offsets.items()]
        result(self._admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(group, wanted)]))

    def groups(self) -> dict[str, str]:
        listed = self._admin.list_consumer_groups().result(SECONDS).valid
        return {group.group_id: group.state.name.title() for group in listed}

    def delete_group(self, group: str) -> None:
        result(self._admin.delete_consumer_groups([group]))

    def transaction(self, topic: str, records: Sequence[Record], *, commit: bool) -> None:
        producer = self._producer({"transactional.id": f"{topic}-work"})
        producer.init_transactions(SECONDS)
        producer.begin_transaction()
        send(producer, topic, records)
        assert producer.flush(SECONDS) == 0
        producer.commit_transaction(SECONDS) if commit else producer.abort_transaction(SECONDS)

    def copy(self, source: str, target: str, group: str, count: int) -> None:
        consumer = self._consumer(group, {})
        consumer.subscribe([source])
        found = take(consumer, count)
        producer = self._producer({"transactional.id": f"{target}-copy"})
        producer.init_transactions(SECONDS)
        producer.begin_transaction()
        for message in found:
            producer.produce(target, message.value(), message.key())
        producer.send_offsets_to_transaction(after(found), consumer.consumer_group_metadata(), SECONDS)
        producer.commit_transaction(SECONDS)
        consumer.close()

    def _offsets(self, topic: str, spec: OffsetSpec) -> dict[int, int]:
        asked = {TopicPartition(topic, partition): spec for partition in self.partitions(topic)}
        answers = self._admin.list_offsets(asked)
        return {of.partition: future.result(SECONDS).offset for of, future in answers.items()}

    def _producer(self, settings: Mapping[str, Any] | None = None) -> Producer:
        # librdkafka's own default is another hash than Kafka's.
        return Producer({"bootstrap.servers": self.bootstrap, "partitioner": "murmur2_random", **(settings or {})})

    def _consumer(self, group: str, settings: Mapping[str, Any]) -> Consumer:
        return Consumer(
            {
                "bootstrap.servers": self.bootstrap,
                "group.id": group,
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                **settings,
            }
        )


def result(futures: Mapping[Any, Any]) -> Any:
    (future,) = futures.values()
    try:
        return future.result(SECONDS)
    except KafkaException as failed:
        raise RefusedError(failed.args[0].name()) from failed


def send(producer: Producer, topic: str, records: Sequence[Record]) -> None:
    for record in records:
        producer.produce(topic, record.value, record.key, headers=[(name, value) for name, value in record.headers])


def take(consumer: Consumer, count: int) -> list[Message]:
    found = consumer.consume(count, SECONDS)
    assert all(message.error() is None for message in found)
    assert len(found) == count
    return found


def after(found: Sequence[Message]) -> list[TopicPartition]:
    """The offsets to commit when these are done."""
    last = {(message.topic(), message.partition()): message.offset() + 1 for message in found}
    return [TopicPartition(*partition, offset) for partition, offset in last.items()]


def stored(message: Message) -> Stored:
    return Stored(
        message.partition(), message.offset(), text(message.key()), text(message.value()), headers(message.headers())
    )

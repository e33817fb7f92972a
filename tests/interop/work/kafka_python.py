"""Ordinary work with kafka-python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, OffsetAndMetadata, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType, OffsetSpec
from kafka.errors import BrokerResponseError, for_code

from tests.interop.work.worker import SECONDS, Record, RefusedError, Stored, Worker, headers, text

MS = int(SECONDS * 1000)


class KafkaPythonWorker(Worker):
    name = "kafka-python"

    def __init__(self, bootstrap: str) -> None:
        super().__init__(bootstrap)
        self._admin = KafkaAdminClient(bootstrap_servers=bootstrap)

    def close(self) -> None:
        self._admin.close()

    def create_topic(self, topic: str, partitions: int, settings: Mapping[str, str]) -> None:
        wanted = {topic: {"num_partitions": partitions, "replication_factor": 1, "configs": dict(settings)}}
        refused(lambda: self._admin.create_topics(wanted))

    def topics(self) -> set[str]:
        return set(self._admin.list_topics())

    def partitions(self, topic: str) -> list[int]:
        (found,) = self._admin.describe_topics([topic])
        return sorted(one["partition_index"] for one in found["partitions"] if one["leader_id"] >= 0)

    def setting(self, topic: str, name: str) -> str:
        resource = ConfigResource(ConfigResourceType.TOPIC, topic, {name: None})
        found: str = self._admin.describe_configs([resource], config_filter="all")["topic"][topic][name]["value"]
        return found

    def change_setting(self, topic: str, name: str, value: str) -> None:
        resource = ConfigResource(ConfigResourceType.TOPIC, topic, {name: value})
        # Texts: "OK", or "[Error 40] InvalidConfigurationError: ...".
        outcome = self._admin.alter_configs([resource])["topic"][topic]
        if outcome != "OK":
            code = int(outcome.removeprefix("[Error ").split("]")[0])
            raise RefusedError(for_code(code).message)

    def add_partitions(self, topic: str, total: int) -> None:
        self._admin.create_partitions({topic: total})

    def delete_records(self, topic: str, partition: int, before: int) -> None:
        self._admin.delete_records({TopicPartition(topic, partition): before})

    def delete_topic(self, topic: str) -> None:
        self._admin.delete_topics([topic])

    def produce(self, topic: str, records: Sequence[Record]) -> None:
        producer = KafkaProducer(bootstrap_servers=self.bootstrap)
        for future in send(producer, topic, records):
            future.get(SECONDS)
        producer.close(SECONDS)

    def ends(self, topic: str) -> dict[int, tuple[int, int]]:
        first, following = (self._offsets(topic, spec) for spec in (OffsetSpec.EARLIEST, OffsetSpec.LATEST))
        return {partition: (first[partition], following[partition]) for partition in first}

    def offsets_since(self, topic: str, timestamp: int) -> dict[int, int]:
        return self._offsets(topic, timestamp)

    def consume(self, topic: str, count: int, *, committed_only: bool = False) -> list[Stored]:
        isolation = "read_committed" if committed_only else "read_uncommitted"
        consumer = self._consumer(None, isolation_level=isolation)
        consumer.assign([TopicPartition(topic, partition) for partition in self.partitions(topic)])
        found = take(consumer, count)
        consumer.close()
        return sorted(map(stored, found))

    def consume_in_group(self, topic: str, group: str, count: int) -> list[Stored]:
        consumer = self._consumer(group)
        consumer.subscribe([topic])
        found = take(consumer, count)
        consumer.commit(after(found))
        consumer.close(autocommit=False)
        return sorted(map(stored, found))

    def committed(self, topic: str, group: str) -> dict[int, int]:
        found = self._admin.list_group_offsets(group)[group]
        return {of.partition: committed.offset for of, committed in found.items() if of.topic == topic}

    def set_committed(self, topic: str, group: str, offsets: Mapping[int, int]) -> None:
        wanted = {TopicPartition(topic, partition): metadata(offset) for partition, offset in offsets.items()}
        outcomes = self._admin.alter_group_offsets(group, wanted)
        assert {outcome.__name__ for outcome in outcomes.values()} == {"NoError"}

    def groups(self) -> dict[str, str]:
        return {group["group_id"]: group["group_state"] for group in self._admin.list_groups()}

    def delete_group(self, group: str) -> None:
        outcomes = self._admin.delete_groups([group])
        assert outcomes == {group: "OK"}

    def transaction(self, topic: str, records: Sequence[Record], *, commit: bool) -> None:
        producer = KafkaProducer(bootstrap_servers=self.bootstrap, transactional_id=f"{topic}-work")
        producer.init_transactions()
        producer.begin_transaction()
        for future in send(producer, topic, records):
            future.get(SECONDS)
        producer.commit_transaction() if commit else producer.abort_transaction()
        producer.close(SECONDS)

    def copy(self, source: str, target: str, group: str, count: int) -> None:
        consumer = self._consumer(group)
        consumer.subscribe([source])
        found = take(consumer, count)
        producer = KafkaProducer(bootstrap_servers=self.bootstrap, transactional_id=f"{target}-copy")
        producer.init_transactions()
        producer.begin_transaction()
        for record in found:
            producer.send(target, record.value, record.key)
        producer.send_offsets_to_transaction(after(found), consumer.group_metadata())
        producer.commit_transaction()
        producer.close(SECONDS)
        consumer.close(autocommit=False)

    def _offsets(self, topic: str, spec: Any) -> dict[int, int]:
        asked = {TopicPartition(topic, partition): spec for partition in self.partitions(topic)}
        return {of.partition: found.offset for of, found in self._admin.list_partition_offsets(asked).items()}

    def _consumer(self, group: str | None, **settings: Any) -> KafkaConsumer:
        return KafkaConsumer(
            bootstrap_servers=self.bootstrap,
            group_id=group,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            consumer_timeout_ms=MS,
            **settings,
        )


def refused(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except BrokerResponseError as failed:
        raise RefusedError(failed.message) from failed


def metadata(offset: int) -> OffsetAndMetadata:
    return OffsetAndMetadata(offset, "", -1)


def send(producer: KafkaProducer, topic: str, records: Sequence[Record]) -> list[Any]:
    return [
        producer.send(
            topic,
            record.value.encode(),
            record.key.encode(),
            [(name, value.encode()) for name, value in record.headers],
        )
        for record in records
    ]


def take(consumer: KafkaConsumer, count: int) -> list[Any]:
    found = []
    for record in consumer:
        found.append(record)
        if len(found) == count:
            return found
    raise AssertionError(f"{len(found)} of {count} records came within {SECONDS} s")


def after(found: Sequence[Any]) -> dict[TopicPartition, OffsetAndMetadata]:
    """The offsets to commit when these are done."""
    return {TopicPartition(record.topic, record.partition): metadata(record.offset + 1) for record in found}


def stored(record: Any) -> Stored:
    return Stored(record.partition, record.offset, text(record.key), text(record.value), headers(record.headers))

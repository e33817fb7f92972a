"""Ordinary work with kafkars, synchronously."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from kafkars import Admin, Consumer, OffsetAndMetadata, Producer, TopicPartition
from kafkars.admin import ConfigResource, NewTopic
from kafkars.errors import BrokerError

from tests.interop.work.worker import SECONDS, Record, RefusedError, Stored, Worker, headers, text

READING = {"auto_offset_reset": "earliest", "enable_auto_commit": False}


class KafkarsWorker(Worker):
    name = "kafkars"

    def __init__(self, bootstrap: str) -> None:
        super().__init__(bootstrap)
        self._admin = Admin(bootstrap_servers=bootstrap)

    def close(self) -> None:
        self._admin.close()

    def create_topic(self, topic: str, partitions: int, settings: Mapping[str, str]) -> None:
        with refusals():
            self._admin.create_topics([NewTopic(topic, partitions, 1, configs=settings)])

    def topics(self) -> set[str]:
        return set(self._admin.list_topics())

    def partitions(self, topic: str) -> list[int]:
        found = self._admin.describe_topics([topic])[topic].partitions
        return sorted(each.partition for each in found if each.leader is not None)

    def setting(self, topic: str, name: str) -> str:
        resource = ConfigResource("topic", topic)
        return str(self._admin.describe_configs([resource])[resource][name].value)

    def change_setting(self, topic: str, name: str, value: str) -> None:
        with refusals():
            self._admin.alter_configs({ConfigResource("topic", topic): {name: value}})

    def add_partitions(self, topic: str, total: int) -> None:
        self._admin.create_partitions({topic: total})

    def delete_records(self, topic: str, partition: int, before: int) -> None:
        self._admin.delete_records({(topic, partition): before})

    def delete_topic(self, topic: str) -> None:
        self._admin.delete_topics([topic])

    def produce(self, topic: str, records: Sequence[Record]) -> None:
        with Producer(bootstrap_servers=self.bootstrap) as producer:
            send(producer, topic, records)

    def ends(self, topic: str) -> dict[int, tuple[int, int]]:
        with self._consumer(None) as consumer:
            all_of = self._all_of(topic)
            first, following = consumer.beginning_offsets(all_of), consumer.end_offsets(all_of)
        return {of.partition: (first[of], following[of]) for of in all_of}

    def offsets_since(self, topic: str, timestamp: int) -> dict[int, int]:
        found = self._admin.list_offsets(dict.fromkeys(self._all_of(topic), timestamp))
        return {of.partition: -1 if each.offset is None else each.offset for of, each in found.items()}

    def consume(self, topic: str, count: int, *, committed_only: bool = False) -> list[Stored]:
        with self._consumer(None, isolation_level=isolation(committed_only)) as consumer:
            consumer.assign(self._all_of(topic))
            return sorted(map(stored, take(consumer, count)))

    def consume_in_group(self, topic: str, group: str, count: int) -> list[Stored]:
        with self._consumer(group) as consumer:
            consumer.subscribe([topic])
            found = take(consumer, count)
            consumer.commit(after(found))
        return sorted(map(stored, found))

    def committed(self, topic: str, group: str) -> dict[int, int]:
        found = self._admin.list_group_offsets([group])[group]
        return {of.partition: committed.offset for of, committed in found.items() if of.topic == topic}

    def set_committed(self, topic: str, group: str, offsets: Mapping[int, int]) -> None:
        self._admin.alter_group_offsets(group, {(topic, each): offset for each, offset in offsets.items()})

    def groups(self) -> dict[str, str]:
        return {group.group_id: str(group.state) for group in self._admin.list_groups()}

    def delete_group(self, group: str) -> None:
        self._admin.delete_groups([group])

    def transaction(self, topic: str, records: Sequence[Record], *, commit: bool) -> None:
        with self._producer(f"{topic}-work") as producer:
            producer.begin_transaction()
            send(producer, topic, records)
            producer.commit_transaction(SECONDS) if commit else producer.abort_transaction(SECONDS)

    def copy(self, source: str, target: str, group: str, count: int) -> None:
        with self._consumer(group) as consumer, self._producer(f"{target}-copy") as producer:
            consumer.subscribe([source])
            found = take(consumer, count)
            with producer.transaction():
                for record in found:
                    producer.send(target, record.value, key=record.key)
                producer.send_offsets_to_transaction(after(found), consumer.group_metadata())

    def _all_of(self, topic: str) -> list[TopicPartition]:
        return [TopicPartition(topic, partition) for partition in self.partitions(topic)]

    @contextmanager
    def _producer(self, transactional_id: str) -> Iterator[Producer[Any, Any]]:
        with Producer(bootstrap_servers=self.bootstrap, transactional_id=transactional_id) as producer:
            producer.init_transactions(SECONDS)
            yield producer

    def _consumer(self, group: str | None, **settings: Any) -> Consumer[Any, Any]:
        return Consumer(bootstrap_servers=self.bootstrap, group_id=group, **READING, **settings)


@contextmanager
def refusals() -> Iterator[None]:
    try:
        yield
    except BrokerError as failed:
        raise RefusedError(failed.name) from failed


def send(producer: Producer[Any, Any], topic: str, records: Sequence[Record]) -> None:
    sent = [
        producer.send(topic, record.value.encode(), key=record.key.encode(), headers=encoded(record))
        for record in records
    ]
    assert producer.flush(SECONDS) == 0
    for delivery in sent:
        delivery.result(0)


def take(consumer: Consumer[Any, Any], count: int) -> list[Any]:
    found = [consumer.poll(timeout=SECONDS) for _ in range(count)]
    assert None not in found, f"{count - found.count(None)} of {count} records came"
    return found


def encoded(record: Record) -> list[tuple[str, bytes]]:
    return [(name, value.encode()) for name, value in record.headers]


def isolation(committed_only: bool) -> Any:
    return "read_committed" if committed_only else "read_uncommitted"


def after(found: Sequence[Any]) -> dict[TopicPartition, OffsetAndMetadata]:
    """The offsets to commit when these are done."""
    return {TopicPartition(record.topic, record.partition): OffsetAndMetadata(record.offset + 1) for record in found}


def stored(record: Any) -> Stored:
    return Stored(record.partition, record.offset, text(record.key), text(record.value), headers(record.headers))

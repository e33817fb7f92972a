"""Ordinary work with aiokafka."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, ClassVar

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, NewTopic, RecordsToDelete
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import BrokerResponseError, for_code

from tests.interop.work.worker import SECONDS, Record, RefusedError, Stored, Worker, headers, text


class AiokafkaWorker(Worker):
    name = "aiokafka"
    lacks: ClassVar = {
        "groups": "its list of groups has no states",
        "delete_group": "not offered",
    }

    def __init__(self, bootstrap: str) -> None:
        super().__init__(bootstrap)
        self._loop = asyncio.new_event_loop()
        self._admin = self._run(self._start_admin())

    async def _start_admin(self) -> AIOKafkaAdminClient:
        admin = AIOKafkaAdminClient(bootstrap_servers=self.bootstrap)
        await admin.start()
        return admin

    def close(self) -> None:
        self._run(self._admin.close())
        self._loop.close()

    def create_topic(self, topic: str, partitions: int, settings: Mapping[str, str]) -> None:
        wanted = NewTopic(topic, partitions, 1, topic_configs=dict(settings))
        answer = self._run(self._admin.create_topics([wanted]))
        check(code for _, code, *_ in answer.topic_errors)

    def topics(self) -> set[str]:
        return set(self._run(self._admin.list_topics()))

    def partitions(self, topic: str) -> list[int]:
        (found,) = self._run(self._admin.describe_topics([topic]))
        return sorted(one["partition"] for one in found["partitions"] if one["leader"] >= 0)

    def setting(self, topic: str, name: str) -> str:
        resource = ConfigResource(ConfigResourceType.TOPIC, topic, {name: None})
        (answer,) = self._run(self._admin.describe_configs([resource]))
        found: dict[str, str] = {entry[0]: entry[1] for entry in answer.resources[0][4]}
        return found[name]

    def change_setting(self, topic: str, name: str, value: str) -> None:
        resource = ConfigResource(ConfigResourceType.TOPIC, topic, {name: value})
        (answer,) = self._run(self._admin.alter_configs([resource]))
        check(each[0] for each in answer.resources)

    def add_partitions(self, topic: str, total: int) -> None:
        self._run(self._admin.create_partitions({topic: NewPartitions(total)}))

    def delete_records(self, topic: str, partition: int, before: int) -> None:
        self._run(self._admin.delete_records({TopicPartition(topic, partition): RecordsToDelete(before)}))

    def delete_topic(self, topic: str) -> None:
        answer = self._run(self._admin.delete_topics([topic]))
        check(code for _, code, *_ in answer.topic_error_codes)

    def produce(self, topic: str, records: Sequence[Record]) -> None:
        async def work() -> None:
            async with AIOKafkaProducer(bootstrap_servers=self.bootstrap) as producer:
                await send(producer, topic, records)

        self._run(work())

    def ends(self, topic: str) -> dict[int, tuple[int, int]]:
        async def work(partitions: list[TopicPartition]) -> dict[int, tuple[int, int]]:
            async with self._consumer(None) as consumer:
                first = await consumer.beginning_offsets(partitions)
                following = await consumer.end_offsets(partitions)
                return {of.partition: (first[of], following[of]) for of in partitions}

        return self._run(work(self._all_of(topic)))

    def offsets_since(self, topic: str, timestamp: int) -> dict[int, int]:
        async def work(partitions: list[TopicPartition]) -> dict[int, int]:
            async with self._consumer(None) as consumer:
                found = await consumer.offsets_for_times(dict.fromkeys(partitions, timestamp))
                return {of.partition: -1 if each is None else each.offset for of, each in found.items()}

        return self._run(work(self._all_of(topic)))

    def consume(self, topic: str, count: int, *, committed_only: bool = False) -> list[Stored]:
        async def work(partitions: list[TopicPartition]) -> list[Any]:
            isolation = "read_committed" if committed_only else "read_uncommitted"
            async with self._consumer(None, isolation_level=isolation) as consumer:
                consumer.assign(partitions)
                return await take(consumer, count)

        return sorted(map(stored, self._run(work(self._all_of(topic)))))

    def consume_in_group(self, topic: str, group: str, count: int) -> list[Stored]:
        async def work() -> list[Any]:
            async with self._consumer(group) as consumer:
                consumer.subscribe([topic])
                found = await take(consumer, count)
                await consumer.commit(after(found))
                return found

        return sorted(map(stored, self._run(work())))

    def committed(self, topic: str, group: str) -> dict[int, int]:
        found = self._run(self._admin.list_consumer_group_offsets(group))
        return {of.partition: committed.offset for of, committed in found.items() if of.topic == topic}

    def set_committed(self, topic: str, group: str, offsets: Mapping[int, int]) -> None:
        """By a consumer that takes partitions without joining: its administration does not offer it."""

        async def work() -> None:
            async with self._consumer(group) as consumer:
                wanted = {TopicPartition(topic, partition): offset for partition, offset in offsets.items()}
                consumer.assign(list(wanted))
                await consumer.commit(wanted)

        self._run(work())

    def transaction(self, topic: str, records: Sequence[Record], *, commit: bool) -> None:
        async def work() -> None:
            async with self._producer(f"{topic}-work") as producer:
                await producer.begin_transaction()
                await send(producer, topic, records)
                await (producer.commit_transaction() if commit else producer.abort_transaction())

        self._run(work())

    def copy(self, source: str, target: str, group: str, count: int) -> None:
        async def work() -> None:
            async with self._consumer(group) as consumer, self._producer(f"{target}-copy") as producer:
                consumer.subscribe([source])
                found = await take(consumer, count)
                async with producer.transaction():
                    for record in found:
                        await producer.send(target, record.value, record.key)
                    await producer.send_offsets_to_transaction(after(found), group)

        self._run(work())

    def _all_of(self, topic: str) -> list[TopicPartition]:
        return [TopicPartition(topic, partition) for partition in self.partitions(topic)]

    def _producer(self, transactional_id: str) -> AIOKafkaProducer:
        return AIOKafkaProducer(bootstrap_servers=self.bootstrap, transactional_id=transactional_id)

    def _consumer(self, group: str | None, **settings: Any) -> AIOKafkaConsumer:
        return AIOKafkaConsumer(
            bootstrap_servers=self.bootstrap,
            group_id=group,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            **settings,
        )

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        try:
            return self._loop.run_until_complete(asyncio.wait_for(work, SECONDS))
        except BrokerResponseError as failed:
            raise RefusedError(failed.message) from failed


def check(codes: Any) -> None:
    for code in codes:
        if code:
            raise RefusedError(for_code(code).message)


async def send(producer: AIOKafkaProducer, topic: str, records: Sequence[Record]) -> None:
    for record in records:
        parts = [(name, value.encode()) for name, value in record.headers]
        await producer.send_and_wait(topic, record.value.encode(), record.key.encode(), headers=parts)


async def take(consumer: AIOKafkaConsumer, count: int) -> list[Any]:
    return [await consumer.getone() for _ in range(count)]


def after(found: Sequence[Any]) -> dict[TopicPartition, int]:
    """The offsets to commit when these are done."""
    return {TopicPartition(record.topic, record.partition): record.offset + 1 for record in found}


def stored(record: Any) -> Stored:
    return Stored(record.partition, record.offset, text(record.key), text(record.value), headers(record.headers))

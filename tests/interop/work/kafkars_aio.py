"""Ordinary work with kafkars on asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from kafkars import TopicPartition
from kafkars.admin import ConfigResource, NewTopic
from kafkars.aio import Admin, Consumer, Producer

from tests.interop.work.kafkars import READING, after, encoded, isolation, refusals, stored
from tests.interop.work.worker import SECONDS, Record, Stored, Worker

T = TypeVar("T")


class AsyncKafkarsWorker(Worker):
    name = "kafkars.aio"

    def __init__(self, bootstrap: str) -> None:
        super().__init__(bootstrap)
        self._loop = asyncio.new_event_loop()
        self._admin = Admin(bootstrap_servers=bootstrap)

    def close(self) -> None:
        self._run(self._admin.close())
        self._loop.close()

    def create_topic(self, topic: str, partitions: int, settings: Mapping[str, str]) -> None:
        self._run(self._admin.create_topics([NewTopic(topic, partitions, 1, configs=settings)]))

    def topics(self) -> set[str]:
        return set(self._run(self._admin.list_topics()))

    def partitions(self, topic: str) -> list[int]:
        found = self._run(self._admin.describe_topics([topic]))[topic].partitions
        return sorted(each.partition for each in found if each.leader is not None)

    def setting(self, topic: str, name: str) -> str:
        resource = ConfigResource("topic", topic)
        return str(self._run(self._admin.describe_configs([resource]))[resource][name].value)

    def change_setting(self, topic: str, name: str, value: str) -> None:
        self._run(self._admin.alter_configs({ConfigResource("topic", topic): {name: value}}))

    def add_partitions(self, topic: str, total: int) -> None:
        self._run(self._admin.create_partitions({topic: total}))

    def delete_records(self, topic: str, partition: int, before: int) -> None:
        self._run(self._admin.delete_records({(topic, partition): before}))

    def delete_topic(self, topic: str) -> None:
        self._run(self._admin.delete_topics([topic]))

    def produce(self, topic: str, records: Sequence[Record]) -> None:
        async def work() -> None:
            async with Producer(bootstrap_servers=self.bootstrap) as producer:
                await send(producer, topic, records)

        self._run(work())

    def ends(self, topic: str) -> dict[int, tuple[int, int]]:
        async def work(all_of: list[TopicPartition]) -> dict[int, tuple[int, int]]:
            async with self._consumer(None) as consumer:
                first, following = await asyncio.gather(
                    consumer.beginning_offsets(all_of), consumer.end_offsets(all_of)
                )
                return {of.partition: (first[of], following[of]) for of in all_of}

        return self._run(work(self._all_of(topic)))

    def offsets_since(self, topic: str, timestamp: int) -> dict[int, int]:
        found = self._run(self._admin.list_offsets(dict.fromkeys(self._all_of(topic), timestamp)))
        return {of.partition: -1 if each.offset is None else each.offset for of, each in found.items()}

    def consume(self, topic: str, count: int, *, committed_only: bool = False) -> list[Stored]:
        async def work(all_of: list[TopicPartition]) -> list[Any]:
            async with self._consumer(None, isolation_level=isolation(committed_only)) as consumer:
                consumer.assign(all_of)
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
        found = self._run(self._admin.list_group_offsets([group]))[group]
        return {of.partition: committed.offset for of, committed in found.items() if of.topic == topic}

    def set_committed(self, topic: str, group: str, offsets: Mapping[int, int]) -> None:
        wanted = {(topic, partition): offset for partition, offset in offsets.items()}
        self._run(self._admin.alter_group_offsets(group, wanted))

    def groups(self) -> dict[str, str]:
        return {group.group_id: str(group.state) for group in self._run(self._admin.list_groups())}

    def delete_group(self, group: str) -> None:
        self._run(self._admin.delete_groups([group]))

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
                        await producer.enqueue(target, record.value, key=record.key)
                    await producer.send_offsets_to_transaction(after(found), consumer.group_metadata())

        self._run(work())

    def _all_of(self, topic: str) -> list[TopicPartition]:
        return [TopicPartition(topic, partition) for partition in self.partitions(topic)]

    @asynccontextmanager
    async def _producer(self, transactional_id: str) -> AsyncIterator[Producer[Any, Any]]:
        async with Producer(bootstrap_servers=self.bootstrap, transactional_id=transactional_id) as producer:
            await producer.init_transactions()
            yield producer

    def _consumer(self, group: str | None, **settings: Any) -> Consumer[Any, Any]:
        return Consumer(bootstrap_servers=self.bootstrap, group_id=group, **READING, **settings)

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        with refusals():
            return self._loop.run_until_complete(asyncio.wait_for(work, SECONDS))


async def send(producer: Producer[Any, Any], topic: str, records: Sequence[Record]) -> None:
    await asyncio.gather(
        *(
            producer.send(topic, record.value.encode(), key=record.key.encode(), headers=encoded(record))
            for record in records
        )
    )


async def take(consumer: Consumer[Any, Any], count: int) -> list[Any]:
    found = [await consumer.poll(timeout=SECONDS) for _ in range(count)]
    assert None not in found, f"{count - found.count(None)} of {count} records came"
    return found

"""Groups: members that come and go, and listeners that hear of it."""

from __future__ import annotations

import asyncio

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRebalanceListener, TopicPartition
from aiokafka.coordinator.assignors.range import RangePartitionAssignor
from aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor

from tests.compat.programs.case import Case


class Listener(ConsumerRebalanceListener):
    def __init__(self) -> None:
        self.heard: list[tuple[str, int]] = []
        self.changed = asyncio.Event()

    async def on_partitions_revoked(self, revoked: set[TopicPartition]) -> None:
        await asyncio.sleep(0)
        self.heard.append(("revoked", len(revoked)))

    def on_partitions_assigned(self, assigned: set[TopicPartition]) -> None:
        self.heard.append(("assigned", len(assigned)))
        self.changed.set()

    async def settled(self, partitions: int) -> None:
        while not self.heard or self.heard[-1] != ("assigned", partitions):
            self.changed.clear()
            await asyncio.wait_for(self.changed.wait(), 20)


def member(case: Case, group: str, **settings: object) -> AIOKafkaConsumer:
    return AIOKafkaConsumer(
        bootstrap_servers=case.servers,
        group_id=group,
        auto_offset_reset="earliest",
        heartbeat_interval_ms=200,
        fetch_max_wait_ms=100,
        **settings,
    )


async def members_come_and_go(case: Case) -> None:
    topic, group = case.topic(partitions=4), case.name()
    first, second = member(case, group), member(case, group)
    hears, also = Listener(), Listener()
    await first.start()
    first.subscribe([topic], listener=hears)
    await hears.settled(4)
    await second.start()
    second.subscribe([topic], listener=also)
    await asyncio.gather(hears.settled(2), also.settled(2))
    case.tell(len(first.assignment() & second.assignment()), len(first.assignment() | second.assignment()))
    async with AIOKafkaProducer(bootstrap_servers=case.servers) as producer:
        for number in range(8):
            await producer.send_and_wait(topic, b"%d" % number, partition=number % 4)
    mine = [await first.getone() for _ in range(4)]
    theirs = [await second.getone() for _ in range(4)]
    case.tell(sorted(record.value for record in mine + theirs))
    await second.stop()
    await hears.settled(4)
    await first.stop()
    case.tell(hears.heard, also.heard)


async def assignors(case: Case) -> None:
    for assignor in (RangePartitionAssignor, RoundRobinPartitionAssignor):
        topics = [case.topic(name, partitions=3) for name in ("one", "two")]
        group = case.name(assignor.name)
        first, second = (member(case, group, partition_assignment_strategy=(assignor,)) for _ in range(2))
        hears, also = Listener(), Listener()
        await first.start()
        first.subscribe(topics, listener=hears)
        await hears.settled(6)
        await second.start()
        second.subscribe(topics, listener=also)
        expected = {4, 2} if assignor is RangePartitionAssignor else {3}
        for _ in range(200):
            sizes = {len(first.assignment()), len(second.assignment())}
            if sizes == expected:
                break
            await asyncio.sleep(0.05)
        case.tell(assignor.name, sizes)
        owned = [sorted((one.topic, one.partition) for one in each.assignment()) for each in (first, second)]
        case.tell(sorted(case.plain(owned)))
        await second.stop()
        await first.stop()


async def a_listener_that_fails(case: Case) -> None:
    topic = case.topic()

    class Failing(Listener):
        def on_partitions_assigned(self, assigned: set[TopicPartition]) -> None:
            super().on_partitions_assigned(assigned)
            raise ValueError("nobody hears of this")

    hears = Failing()
    consumer = member(case, case.name())
    await consumer.start()
    consumer.subscribe([topic], listener=hears)
    async with AIOKafkaProducer(bootstrap_servers=case.servers) as producer:
        await producer.send_and_wait(topic, b"still read")
    case.tell((await consumer.getone()).value, hears.heard)
    case.raised(consumer.subscribe, [topic], listener=object())
    await consumer.stop()


async def positions_restored_by_a_listener(case: Case) -> None:
    topic = case.topic(partitions=2)
    stored = {TopicPartition(topic, 0): 2, TopicPartition(topic, 1): 1}
    async with AIOKafkaProducer(bootstrap_servers=case.servers) as producer:
        for number in range(6):
            await producer.send_and_wait(topic, b"%d" % number, partition=number % 2)

    class Restoring(ConsumerRebalanceListener):
        async def on_partitions_revoked(self, revoked: set[TopicPartition]) -> None:
            pass

        async def on_partitions_assigned(self, assigned: set[TopicPartition]) -> None:
            for partition in assigned:
                consumer.seek(partition, stored[partition])

    consumer = member(case, case.name(), enable_auto_commit=False)
    await consumer.start()
    consumer.subscribe([topic], listener=Restoring())
    records = [await consumer.getone() for _ in range(3)]
    case.tell(sorted((record.partition, record.offset, record.value) for record in records))
    await consumer.stop()


PROGRAMS = [members_come_and_go, assignors, a_listener_that_fails, positions_restored_by_a_listener]

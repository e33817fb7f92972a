"""Programs of producers: plain, idempotent and transactional ones, through faults, fenced by their successors."""

from __future__ import annotations

import asyncio
import random
from typing import Any

from kafkars import Consumer

from tests.compat.differential.aiokafka_programs.playing import ASKER, NODES, Player, Program, Step, stopped

TOPICS = ("one", "other")
PARTITIONS = 2
SECONDS = 8.0
"""How long a call may take."""
FAULTS = (
    ("Produce", "NOT_LEADER_OR_FOLLOWER"),
    ("Produce", "LEADER_NOT_AVAILABLE"),
    ("Produce", "NOT_ENOUGH_REPLICAS"),
    ("Produce", "disconnect"),
    ("Produce", "delay"),
    ("Metadata", "disconnect"),
)
OF_TRANSACTIONS = (
    ("InitProducerId", "COORDINATOR_LOAD_IN_PROGRESS"),
    ("InitProducerId", "NOT_COORDINATOR"),
    ("AddPartitionsToTxn", "CONCURRENT_TRANSACTIONS"),
    ("AddPartitionsToTxn", "COORDINATOR_NOT_AVAILABLE"),
    ("AddPartitionsToTxn", "disconnect"),
    ("AddOffsetsToTxn", "NOT_COORDINATOR"),
    ("TxnOffsetCommit", "COORDINATOR_LOAD_IN_PROGRESS"),
    ("TxnOffsetCommit", "NOT_COORDINATOR"),
    ("EndTxn", "NOT_COORDINATOR"),
    ("EndTxn", "disconnect"),
    ("EndTxn", "disconnect_after"),
    ("EndTxn", "COORDINATOR_NOT_AVAILABLE"),
    ("FindCoordinator", "COORDINATOR_NOT_AVAILABLE"),
)
CALLS = {
    "send": 6,
    "send_and_wait": 3,
    "gather": 1,
    "send_batch": 2,
    "cancel_send": 1,
    "cancel_wait": 1,
    "wait": 2,
    "flush": 2,
    "odd": 2,
    "refused": 1,
    "partitions_for": 1,
    "again": 1,
    "fault": 3,
    "restart": 1,
}
WITH_TRANSACTIONS = {
    "begin": 5,
    "commit": 4,
    "abort": 2,
    "offsets": 2,
    "block": 1,
    "raise in block": 1,
    "cancel_commit": 1,
    "cancel_begin": 1,
    "commit twice": 1,
    "successor": 1,
}


def program(seed: int, length: int = 14) -> Program:
    """The program of a seed."""
    chance = random.Random(seed)
    kind = chance.choice(["plain", "idempotent", "transactional", "transactional"])
    settings: dict[str, Any] = {"linger_ms": chance.choice([0, 0, 5])}
    settings["compression_type"] = chance.choice([None, None, "gzip", "zstd"])
    calls, faults = dict(CALLS), list(FAULTS)
    if kind == "plain":
        settings["acks"] = chance.choice([0, 1, "all"])
        if settings["acks"] == 0:
            # What a fault has taken away is chance where nobody hears of it.
            for call in ("fault", "restart", "refused"):
                del calls[call]
    elif kind == "idempotent":
        settings["enable_idempotence"] = True
        # After a refused batch the numbers of the original have a gap.
        del calls["refused"]
        # Without sequence numbers it is chance which records of a batch are stored twice.
        faults.append(("Produce", "disconnect_after"))
    else:
        settings["transactional_id"] = "programs"
        # The original loses sight of a failed delivery where the transaction is committed.
        del calls["refused"]
        calls |= WITH_TRANSACTIONS
        faults += OF_TRANSACTIONS
    steps: list[Step] = []
    for _ in range(length):
        call = chance.choices(list(calls), weights=list(calls.values()))[0]
        steps.append((call, given(chance, call, faults)))
    return Program("producing", seed, settings, tuple(steps))


def given(chance: random.Random, call: str, faults: list[tuple[str, str]]) -> Any:
    """What a call is given: mostly a topic, a partition and how many records."""
    match call:
        case "fault":
            return (*chance.choice(faults), chance.randint(1, 2))
        case "restart":
            return chance.randint(1, NODES)
        case "odd":
            return chance.choice(["no partition", "too large", "nothing", "text", "no bytes"])
        case _:
            return chance.choice(TOPICS), chance.randrange(PARTITIONS), chance.randint(1, 4)


def replacing(kind: Any) -> Any:
    """A producer with methods of its own that are called for every record, and do what they replace."""

    class Own(kind):  # type: ignore[misc]
        def _serialize(self, key: Any, value: Any, headers: Any) -> Any:
            headers.append(("own", b""))
            return super()._serialize(key, value, headers)

        def _partition(self, *arguments: Any) -> Any:
            return super()._partition(*arguments)

    return Own


class Writer(Player):
    """One side of a program."""

    async def prepare(self) -> None:
        for topic in TOPICS:
            self.broker.create_topic(topic, PARTITIONS, replication_factor=NODES)
        self.futures: list[Any] = []
        self.sent = 0
        self.is_transactional = "transactional_id" in self.program.settings
        self.others: list[Any] = []
        self.producer = await self.made()

    async def made(self) -> Any:
        """A producer at work."""
        kind = self.module.AIOKafkaProducer
        if self.program.seed % 3 == 1:
            kind = replacing(kind)
        producer = kind(**self.common, max_request_size=1_000, **self.program.settings)
        await producer.start()
        return producer

    def value(self) -> bytes:
        """What no other record has."""
        self.sent += 1
        return b"%d" % self.sent

    async def limited(self, work: Any) -> Any:
        """What is waited for, and not for ever."""
        return await asyncio.wait_for(work, SECONDS * self.patience)

    async def call(self, name: str, given: Any) -> Any:  # noqa: C901, PLR0911, PLR0912, PLR0915  one for each call
        producer = self.producer
        match name:
            case "send":
                return await self.send(*given)
            case "send_and_wait":
                topic, partition, _ = given
                return self.told(await self.limited(producer.send_and_wait(topic, self.value(), partition=partition)))
            case "gather":
                topic, partition, count = given
                sends = [producer.send_and_wait(topic, self.value(), partition=partition) for _ in range(count)]
                found = await self.limited(asyncio.gather(*sends, return_exceptions=True))
                return [self.told(each) if not isinstance(each, Exception) else type(each).__name__ for each in found]
            case "send_batch":
                return await self.send_batch(*given)
            case "cancel_send":
                topic, partition, _ = given
                task = asyncio.ensure_future(producer.send(topic, b"cancelled", partition=partition))
                task.cancel()
                await asyncio.wait([task])
                return task.cancelled()
            case "cancel_wait":
                topic, partition, _ = given
                future = await self.limited(producer.send(topic, self.value(), partition=partition))
                # By then the broker may have stored the record of one that sends from the call.
                future.cancel()
                return future.done()
            case "wait":
                return await self.waited()
            case "flush":
                return await self.limited(producer.flush())
            case "odd":
                if self.is_transactional and given in {"no partition", "too large"}:
                    # In the face this record is missing in the transaction from then on.
                    return None
                ended = await self.outcome(self.odd(given))
                # Which of two mistakes is told first is a row of the page.
                return "refused" if self.is_transactional and "raised" in ended else ended
            case "refused":
                # Only one batch is on its way: it would be chance which of several it is.
                await self.limited(producer.flush())
                self.fault("Produce", "TOPIC_AUTHORIZATION_FAILED")
                return self.told(await self.limited(producer.send_and_wait(given[0], self.value(), partition=given[1])))
            case "partitions_for":
                return sorted(await self.limited(producer.partitions_for(given[0])))
            case "again":
                await self.limited(producer.stop())
                ended = await self.waited()
                self.producer = await self.made()
                return ended
            case "successor":
                self.others.append(producer)
                self.producer = await self.limited(self.made())
                return None
            case "begin" | "commit" | "abort":
                if name == "abort":
                    # What has not left by then is sent by the original, and not by the face.
                    self.forget()
                return await self.limited(getattr(producer, f"{name}_transaction")())
            case "cancel_commit":
                task = asyncio.ensure_future(producer.commit_transaction())
                await asyncio.sleep(0)
                task.cancel()
                await asyncio.wait([task])
                # It goes on by itself, and whether it was over by then is chance.
                await asyncio.sleep(0.3 * self.patience)
                return None
            case "cancel_begin" | "commit twice":
                return await (self.cancel_begin() if name == "cancel_begin" else self.commit_twice())
            case "block" | "raise in block":
                return await self.limited(self.block(given, fails=name != "block"))
            case "offsets":
                offsets = {self.partition(*given[:2]): given[2]}
                return await self.limited(producer.send_offsets_to_transaction(offsets, "group"))
            case "fault":
                return self.fault(*given)
            case "restart":
                return self.restart(given)
        raise AssertionError(name)

    async def send(self, topic: str, partition: int, count: int) -> None:
        """Records whose futures are waited for later."""
        for _ in range(count):
            self.futures.append(
                await self.limited(self.producer.send(topic, self.value(), key=b"key", partition=partition))
            )

    def forget(self) -> None:
        """Nobody asks how the sends under way end."""
        for future in self.futures:
            future.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        self.futures.clear()

    async def waited(self) -> list[Any]:
        """How all sends that nobody has waited for have ended."""
        futures, self.futures = self.futures, []
        return [await self.outcome(self.ended(each)) for each in futures]

    async def ended(self, future: Any) -> Any:
        """How one send has ended."""
        return self.told(await self.limited(future))

    async def send_batch(self, topic: str, partition: int, count: int) -> Any:
        """A batch that is filled by hand."""
        batch = self.producer.create_batch()
        for _ in range(count):
            batch.append(key=b"key", value=self.value(), timestamp=1_700_000_000_000)
        future = await self.limited(self.producer.send_batch(batch, topic, partition=partition))
        return await self.ended(future)

    async def odd(self, what: str) -> Any:
        """A mistake of the program, which must not end the producer."""
        value: Any = b"value"
        partition = 0
        match what:
            case "no partition":
                partition = 7
            case "too large":
                value = bytes(2_000)
            case "nothing":
                value = None
            case "text":
                value = "text"
            case "no bytes":
                value = 1
        return self.told(await self.limited(self.producer.send_and_wait("one", value, partition=partition)))

    async def cancel_begin(self) -> bool:
        """A transaction that is cancelled in its first step."""
        task = asyncio.ensure_future(self.producer.begin_transaction())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    async def commit_twice(self) -> list[Any]:
        """A commit while another one is under way."""
        first = asyncio.ensure_future(self.outcome(self.limited(self.producer.commit_transaction())))
        await asyncio.sleep(0)
        second = await self.outcome(self.limited(self.producer.commit_transaction()))
        return [await first, second]

    async def block(self, given: Any, *, fails: bool) -> Any:
        """All of a transaction."""
        topic, partition, count = given
        async with self.producer.transaction():
            for _ in range(count):
                await self.producer.send(topic, self.value(), partition=partition)
            if fails:
                raise KeyError(topic)
        return None

    async def end(self) -> Any:
        ended = await self.waited()
        await stopped([self.producer, *self.others])
        if self.program.settings.get("acks") == 0:
            # The cluster may still be about to store what it does not acknowledge.
            await asyncio.sleep(0.3 * self.patience)
        isolation = "read_committed" if self.is_transactional else "read_uncommitted"
        return [ended, await self.stored(isolation), await self.offsets()]

    async def stored(self, isolation: str) -> list[Any]:
        """What is in the topics, by a reader that is neither of the two."""

        def read() -> list[Any]:
            settings = {"bootstrap_servers": self.broker.bootstrap_servers, "isolation_level": isolation}
            places = [(topic, partition) for topic in TOPICS for partition in range(PARTITIONS)]
            with Consumer(auto_offset_reset="earliest", **settings) as reader:
                reader.assign(places)
                found = [
                    (record.topic, record.partition, (record.value, record.headers))
                    for batch in reader.read_until_end(timeout=20)
                    for record in batch
                ]
            return sorted([place, [value for *where, value in found if tuple(where) == place]] for place in places)

        return await asyncio.to_thread(read)

    async def offsets(self) -> list[Any]:
        """What is committed in the cluster."""
        asker = self.module.AIOKafkaConsumer(**{**self.common, **ASKER}, group_id="group")
        await asker.start()
        try:
            return [
                await asker.committed(self.partition(topic, partition))
                for topic in TOPICS
                for partition in range(PARTITIONS)
            ]
        finally:
            await stopped([asker])

    def told(self, metadata: Any) -> Any:
        """What is said of a stored record. What an aborted transaction had not sent yet takes up an offset in the
        original, and none in the face.
        """
        if metadata is None:
            return None
        return metadata.topic, metadata.partition, None if self.is_transactional else metadata.offset

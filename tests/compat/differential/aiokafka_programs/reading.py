"""Programs of one consumer that takes its partitions by itself, stops and comes again."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress
from typing import Any

from kafkars import Producer

from tests.compat.differential.aiokafka_programs.playing import ASKER, NODES, Player, Program, Step, stopped

PLACES = (("plain", 0), ("plain", 1), ("transactions", 0))
RECORDS = 12
SECONDS = 0.5
"""How long a reader waits for what should be there."""
ERRORS = 5
"""A drain ends after so many errors without a record between them."""
FAULTS = (
    ("Fetch", "disconnect"),
    ("Fetch", "delay"),
    ("Fetch", "drop"),
    ("Fetch", "NOT_LEADER_OR_FOLLOWER"),
    ("Fetch", "UNKNOWN_TOPIC_OR_PARTITION"),
    ("ListOffsets", "LEADER_NOT_AVAILABLE"),
    ("ListOffsets", "disconnect"),
    ("OffsetCommit", "COORDINATOR_LOAD_IN_PROGRESS"),
    ("OffsetCommit", "NOT_COORDINATOR"),
    ("OffsetCommit", "disconnect"),
    ("OffsetFetch", "NOT_COORDINATOR"),
    ("OffsetFetch", "COORDINATOR_LOAD_IN_PROGRESS"),
    ("FindCoordinator", "COORDINATOR_NOT_AVAILABLE"),
    ("Metadata", "disconnect"),
)
CALLS = {
    "drain": 5,
    "take": 4,
    "cancel": 2,
    "seek": 3,
    "seek_to_beginning": 1,
    "seek_to_end": 1,
    "seek_to_committed": 1,
    "pause": 2,
    "resume": 2,
    "paused": 1,
    "position": 2,
    "assign": 2,
    "unsubscribe": 1,
    "assignment": 1,
    "subscription": 1,
    "commit": 2,
    "commit_offsets": 2,
    "committed": 2,
    "ends": 1,
    "times": 1,
    "write": 2,
    "again": 1,
    "fault": 2,
    "restart": 1,
}


def program(seed: int, length: int = 14) -> Program:
    """The program of a seed."""
    chance = random.Random(seed)
    steps: list[Step] = [("assign", places(chance))]
    commits_by_itself = chance.random() < 0.3
    calls = dict(CALLS)
    if commits_by_itself:
        # The face commits what is given up, and the original in the end also what was committed otherwise.
        del calls["assign"], calls["unsubscribe"], calls["commit_offsets"]
    for _ in range(length):
        call = chance.choices(list(calls), weights=list(calls.values()))[0]
        step = (call, given(chance, call))
        if commits_by_itself and call == "fault" and step[1][0] == "OffsetCommit":
            # The original never stops where its last commit fails.
            continue
        steps.append(step)
        if call in {"again", "unsubscribe"}:
            # With nothing assigned the original waits for ever, also with a time limit.
            steps.append(("assign", places(chance)))
    settings = {
        "auto_offset_reset": chance.choice(["earliest", "earliest", "latest", "none"]),
        "enable_auto_commit": commits_by_itself,
        "isolation_level": chance.choice(["read_committed", "read_uncommitted"]),
        "max_poll_records": chance.choice([None, 1, 5]),
        "has_group": chance.random() < 0.85,
        "metadata_max_age_ms": chance.choice([60_000, 150]),
    }
    return Program("reading", seed, settings, (*steps, ("drain", "getmany"), ("position", places(chance))))


def places(chance: random.Random) -> list[int]:
    """Some partitions, by their numbers."""
    return sorted(chance.sample(range(len(PLACES)), chance.randint(1, len(PLACES))))


def given(chance: random.Random, call: str) -> Any:  # noqa: PLR0911  one for each kind of argument
    """What a call is given."""
    match call:
        case "drain":
            return chance.choice(["getmany", "getone", "iterate"])
        case "take":
            return chance.randrange(len(PLACES)), chance.randint(1, 4)
        case "seek" | "commit_offsets":
            return chance.randrange(len(PLACES)), chance.choice([0, 3, RECORDS - 1, RECORDS, RECORDS + 50])
        case "times":
            return chance.choice([0, 2**45])
        case "fault":
            return (*chance.choice(FAULTS), 1)
        case "restart":
            return chance.randint(1, NODES)
        case _:
            return places(chance)


class Abort(Exception):  # noqa: N818  no error
    """This transaction is not committed."""


class Reader(Player):
    """One side of a program."""

    consumer: Any = None
    written = RECORDS

    async def prepare(self) -> None:
        self.broker.create_topic("plain", 2, replication_factor=NODES)
        self.broker.create_topic("transactions", 1, replication_factor=NODES)
        servers = self.broker.bootstrap_servers
        self.write([("plain", partition, b"%d" % number) for partition in (0, 1) for number in range(RECORDS)])
        with Producer(bootstrap_servers=servers, transactional_id="programs") as writer:
            writer.init_transactions()
            for number in range(RECORDS // 2):
                with suppress(Abort), writer.transaction():
                    writer.send("transactions", b"%d" % number)
                    writer.flush()
                    if number % 3 == 1:
                        raise Abort
        # What is dropped is asked for again before a reader has waited in vain.
        self.common["request_timeout_ms"] = 800
        await self.again()

    async def again(self) -> None:
        """Another consumer."""
        if self.consumer is not None:
            await self.stop()
        settings = dict(self.program.settings)
        group = "readers" if settings.pop("has_group") else None
        more = {"fetch_max_wait_ms": 100, "auto_commit_interval_ms": 600_000, "group_id": group}
        self.consumer = self.module.AIOKafkaConsumer(**{**self.common, **more, **settings})
        await self.consumer.start()
        if group is not None:
            # Where it is still looking for its coordinator, the original does not survive a second `assign()`.
            await self.limited(self.consumer.committed(self.partition(*PLACES[0])))

    def named(self, numbers: list[int]) -> list[Any]:
        """Partitions by their numbers."""
        return [self.partition(*PLACES[number]) for number in numbers]

    async def call(self, name: str, given: Any) -> Any:  # noqa: C901, PLR0911, PLR0912  one for each call
        reader = self.consumer
        match name:
            case "drain":
                return await self.drained(given)
            case "take":
                taken = await self.outcome(self.taken(*given))
                # Without a reset the original raises here what is wrong with any partition.
                return [] if self.program.settings["auto_offset_reset"] == "none" and "raised" in taken else taken
            case "cancel":
                return await self.cancelled(self.named(given))
            case "assign":
                return reader.assign(self.named(given))
            case "seek":
                return reader.seek(*self.named(given[:1]), given[1])
            case "seek_to_beginning" | "seek_to_end" | "seek_to_committed":
                return self.told(await self.limited(getattr(reader, name)(*self.named(given))))
            case "pause" | "resume":
                return getattr(reader, name)(*self.named(given))
            case "unsubscribe":
                return reader.unsubscribe()
            case "paused" | "assignment":
                return sorted(map(tuple, getattr(reader, name)()))
            case "subscription":
                return sorted(reader.subscription())
            case "position":
                return [await self.position(each) for each in self.named(given)]
            case "committed":
                return [even(each, await self.limited(reader.committed(each))) for each in self.named(given)]
            case "commit":
                return await self.limited(reader.commit())
            case "commit_offsets":
                # Otherwise it would be chance whether a partition begins there.
                for each in reader.assignment():
                    await self.position(each)
                return await self.limited(reader.commit(dict.fromkeys(self.named(given[:1]), given[1])))
            case "ends":
                named = self.named(given)
                found = [await self.limited(ask(named)) for ask in (reader.beginning_offsets, reader.end_offsets)]
                return [self.told(each) for each in found]
            case "times":
                found = await self.limited(reader.offsets_for_times(dict.fromkeys(self.named([0, 1, 2]), given)))
                return self.told({place: each and each.offset for place, each in found.items()})
            case "write":
                if self.program.settings["auto_offset_reset"] == "latest":
                    # Otherwise it would be chance whether the end is asked for before or after.
                    for each in reader.assignment():
                        await self.position(each)
                self.write([(*PLACES[number], b"%d" % self.written) for number in given])
                self.written += 1
                return None
            case "again":
                return await self.again()
            case "fault":
                return self.fault(*given)
            case "restart":
                return self.restart(given)
        raise AssertionError(name)

    async def limited(self, work: Any) -> Any:
        """What is waited for, and not for ever."""
        return await asyncio.wait_for(work, 8 * SECONDS * self.patience)

    async def position(self, place: Any) -> Any:
        """Where a partition stands. Without a reset the original waits for ever for what only reads tell of."""
        try:
            return even(place, await asyncio.wait_for(self.consumer.position(place), 2 * SECONDS * self.patience))
        except TimeoutError:
            return "no position"
        except Exception as problem:  # noqa: BLE001 - told
            if type(problem).__name__ in {"NoOffsetForPartitionError", "OffsetOutOfRangeError"}:
                return "no position"
            return await self.outcome(failing(problem))

    @staticmethod
    def told(found: Any) -> Any:
        """Answers by partition in one order."""
        if not isinstance(found, dict):
            return found
        return sorted([*place, even(place, value)] for place, value in found.items())

    async def drained(self, way: str) -> Any:
        """Everything that comes, by partition: which partition comes first is nobody's promise."""
        found: dict[str, list[Any]] = {}
        errors = 0
        read = {"getmany": self.some, "getone": self.one, "iterate": self.next}[way]
        while True:
            try:
                records = await read()
            except Exception as problem:  # noqa: BLE001 - told
                # The original also tells what is wrong with partitions that are paused.
                if self.program.settings["auto_offset_reset"] != "none" or not self.consumer.paused():
                    found["errors"] = [await self.outcome(failing(problem))]
                errors += 1
                if errors == ERRORS:
                    return found
                # Other partitions have their turn.
                await asyncio.sleep(0.05 * self.patience)
                continue
            errors = 0
            if not records:
                return found
            for record in records:
                place = f"{record.topic} {record.partition}"
                found.setdefault(place, []).append((record.offset, record.value))

    async def some(self) -> list[Any]:
        """What one call gives."""
        found = await self.consumer.getmany(timeout_ms=int(1000 * SECONDS * self.patience))
        return [record for records in found.values() for record in records]

    async def one(self) -> list[Any]:
        """The next record, by a call that is given up."""
        try:
            return [await asyncio.wait_for(self.consumer.getone(), SECONDS * self.patience)]
        except TimeoutError:
            return []

    async def next(self) -> list[Any]:
        """The same by iterating."""
        try:
            return [await asyncio.wait_for(self.consumer.__anext__(), SECONDS * self.patience)]
        except (TimeoutError, StopAsyncIteration):
            return []

    async def taken(self, number: int, count: int) -> Any:
        """So many records of one partition."""
        (place,) = self.named([number])
        found: list[Any] = []
        while len(found) < count:
            wait = int(1000 * SECONDS * self.patience)
            got = await self.consumer.getmany(place, timeout_ms=wait, max_records=count - len(found))
            if not got:
                break
            found += [record.offset for record in got[place]]
        return found

    async def cancelled(self, partitions: list[Any]) -> Any:
        """Reads are given up, and nothing that they might have taken is lost."""
        tasks = [asyncio.ensure_future(self.consumer.getone(each)) for each in partitions]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        got: list[Any] = await asyncio.gather(*tasks, return_exceptions=True)
        told = await self.drained("getmany")
        for record in got:
            if hasattr(record, "offset"):
                told.setdefault(f"{record.topic} {record.partition}", []).append((record.offset, record.value))
        return {place: sorted(each) if place != "errors" else each for place, each in told.items()}

    async def stop(self) -> None:
        """The original may end here as if it were cancelled, where it has no group."""
        try:
            await self.consumer.stop()
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self.is_face or task is None or task.cancelling():
                raise

    async def end(self) -> Any:
        await self.stop()
        asker = self.module.AIOKafkaConsumer(**{**self.common, **ASKER}, group_id="readers")
        await asker.start()
        try:
            return [even(each, await asker.committed(each)) for each in self.named([0, 1, 2])]
        finally:
            await stopped([asker])


def even(place: Any, offset: int | None) -> int | None:
    """Between a transaction's record and the next is its end, and which of the two comes next is the same."""
    return offset + offset % 2 if place.topic == "transactions" and offset is not None else offset


async def failing(problem: BaseException) -> None:
    """Raises."""
    raise problem

"""Random programs of producers: plain, idempotent and transactional ones of confluent_kafka and of its face, through
faults of the broker, fenced by their successors.

What both sides must agree on is how calls end, what each message's report says, what readers find, and which offsets a
transaction has committed. Short form: `test_programs.py`. Long form:
`python -m tests.compat.differential.producer_programs FIRST_SEED COUNT`.
"""

from __future__ import annotations

import importlib
import logging
import random
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from kafkars import Consumer
from kafkars.testing import EmbeddedBroker

from tests.compat.differential.patience import twice
from tests.compat.differential.programs import SIDES

TOPICS = ("one", "other")
PARTITIONS = 2
NODES = 3
TESTED = "tested"
"""The client id of what is compared: faults meet nobody else."""
SECONDS = 10.0
"""How long a call may take."""
UNSENT = 20_000
"""Milliseconds for which nothing leaves by itself."""
LARGEST = 2_000

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
    ("EndTxn", "COORDINATOR_NOT_AVAILABLE"),
    ("FindCoordinator", "COORDINATOR_NOT_AVAILABLE"),
)
REFUSALS = ("INVALID_RECORD", "INVALID_REQUIRED_ACKS", "POLICY_VIOLATION")
"""Not TOPIC_AUTHORIZATION_FAILED, after which the original refuses what is produced to the topic in the call."""
CALLS = {
    "produce": 6,
    "keyed": 2,
    "batch": 2,
    "silent": 1,
    "odd": 2,
    "refused": 1,
    "purge": 1,
    "flush": 3,
    "poll": 2,
    "again": 1,
    "fault": 3,
    "restart": 1,
}
WITH_TRANSACTIONS = {"init": 1, "begin": 6, "commit": 5, "abort": 2, "offsets": 3, "successor": 1}

Step = tuple[str, Any]


@dataclass(frozen=True)
class Program:
    """The steps of a seed, and how its producer is set."""

    seed: int
    settings: dict[str, Any]
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return f"producer {self.seed} {self.settings}" + "".join(f"\n    {call} {given}" for call, given in self.steps)


def program(seed: int, length: int = 14) -> Program:
    """The program of a seed."""
    chance = random.Random(seed)
    kind = chance.choice(["plain", "idempotent", "transactional", "transactional", "transactional"])
    settings: dict[str, Any] = {
        "linger.ms": chance.choice([0, 5, UNSENT]),
        "compression.type": chance.choice(["none", "gzip", "zstd"]),
    }
    calls, faults = dict(CALLS), list(FAULTS)
    if kind == "plain":
        settings["acks"] = chance.choice([0, 1, "all"])
        if settings["acks"] == 0:
            # What a fault has taken away is chance where nobody hears of it.
            for call in ("fault", "restart", "refused"):
                del calls[call]
    else:
        # Without sequence numbers it is chance which messages of a batch are stored twice.
        faults.append(("Produce", "disconnect_after"))
        settings |= {"enable.idempotence": True} if kind == "idempotent" else {"transactional.id": "programs"}
    if settings["linger.ms"] != UNSENT or kind == "transactional":
        # What is still in the queue is chance; of a transaction, what follows has a row.
        del calls["purge"]
    steps: list[Step] = []
    if kind == "transactional":
        calls |= WITH_TRANSACTIONS
        faults += OF_TRANSACTIONS
        steps = [("init", None), ("begin", None)]
    for _ in range(length):
        call = chance.choices(list(calls), weights=list(calls.values()))[0]
        steps.append((call, given(chance, call, faults)))
        if call == "successor":
            # What hears of the fence first is chance, and a report beside it is an accident in the original.
            return Program(seed, settings, (*steps, ("fenced", None)))
    return Program(seed, settings, tuple(steps))


def given(chance: random.Random, call: str, faults: list[tuple[str, str]]) -> Any:
    """What a call is given: mostly a topic, a partition and how many messages."""
    match call:
        case "fault":
            return (*chance.choice(faults), chance.randint(1, 2))
        case "restart":
            return chance.randint(1, NODES)
        case "odd":
            return chance.choice(["no partition", "no topic", "too large", "nothing", "number", "header"])
        case "refused":
            return chance.choice(REFUSALS)
        case "init" | "begin" | "commit" | "abort" | "successor" | "again" | "purge" | "flush" | "poll":
            return None
        case _:
            return chance.choice(TOPICS), chance.randrange(PARTITIONS), chance.randint(1, 4)


class Writer:
    """One side of a program."""

    def __init__(self, library: str, broker: EmbeddedBroker, played: Program) -> None:
        self.module = importlib.import_module(library)
        self.broker = broker
        self.program = played
        self.prefix = f"{played.seed}-{library}-"
        """Begins the name of everything in the cluster, so that both sides can run on one."""
        self.is_transactional = "transactional.id" in played.settings
        self.is_fenced = False
        self.sent = 0
        self.reports: dict[str, list[Any]] = {}
        self.others: list[Any] = []
        self.producer = self._made()
        self.group = self.module.Consumer(
            {"bootstrap.servers": broker.bootstrap_servers, "group.id": f"{self.prefix}group", "log_level": 0}
        )

    def _made(self) -> Any:
        settings = {
            "bootstrap.servers": self.broker.bootstrap_servers,
            "client.id": TESTED,
            "log_level": 0,
            "message.max.bytes": LARGEST,
            "retry.backoff.ms": 20,
            "retry.backoff.max.ms": 100,
            "reconnect.backoff.ms": 10,
            "reconnect.backoff.max.ms": 100,
            "topic.metadata.refresh.interval.ms": 60_000,
            "topic.metadata.propagation.max.ms": 300,
            **self.program.settings,
        }
        if self.is_transactional:
            settings["transactional.id"] = f"{self.prefix}id"
        return self.module.Producer(settings)

    def prepare(self) -> None:
        """Makes the topics."""
        for topic in TOPICS:
            self.broker.create_topic(f"{self.prefix}{topic}", PARTITIONS, replication_factor=NODES)

    def run(self) -> list[Any]:
        """What each step gives."""
        self.prepare()
        try:
            seen = [self._outcome(call, given) for call, given in self.program.steps]
            return [*seen, self._end()]
        finally:
            for client in (self.producer, *self.others, self.group):
                self._close(client)

    def _outcome(self, call: str, given: Any) -> Any:
        """What a step gives, or how it fails."""
        try:
            return self._call(call, given)
        except self.module.KafkaException as problem:
            error = problem.args[0]
            return (type(problem).__name__, error.name(), error.fatal(), error.retriable(), error.txn_requires_abort())
        except (TypeError, ValueError, BufferError, RuntimeError) as problem:
            return type(problem).__name__

    def _call(self, call: str, given: Any) -> Any:  # noqa: C901, PLR0911, PLR0912  one for each call
        producer = self.producer
        match call:
            case "produce" | "keyed" | "silent":
                topic, partition, count = given
                for _ in range(count):
                    self._produce(call, topic, partition)
                return len(producer) if self.program.settings["linger.ms"] == UNSENT else None
            case "batch":
                topic, partition, count = given
                messages = [{"value": value, "callback": self._heard(value)} for value in self._values(count)]
                return producer.produce_batch(f"{self.prefix}{topic}", messages, partition)
            case "odd":
                return self._odd(given)
            case "refused":
                # Only one batch is on its way: it would be chance which of several it is.
                producer.flush(SECONDS)
                self._fault("Produce", given, 1)
                self._produce("produce", "one", 0)
                return producer.flush(SECONDS), self._told()
            case "purge":
                producer.purge(in_flight=False)
                left, told = self._flush()
                return left, {place: sorted(reports) for place, reports in told.items()}
            case "flush":
                return self._flush()
            case "poll":
                producer.poll(0.05)
                return None
            case "again":
                producer.flush(SECONDS)
                producer.close()
                self.producer = self._made()
                return self._told()
            case "init":
                return producer.init_transactions(SECONDS)
            case "begin":
                return producer.begin_transaction()
            case "commit":
                return producer.commit_transaction(SECONDS), self._told()
            case "abort":
                producer.flush(SECONDS)
                return producer.abort_transaction(SECONDS), self._told()
            case "offsets":
                topic, partition, offset = given
                places = [self.module.TopicPartition(f"{self.prefix}{topic}", partition, offset)]
                return producer.send_offsets_to_transaction(places, self.group.consumer_group_metadata(), SECONDS)
            case "successor":
                successor = self._made()
                self.others.append(successor)
                return successor.init_transactions(SECONDS)
            case "fenced":
                self.is_fenced = True
                with suppress(self.module.KafkaException):
                    producer.begin_transaction()
                with suppress(self.module.KafkaException):
                    self._produce("silent", "one", 0)
                return producer.commit_transaction(SECONDS)
            case "fault":
                return self._fault(*given)
            case "restart":
                return self.broker.restart_node(given)
        raise AssertionError(call)

    def _values(self, count: int) -> list[bytes]:
        """What no other message has."""
        self.sent += count
        return [b"%d" % number for number in range(self.sent - count, self.sent)]

    def _produce(self, how: str, topic: str, partition: int) -> None:
        (value,) = self._values(1)
        topic = f"{self.prefix}{topic}"
        match how:
            case "produce":
                self.producer.produce(topic, value, partition=partition, on_delivery=self._heard(value))
            case "keyed":
                self.producer.produce(topic, value, key=b"key-%d" % partition, on_delivery=self._heard(value))
            case _:
                self.producer.produce(topic, value, partition=partition)

    def _heard(self, value: bytes) -> Callable[[Any, Any], None]:
        def report(error: Any, message: Any) -> None:
            place = f"{message.topic().removeprefix(self.prefix)} {message.partition()}"
            told = (error.name(), error.fatal(), error.retriable()) if error is not None else None
            self.reports.setdefault(place, []).append((value, told))

        return report

    def _told(self) -> dict[str, list[Any]]:
        """The reports since this was asked last."""
        found, self.reports = self.reports, {}
        return found

    def _flush(self) -> Any:
        return self.producer.flush(SECONDS), self._told()

    def _odd(self, what: str) -> Any:
        """A mistake of the program, and how it is told: in the call, or in the report."""
        topic, value, partition, more = f"{self.prefix}one", b"odd", 0, {}
        match what:
            case "no partition":
                partition = 7
            case "no topic":
                topic = "bad name"
            case "too large":
                value = bytes(2 * LARGEST)
            case "nothing":
                value = None  # type: ignore[assignment]
            case "number":
                value = 1  # type: ignore[assignment]
            case "header":
                more = {"headers": [("name",)]}
        self.producer.flush(SECONDS)
        self._told()
        report = self._heard(b"odd")
        try:
            self.producer.produce(topic, value, partition=partition, on_delivery=report, **more)
        except self.module.KafkaException as problem:
            # What is known of a topic when it is called is a matter of time: the report says the same.
            return {"told": problem.args[0].name()}
        self.producer.flush(SECONDS)
        ((_, told),) = (each for reports in self._told().values() for each in reports)
        return {"told": told and told[0]}

    def _fault(self, api: str, action: str, times: int) -> None:
        self.broker.intercept(api, action, times=times, seconds=0.1, when=lambda seen: seen.client_id == TESTED)

    def _end(self) -> Any:
        left = "fenced" if self.is_fenced else self._outcome("flush", None)
        for client in (self.producer, *self.others):
            self._close(client)
        if self.program.settings.get("acks") == 0:
            # The cluster may still be about to store what it does not acknowledge.
            time.sleep(0.3)
        told = "fenced" if self.is_fenced else self._told()
        return left, told, self._stored(), self._offsets()

    def _close(self, client: Any) -> None:
        """Ends a client; of one that was fenced the original may raise what it warns of."""
        with suppress(SystemError, self.module.KafkaException):
            client.close()

    def _stored(self) -> list[Any]:
        """What is in the topics, by a reader that is neither of the two."""
        isolation = "read_committed" if self.is_transactional else "read_uncommitted"
        settings: dict[str, Any] = {
            "bootstrap_servers": self.broker.bootstrap_servers,
            "isolation_level": isolation,
            "auto_offset_reset": "earliest",
        }
        places = [(topic, partition) for topic in TOPICS for partition in range(PARTITIONS)]
        with Consumer(**settings) as reader:
            reader.assign([(f"{self.prefix}{topic}", partition) for topic, partition in places])
            found = [
                (record.topic.removeprefix(self.prefix), record.partition, record.value)
                for batch in reader.read_until_end(timeout=20)
                for record in batch
            ]
        return sorted([place, [value for *where, value in found if tuple(where) == place]] for place in places)

    def _offsets(self) -> list[Any]:
        """What is committed in the cluster."""
        names = [f"{self.prefix}{topic}" for topic in TOPICS]
        places = [self.module.TopicPartition(name, number) for name in names for number in range(PARTITIONS)]
        return [each.offset for each in self.group.committed(places, timeout=20)]


def played(library: str, made: Program) -> list[Any]:
    """What one side sees."""
    with EmbeddedBroker(nodes=NODES) as broker:
        return Writer(library, broker, made).run()


def difference(made: Program) -> str | None:
    """Where the two sides part, if they do so twice: what is only now and then different is a matter of time."""
    # These programs do not wait for what may not come.
    return twice(lambda _: parted(made))


def parted(made: Program) -> str | None:
    """The first step that the two sides see differently."""
    with ThreadPoolExecutor(len(SIDES)) as sides, warnings.catch_warnings():
        # Of transactions that could not be aborted at the end.
        warnings.simplefilter("ignore")
        original, face = sides.map(lambda library: played(library, made), SIDES)
    names = [*(f"{call} {given}" for call, given in made.steps), "the end"]
    for number, (name, one, other) in enumerate(zip(names, original, face, strict=True)):
        if one != other:
            return f"step {number} of {made}\n  {name}\n  original {one}\n  face     {other}"
    return None


def reduced(made: Program) -> Program:
    """The program without the steps that the difference does not need."""
    for number in reversed(range(len(made.steps))):
        shorter = replace(made, steps=made.steps[:number] + made.steps[number + 1 :])
        if difference(shorter) is not None:
            made = shorter
    return made


def main() -> None:
    first, count = map(int, sys.argv[1:])
    logging.getLogger("kafkars").setLevel(logging.CRITICAL)
    for seed in range(first, first + count):
        began = time.monotonic()
        found = difference(program(seed))
        sys.stdout.write(f"seed {seed}: {time.monotonic() - began:.1f} s\n")
        if found is not None:
            with suppress(Exception):
                found += f"\n\n{difference(reduced(program(seed)))}"
            sys.stdout.write(f"{found}\n\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

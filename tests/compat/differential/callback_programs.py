"""Random programs of rebalance callbacks: what `on_assign` and `on_revoke` call, and what comes of it. A group of one
member is of confluent_kafka on one side, and of its face on the other.

Both sides must agree on how each call in a callback ends, which callbacks are called with which partitions, what is
assigned and read when the group is at rest, and what is committed in the end. Short form: `test_programs.py`. Long
form: `python -m tests.compat.differential.callback_programs FIRST_SEED COUNT [consumer]`, where `consumer` asks for the
protocol of KIP-848.
"""

from __future__ import annotations

import functools
import importlib
import random
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from kafkars import Producer
from kafkars.testing import EmbeddedBroker

from tests.compat.differential.patience import twice
from tests.compat.differential.programs import SIDES
from tests.compat.differential.strategies import NEWER, STRATEGIES, is_incremental, settings_of
from tests.kafka import wire

PARTITIONS = 3
RECORDS = 4
QUIET = 0.8
"""A group is at rest when nothing has come and nothing was called for this long, in seconds."""
JOINS_WITHIN = 6.0
"""Seconds that a changed subscription may take to be heard of. The original joins once a second at most."""
SECONDS = 15.0
TOPICS = ("t", "u")

Call = tuple[str, str]
"""What is called, and for which of the partitions that the callback is told of."""

PARTS: dict[str, Callable[[list[Any]], list[Any]]] = {
    "all": lambda told: told,
    "none": lambda _: [],
    "first": lambda told: told[:1],
    "others": lambda told: told[1:],
}
# Where a call of `on_assign` that assigns fails, or unassigns last, the original waits for another one for ever, so
# that later rebalances never come. What is read then: `test_what_on_assign_asks.py`.
EAGER: list[list[Call]] = [
    [],
    [("assign", "all")],
    [("assign", "first")],
    [("assign", "none")],
    [("assign", "all"), ("assign", "others")],
    [("unassign", "all"), ("assign", "others")],
]
COOPERATIVE: list[list[Call]] = [
    [],
    [("incremental_assign", "all")],
    [("incremental_assign", "first")],
    [("incremental_assign", "none")],
    [("incremental_assign", "first"), ("incremental_assign", "others")],
    [("incremental_assign", "all"), ("incremental_unassign", "first")],
]
GOING_EAGER: list[list[Call]] = [
    [],
    [("unassign", "all"), ("assignment", "all")],
    [("assign", "none"), ("assignment", "all")],
]
GOING_COOPERATIVE: list[list[Call]] = [[("incremental_unassign", "what there is"), ("assignment", "all")]]
BESIDE: list[Call] = [("commit", "all"), ("commit_offsets", "first"), ("commit_offsets", "all"), ("assignment", "all")]
LAST: list[Call] = [("unsubscribe", "all"), ("subscribe", "all"), ("raise", "all")]
# subscribe() in on_revoke ends the original's process where it closes, and unsubscribe() there counts after it has
# joined once more. subscribe() in on_assign of a cooperative group tells of nothing new in the original.
LAST_GOING: list[Call] = [("raise", "all")]
LAST_COOPERATIVE: list[Call] = [("unsubscribe", "all"), ("raise", "all")]
STEPS = {"poll": 3, "subscribe t": 2, "subscribe u": 2, "subscribe tu": 2, "unsubscribe": 1, "commit": 2, "write": 2}


@dataclass(frozen=True)
class Program:
    """The steps of a seed, and what each call of a callback does in turn; later ones do nothing."""

    seed: int
    strategy: str
    commits_by_itself: bool
    coming: list[list[Call]]
    going: list[list[Call]]
    steps: list[str]


def program(seed: int, strategy: str | None = None, length: int = 6) -> Program:
    """The program of a seed; without a strategy, with one of those of the older protocol."""
    chance = random.Random(seed)
    drawn = chance.choice(STRATEGIES)
    strategy = strategy or drawn
    is_cooperative = is_incremental(strategy)

    def script(templates: list[list[Call]], beside: list[Call], last: list[Call]) -> list[Call]:
        calls = list(chance.choice(templates))
        if chance.random() < 0.5:
            # First: a commit after assign() does not say in the original where reading begins, and one after unassign()
            # is that of no member.
            calls.insert(0, chance.choice(beside))
        return calls + chance.sample(last, chance.random() < 0.25)

    coming = [
        script(COOPERATIVE, BESIDE, LAST_COOPERATIVE) if is_cooperative else script(EAGER, BESIDE, LAST)
        for _ in range(4)
    ]
    going = [
        # What the original takes for lost here cannot be committed.
        script(GOING_COOPERATIVE, [("assignment", "all")], LAST_GOING)
        if is_cooperative
        else script(GOING_EAGER, BESIDE, LAST_GOING)
        for _ in range(8)
    ]
    steps = chance.choices(list(STEPS), weights=list(STEPS.values()), k=length)
    commits_by_itself = chance.random() < 0.5
    if not is_cooperative and chance.random() < 0.5:
        # Of what the group has given, outside of its callbacks; with what is committed and read after it.
        at = chance.randrange(length)
        steps[at:at] = [f"assign {chance.choice(['first', 'others', 'none'])}", "commit", "assign all"]
    return Program(seed, strategy, commits_by_itself, coming, going, ["subscribe t", *steps])


@dataclass
class Member:
    """One side of a program."""

    library: str
    broker: EmbeddedBroker
    made: Program
    patience: float
    """How many times longer than usual it waits for something to come."""
    heard: list[Any] = field(default_factory=list)
    """Which callbacks were called, and how their calls have ended, since the latest rest."""
    wanted: frozenset[str] = frozenset()
    """The topics that are subscribed to."""
    given: frozenset[str] = frozenset()
    """The topics that callbacks have told of as assigned."""
    told: list[Any] = field(default_factory=list)
    """The partitions that the group has given, without their offsets."""
    is_closing: bool = False

    def __post_init__(self) -> None:
        self.module = importlib.import_module(self.library)
        self.group = f"{self.made.seed}-{self.library}"
        self.scripts = {"on_assign": list(self.made.coming), "on_revoke": list(self.made.going)}
        settings = {
            "bootstrap.servers": self.broker.bootstrap_servers,
            "group.id": self.group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": self.made.commits_by_itself,
            # Only when partitions go: otherwise it would be chance whether a commit finds anything.
            "auto.commit.interval.ms": 600_000,
            **settings_of(self.made.strategy),
            "fetch.error.backoff.ms": 10,
            "fetch.wait.max.ms": 20,
            "retry.backoff.ms": 10,
            # The original looks for the topics of a changed subscription then.
            "topic.metadata.refresh.interval.ms": 200,
            "log_level": 0,
        }
        self.consumer = self.module.Consumer(settings)

    def run(self) -> list[Any]:
        """What each step gives."""
        seen = [(step, self._ended(functools.partial(self._step, step)), self._settle()) for step in self.made.steps]
        self.is_closing = True
        seen.append(("close", self._ended(self.consumer.close), self._taken()))
        return [*seen, ("committed", self._committed(), None)]

    def _step(self, step: str) -> Any:
        match step.split():
            case ["subscribe", topics]:
                return self._subscribe(list(topics))
            case ["unsubscribe"]:
                return self._unsubscribe()
            # Without a subscription the original would not end when it is closed later.
            case ["assign", part] if self.wanted:
                return self.consumer.assign(PARTS[part](self.told))
            case ["commit"]:
                return self._offsets(self.consumer.commit(asynchronous=False))
            case ["write"]:
                return write(self.broker)
        return None

    def _unsubscribe(self) -> None:
        self.wanted = self.given = frozenset()
        self.consumer.unsubscribe()

    def _subscribe(self, topics: list[str]) -> None:
        self.wanted = frozenset(topics)
        # While it looks for other topics the original may take for lost what only goes.
        gone = self._callback("on_revoke")
        self.consumer.subscribe(topics, on_assign=self._callback("on_assign"), on_revoke=gone, on_lost=gone)

    def _callback(self, name: str) -> Callable[[Any, list[Any]], None]:
        def called(_: Any, partitions: list[Any]) -> None:
            partitions = sorted(partitions, key=lambda each: (each.topic, each.partition))
            named = frozenset(each.topic for each in partitions)
            self.told = partitions if name == "on_assign" else []
            if name == "on_assign":
                self.given = (self.given if is_incremental(self.made.strategy) else frozenset()) | named
            else:
                self.given -= named
            script = self.scripts[name].pop(0) if self.scripts.get(name) else []
            ends: list[Any] = []
            self.heard.append((name, [(each.topic, each.partition) for each in partitions], ends))
            for call, part in script:
                if call == "raise":
                    raise LookupError(name)
                chosen = self._held(partitions) if part == "what there is" else PARTS[part](partitions)
                ends.append((call, part, self._ended(functools.partial(self._call, call, chosen))))

        return called

    def _call(self, call: str, partitions: list[Any]) -> Any:  # noqa: PLR0911  one for each call
        consumer = self.consumer
        match call:
            case "unassign":
                return consumer.unassign()
            case "unsubscribe":
                return self._unsubscribe()
            case "subscribe":
                return self._subscribe(["u"])
            case "commit":
                return self._offsets(consumer.commit(asynchronous=False))
            case "commit_offsets":
                offsets = [self.module.TopicPartition(each.topic, each.partition, 2) for each in partitions]
                return self._offsets(consumer.commit(offsets=offsets, asynchronous=False))
            case "assignment" if self.is_closing:
                # The original may have ended by the time that a callback of close() has unassigned.
                return None
            case "assignment":
                return sorted((each.topic, each.partition) for each in consumer.assignment())
            case _:
                return getattr(consumer, call)(partitions)

    def _ended(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except self.module.KafkaException as problem:
            return f"failed with {problem.args[0].name()}"
        except LookupError as problem:
            return f"raised {problem}"

    def _held(self, partitions: list[Any]) -> list[Any]:
        held = {(each.topic, each.partition) for each in self.consumer.assignment()}
        return [each for each in partitions if (each.topic, each.partition) in held]

    @staticmethod
    def _offsets(partitions: list[Any]) -> list[Any]:
        return sorted((each.topic, each.partition, each.offset) for each in partitions if each.offset >= 0)

    def _settle(self) -> Any:
        """Polls until the group is at rest, and tells what was read and called."""
        read: dict[tuple[str, int], list[int]] = {}
        errors: list[str] = []
        last = began = time.monotonic()
        while time.monotonic() - last < QUIET * self.patience or (
            self.given != self.wanted and time.monotonic() - began < JOINS_WITHIN * self.patience
        ):
            if time.monotonic() - began > SECONDS * self.patience:
                return "no rest", self._taken()
            calls = len(self.heard)
            try:
                message = self.consumer.poll(0.05)
            except LookupError as problem:
                errors.append(f"raised {problem}")
                continue
            except self.module.KafkaException as problem:
                errors.append(f"failed with {problem.args[0].name()}")
                continue
            if message is None:
                last = time.monotonic() if len(self.heard) > calls else last
                continue
            last = time.monotonic()
            if message.error() is not None:
                errors.append(message.error().name())
            else:
                read.setdefault((message.topic(), message.partition()), []).append(message.offset())
        assigned = sorted((each.topic, each.partition) for each in self.consumer.assignment())
        # A poll of the original that raises may lose a message.
        return sorted(read) if errors else sorted(read.items()), assigned, self._taken(), errors

    def _taken(self) -> list[Any]:
        heard, self.heard = self.heard, []
        return heard

    def _committed(self) -> list[Any]:
        asker = self.module.Consumer({"bootstrap.servers": self.broker.bootstrap_servers, "group.id": self.group})
        places = [self.module.TopicPartition(topic, number) for topic in TOPICS for number in range(PARTITIONS)]
        found = [(each.topic, each.partition, each.offset) for each in asker.committed(places, timeout=SECONDS)]
        asker.close()
        return sorted(found)


def write(broker: EmbeddedBroker) -> None:
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for topic in TOPICS:
            for number in range(RECORDS * PARTITIONS):
                producer.send(topic, b"value", partition=number % PARTITIONS)


def difference(seed: int, strategy: str | None = None) -> str | None:
    """The first step that the two sides see differently, twice."""
    return twice(functools.partial(parted, program(seed, strategy)))


def parted(made: Program, patience: float) -> str | None:
    """The first step that the two sides see differently."""

    def side(library: str) -> list[Any]:
        with EmbeddedBroker() as broker:
            for topic in TOPICS:
                wire.create_topic(broker.bootstrap_servers, topic, PARTITIONS, 1, {})
            write(broker)
            return Member(library, broker, made, patience).run()

    with ThreadPoolExecutor(len(SIDES)) as sides:
        original, face = sides.map(side, SIDES)
    for number, (one, other) in enumerate(zip(original, face, strict=True)):
        if one != other:
            return f"{made}, step {number}\n  original {one}\n  face     {other}"
    return None


def main() -> None:
    first, count = map(int, sys.argv[1:3])
    strategy = NEWER if "consumer" in sys.argv[3:] else None
    for seed in range(first, first + count):
        found = difference(seed, strategy)
        sys.stdout.write(f"{found}\n" if found else f"seed {seed} is the same\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

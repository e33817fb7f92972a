"""The common script: ordinary work of one client, and what every client must see on every broker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.interop.work.worker import Record, RefusedError, Stored, Worker
from tests.support.waiting import eventually

RECORDS = [
    Record(f"key-{number}", f"value-{number}", (("half", "first" if number < 6 else "second"),)) for number in range(12)
]
# Where Kafka's partitioner puts these keys when there are three partitions.
PLACES = {
    0: [1, 4, 9],
    1: [0, 7, 8, 11],
    2: [2, 3, 5, 6, 10],
}
STORED = [
    Stored(partition, offset, *RECORDS[number])
    for partition, numbers in PLACES.items()
    for offset, number in enumerate(numbers)
]
IN_THREE = {partition: len(numbers) for partition, numbers in PLACES.items()}
RETENTION = "retention.ms"
# In ms; both long before and long after the tests.
EARLY, LATE = 1_000_000_000_000, 4_000_000_000_000


@dataclass
class Names:
    """What the work is about, unique to it."""

    topic: str
    other: str
    group: str
    copiers: str


@dataclass
class Step:
    """One piece of work. `needs` are the worker's calls that it consists of."""

    name: str
    needs: tuple[str, ...]
    work: Callable[[Worker, Names], Any]
    expected: Any = None


def refusal(call: Callable[[], object]) -> str:
    try:
        call()
    except RefusedError as refused:
        return refused.name
    return "nothing was refused"


def settles(look: Callable[[], Any], expected: Any) -> Any:
    """Changes reach all parts of a real broker a moment after they are acknowledged."""
    last: list[Any] = []

    def check() -> bool:
        last[:] = [look()]
        return bool(last[0] == expected)

    try:
        eventually(check, "it is as expected", 10)
    except AssertionError:
        # The comparison of the whole script says more.
        return last[0]
    return last[0]


def setting_after(worker: Worker, names: Names, value: str) -> Any:
    worker.change_setting(names.topic, RETENTION, value)
    return settles(lambda: worker.setting(names.topic, RETENTION), value)


def partitions_after(worker: Worker, names: Names) -> Any:
    worker.add_partitions(names.other, 4)
    return settles(lambda: worker.partitions(names.other), [0, 1, 2, 3])


def ends_after_deletion(worker: Worker, names: Names) -> Any:
    worker.delete_records(names.topic, 1, 2)
    return worker.ends(names.topic)


def in_two_goes(worker: Worker, names: Names) -> list[str]:
    """A group goes on where it has left off."""
    first = worker.consume_in_group(names.topic, names.group, 5)
    second = worker.consume_in_group(names.topic, names.group, len(RECORDS) - 5)
    return sorted(str(record.value) for record in first + second)


def rewound(worker: Worker, names: Names) -> list[Stored]:
    worker.set_committed(names.topic, names.group, {0: 3, 1: 3, 2: 3})
    return worker.consume_in_group(names.topic, names.group, 3)


def transactions(worker: Worker, names: Names) -> list[str | None]:
    worker.transaction(names.other, [Record("a", "first")], commit=True)
    worker.transaction(names.other, [Record("a", "dropped")], commit=False)
    worker.transaction(names.other, [Record("a", "second")], commit=True)
    return [record.value for record in worker.consume(names.other, 2, committed_only=True)]


def copied(worker: Worker, names: Names) -> Any:
    worker.copy(names.topic, names.other, names.copiers, 6)
    # A commit is answered when it is decided; the group's coordinator hears of it after that.
    return settles(lambda: sum(worker.committed(names.topic, names.copiers).values()), 6)


def is_gone(worker: Worker, names: Names) -> Any:
    worker.delete_topic(names.topic)
    return settles(lambda: names.topic in worker.topics(), False)


def group_is_gone(worker: Worker, names: Names) -> bool:
    worker.delete_group(names.group)
    return names.group in worker.groups()


STEPS = [
    Step(
        "create a topic",
        ("create_topic",),
        lambda worker, names: worker.create_topic(names.topic, 3, {RETENTION: "3600000"}),
    ),
    Step("create another", ("create_topic",), lambda worker, names: worker.create_topic(names.other, 3, {})),
    Step(
        "create it again",
        ("create_topic",),
        lambda worker, names: refusal(lambda: worker.create_topic(names.topic, 3, {})),
        "TOPIC_ALREADY_EXISTS",
    ),
    Step("list", ("topics",), lambda worker, names: settles(lambda: names.topic in worker.topics(), True), True),
    Step(
        "describe",
        ("partitions",),
        lambda worker, names: settles(lambda: worker.partitions(names.topic), [0, 1, 2]),
        [0, 1, 2],
    ),
    Step("a setting", ("setting",), lambda worker, names: worker.setting(names.topic, RETENTION), "3600000"),
    Step("change a setting", ("setting", "change_setting"), lambda w, n: setting_after(w, n, "7200000"), "7200000"),
    Step(
        "a wrong setting",
        ("change_setting",),
        lambda worker, names: refusal(lambda: worker.change_setting(names.topic, RETENTION, "soon")),
        "INVALID_CONFIG",
    ),
    Step("produce", ("produce",), lambda worker, names: worker.produce(names.topic, RECORDS)),
    Step("ends", ("ends",), lambda worker, names: worker.ends(names.topic), {p: (0, n) for p, n in IN_THREE.items()}),
    Step("since early", ("offsets_since",), lambda w, n: w.offsets_since(n.topic, EARLY), dict.fromkeys(IN_THREE, 0)),
    Step("since late", ("offsets_since",), lambda w, n: w.offsets_since(n.topic, LATE), dict.fromkeys(IN_THREE, -1)),
    Step("consume", ("consume",), lambda worker, names: worker.consume(names.topic, len(RECORDS)), STORED),
    Step("consume in a group", ("consume_in_group",), in_two_goes, sorted(record.value for record in RECORDS)),
    Step("committed", ("committed",), lambda worker, names: worker.committed(names.topic, names.group), IN_THREE),
    Step("groups", ("groups",), lambda w, n: settles(lambda: w.groups().get(n.group), "Empty"), "Empty"),
    Step("rewind a group", ("set_committed", "consume_in_group"), rewound, [one for one in STORED if one.offset >= 3]),
    Step("transactions", ("transaction", "consume"), transactions, ["first", "second"]),
    Step(
        "the aborted one",
        ("transaction", "consume"),
        lambda worker, names: [record.value for record in worker.consume(names.other, 3)],
        ["first", "dropped", "second"],
    ),
    Step("copy", ("copy", "committed"), copied, 6),
    Step("add partitions", ("add_partitions", "partitions"), partitions_after, [0, 1, 2, 3]),
    Step("delete records", ("delete_records", "ends"), ends_after_deletion, {0: (0, 3), 1: (2, 4), 2: (0, 5)}),
    Step("delete a group", ("delete_group", "groups"), group_is_gone, False),
    Step("delete a topic", ("delete_topic", "topics"), is_gone, False),
]


def carry_out(worker: Worker, substitute: Worker, names: Names) -> tuple[dict[str, Any], dict[str, Any]]:
    """What was seen and what should have been, by step. What a worker lacks the substitute does, unseen."""
    seen: dict[str, Any] = {}
    for step in STEPS:
        if any(need in worker.lacks for need in step.needs):
            step.work(substitute, names)
        else:
            seen[step.name] = step.work(worker, names)
    return seen, {step.name: step.expected for step in STEPS if step.name in seen}

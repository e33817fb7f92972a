"""Every argument that is a number, a place or a function, with every value that none is, of clients that live and that
are closed: the error is the documented one, comes at once, and the client goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import kafkars
import pytest
from kafkars import ConsumerGroupMetadata
from kafkars.admin import NewTopic
from kafkars.errors import (
    ClosedError,
    InvalidArgumentError,
    InvalidPartitionError,
    InvalidRecordTimestampError,
    NotAssignedError,
)
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import SECONDS, Stopwatch

AT_ONCE = 5.0  # far from the time-outs of the calls, which a busy machine does not reach

NO_NUMBERS: dict[str, object] = {"a thing": object(), "nothing": None, "empty text": "", "bytes": b"1", "a list": []}
NO_RANGES: dict[str, object] = {"-1": -1, "2**31": 2**31, "2**63": 2**63, "2**100": 2**100, "-2**63 - 1": -(2**63) - 1}
WIDE = {name: value for name, value in NO_RANGES.items() if name != "2**31"}
BEYOND: dict[str, object] = {"2**63": 2**63, "2**100": 2**100, "-2**63 - 1": -(2**63) - 1}
BEYOND_32 = {**BEYOND, "2**31": 2**31}
NO_FUNCTIONS: dict[str, object] = {"a thing": object(), "-1": -1, "2**63": 2**63, "empty text": "", "a list": []}
WITHOUT_NOTHING = {name: value for name, value in NO_NUMBERS.items() if name != "nothing"}

RANGE_ERRORS = (InvalidArgumentError, InvalidPartitionError, InvalidRecordTimestampError, NotAssignedError)
GROUP = ConsumerGroupMetadata("group")


class Argument(NamedTuple):
    """One argument of one call, and what cannot be given for it."""

    call: Callable[[Any, Any], object]
    wrong: dict[str, object]
    flavours: tuple[str, ...] = ("sync", "asyncio")


def partition(call: Callable[[Any, Any], object]) -> Argument:
    """The number of a partition in a place."""
    return Argument(call, {**NO_NUMBERS, **NO_RANGES})


def offset(call: Callable[[Any, Any], object]) -> Argument:
    """A number of 64 bits that is not negative."""
    return Argument(call, {**NO_NUMBERS, **WIDE})


def of_a_record(call: Callable[[Any, Any], object], ranges: dict[str, object]) -> Argument:
    """A number that may be left out."""
    return Argument(call, {**WITHOUT_NOTHING, **ranges})


PRODUCER: dict[str, Argument] = {
    "send partition": of_a_record(lambda p, bad: p.send("t", b"value", partition=bad).result(SECONDS), NO_RANGES),
    "send timestamp": of_a_record(lambda p, bad: p.send("t", b"value", timestamp=bad).result(SECONDS), WIDE),
    "send on_delivery": Argument(lambda p, bad: p.send("t", b"value", on_delivery=bad), NO_FUNCTIONS, ("sync",)),
    "add_done_callback": Argument(
        lambda p, bad: p.send("t", b"value").add_done_callback(bad), {**NO_FUNCTIONS, "nothing": None}, ("sync",)
    ),
    "send_offsets partition": partition(lambda p, bad: p.send_offsets_to_transaction({("t", bad): 1}, GROUP)),
    "send_offsets offset": offset(lambda p, bad: p.send_offsets_to_transaction({("t", 0): bad}, GROUP)),
}

CONSUMER: dict[str, Argument] = {
    "poll_batch": Argument(
        lambda c, bad: c.poll_batch(bad, timeout=0), {**WITHOUT_NOTHING, "0": 0, "-1": -1, "2**100": 2**100}
    ),
    "assign partition": partition(lambda c, bad: c.assign([("t", bad)])),
    "assign offset": Argument(lambda c, bad: c.assign({("t", 0): bad}), {**WITHOUT_NOTHING, **WIDE}),
    "seek partition": partition(lambda c, bad: c.seek(("t", bad), 0)),
    "seek offset": offset(lambda c, bad: c.seek(("t", 0), bad)),
    "seek leader_epoch": of_a_record(lambda c, bad: c.seek(("t", 0), 0, leader_epoch=bad), BEYOND_32),
    "seek_to_timestamp": offset(lambda c, bad: c.seek_to_timestamp(bad)),
    "pause": partition(lambda c, bad: c.pause([("t", bad)])),
    "resume": partition(lambda c, bad: c.resume([("t", bad)])),
    "position": partition(lambda c, bad: c.position(("t", bad))),
    "beginning_offsets": partition(lambda c, bad: c.beginning_offsets([("t", bad)])),
    "end_offsets": partition(lambda c, bad: c.end_offsets([("t", bad)])),
    "offsets_for_times partition": partition(lambda c, bad: c.offsets_for_times({("t", bad): 1})),
    "offsets_for_times time": offset(lambda c, bad: c.offsets_for_times({("t", 0): bad})),
    "committed": partition(lambda c, bad: c.committed([("t", bad)])),
    "commit partition": partition(lambda c, bad: c.commit({("t", bad): 1})),
    "commit offset": offset(lambda c, bad: c.commit({("t", 0): bad})),
    "commit_async partition": Argument(
        lambda c, bad: c.commit_async({("t", bad): 1}), {**NO_NUMBERS, **NO_RANGES}, ("sync",)
    ),
    "commit_async callback": Argument(lambda c, bad: c.commit_async({("t", 0): 1}, bad), NO_FUNCTIONS, ("sync",)),
}


ADMIN: dict[str, Argument] = {
    "list_offsets partition": Argument(lambda a, bad: a.list_offsets({("t", bad): 0}), BEYOND_32),
    "list_offsets time": Argument(lambda a, bad: a.list_offsets({("t", 0): bad}), BEYOND),
    "delete_records partition": Argument(lambda a, bad: a.delete_records({("t", bad): 0}), BEYOND_32),
    "delete_records offset": Argument(lambda a, bad: a.delete_records({("t", 0): bad}), BEYOND),
    "alter_group_offsets partition": Argument(lambda a, bad: a.alter_group_offsets("g", {("t", bad): 0}), BEYOND_32),
    "alter_group_offsets offset": Argument(lambda a, bad: a.alter_group_offsets("g", {("t", 0): bad}), BEYOND),
    "create_topics partitions": Argument(lambda a, bad: a.create_topics([NewTopic("n", partitions=bad)]), BEYOND_32),
    "create_topics replication_factor": Argument(
        lambda a, bad: a.create_topics([NewTopic("n", replication_factor=bad)]), BEYOND_32
    ),
    "create_topics assignments": Argument(
        lambda a, bad: a.create_topics([NewTopic("n", assignments=[[bad]])]), BEYOND_32
    ),
    "create_partitions": Argument(lambda a, bad: a.create_partitions({"t": bad}), BEYOND_32),
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        yield broker


def refused(argument: Argument, client: Any, *also: type[Exception]) -> list[str]:
    """What is wrong with how wrong values are answered."""
    problems = []
    for name, bad in argument.wrong.items():
        expected = (TypeError,) if not isinstance(bad, int) else (TypeError, *RANGE_ERRORS)
        with Stopwatch() as watch:
            try:
                answer = argument.call(client, bad)
            except (*expected, *also) as error:
                is_range = isinstance(bad, int) and "a TopicPartition or" in str(error)
                problem = f"the error says nothing of the range: {error}" if is_range else None
            except Exception as error:  # noqa: BLE001  # what it is, is the finding
                problem = f"{type(error).__name__}: {error}"
            else:
                problem = f"accepted: {answer!r}"
        if watch.seconds > AT_ONCE:
            problem = f"{problem} after {watch.seconds:.0f} s"
        if problem:
            problems.append(f"{name}: {problem}")
    return problems


@pytest.mark.parametrize("name", PRODUCER)
def test_a_producer_refuses_it_at_once(client_api: Any, cluster: EmbeddedBroker, name: str) -> None:
    argument = PRODUCER[name]
    if client_api.name not in argument.flavours:
        pytest.skip("the other flavour has it")
    settings = {"transactional_id": name} if "offsets" in name else {}
    producer = client_api.Producer(bootstrap_servers=cluster.bootstrap_servers, **settings)
    if settings:
        producer.init_transactions(SECONDS)
        producer.begin_transaction()
    producer.send("t", b"value").result(SECONDS)
    assert refused(argument, producer) == []
    producer.send("t", b"value").result(SECONDS)
    if settings:
        producer.send_offsets_to_transaction({("t", 0): 1}, GROUP, SECONDS)
        producer.commit_transaction(SECONDS)
    producer.close()
    assert refused(argument, producer, ClosedError) == []


@pytest.mark.parametrize("name", CONSUMER)
def test_a_consumer_refuses_it_at_once(client_api: Any, cluster: EmbeddedBroker, name: str) -> None:
    argument = CONSUMER[name]
    if client_api.name not in argument.flavours:
        pytest.skip("the other flavour has it")
    consumer = client_api.Consumer(bootstrap_servers=cluster.bootstrap_servers, group_id="group")
    consumer.assign([("t", 0)])
    assert refused(argument, consumer) == []
    assert consumer.position(("t", 0), timeout=SECONDS) >= 0
    consumer.close()
    assert refused(argument, consumer, ClosedError) == []


@pytest.mark.parametrize("name", ADMIN)
def test_an_admin_refuses_it_at_once(client_api: Any, cluster: EmbeddedBroker, name: str) -> None:
    admin = client_api.Admin(bootstrap_servers=cluster.bootstrap_servers)
    assert refused(ADMIN[name], admin) == []
    assert admin.list_topics(timeout=SECONDS)
    admin.close()


def test_an_index_that_is_no_place_is_an_index_error(cluster: EmbeddedBroker) -> None:
    with kafkars.Producer(bootstrap_servers=cluster.bootstrap_servers) as producer:
        sent = producer.send_many("t", [b"1", b"2"])
        assert sent[-1].result(SECONDS).offset == sent[1].result(SECONDS).offset
        for wrong in (2, -3, *BEYOND.values()):
            with pytest.raises(IndexError):
                sent[wrong]  # type: ignore[index]

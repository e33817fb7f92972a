"""Calls of `Admin` that are given up: each thing is changed as a whole or not at all, and nothing is left of the
call."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable
from typing import Any

import pytest
from kafkars.admin import AclBinding, AclBindingFilter, ConfigResource, NewTopic, UserScramCredentialUpsertion
from kafkars.aio import Admin, Consumer
from kafkars.errors import KafkaError, SecurityDisabledError, UnknownTopicOrPartitionError
from kafkars.testing import EmbeddedBroker
from kafkars.types import TopicPartition

from tests.cancellation.conftest import History
from tests.cancellation.ways import SEED, WAYS, Subject, Way
from tests.support.leftovers import assert_no_more_than, belongings

BOTH = [TopicPartition("t2", 0), TopicPartition("t2", 1)]
SETTINGS = ConfigResource("topic", "t")

RULE = AclBinding("User:alice", "read", "topic", "t")
ALICE = UserScramCredentialUpsertion("alice", "SCRAM-SHA-256", "a password of nobody")


async def refused(call: Callable[[], Any], kind: type[KafkaError]) -> None:
    """A call that this cluster refuses."""
    with contextlib.suppress(kind):
        await call()


QUESTIONS: dict[str, Callable[[Admin], Any]] = {
    "list_topics": lambda admin: admin.list_topics(),
    "describe_topics": lambda admin: admin.describe_topics(["t", "t2"]),
    "describe_configs": lambda admin: admin.describe_configs([SETTINGS]),
    "list_groups": lambda admin: admin.list_groups(),
    "describe_groups": lambda admin: admin.describe_groups(["kept"]),
    "list_group_offsets": lambda admin: admin.list_group_offsets(["kept"]),
    "list_offsets": lambda admin: admin.list_offsets(dict.fromkeys(BOTH, 0)),
    "describe_cluster": lambda admin: admin.describe_cluster(),
    "find_coordinator": lambda admin: admin.find_coordinator("g"),
    "describe_acls": lambda admin: refused(admin.describe_acls, SecurityDisabledError),
    "describe_user_scram_credentials": lambda admin: admin.describe_user_scram_credentials(),
    "list_partition_reassignments": lambda admin: admin.list_partition_reassignments(),
    "describe_log_dirs": lambda admin: admin.describe_log_dirs(),
    "list_transactions": lambda admin: admin.list_transactions(),
    "describe_transactions": lambda admin: admin.describe_transactions(["nobody"], return_exceptions=True),
    "describe_producers": lambda admin: admin.describe_producers(BOTH),
    "checked only": lambda admin: admin.create_topics([NewTopic("never", 1, 1)], validate_only=True),
}
REPEATED: dict[str, Callable[[Admin], Any]] = {
    "alter_configs": lambda admin: admin.alter_configs({SETTINGS: {"retention.ms": "60000"}}),
    "create_partitions": lambda admin: admin.create_partitions({"t": 2}, return_exceptions=True),
    "delete_records": lambda admin: admin.delete_records({("t", 0): 0}),
    "delete_group_offsets": lambda admin: admin.delete_group_offsets("kept", [("t", 0)], return_exceptions=True),
    "delete_groups": lambda admin: admin.delete_groups(["other"], return_exceptions=True),
    "elect_leaders": lambda admin: admin.elect_leaders("preferred", BOTH, return_exceptions=True),
    "create_acls": lambda admin: admin.create_acls([RULE], return_exceptions=True),
    "delete_acls": lambda admin: admin.delete_acls([AclBindingFilter("User:alice")], return_exceptions=True),
    "alter_user_scram_credentials": lambda admin: admin.alter_user_scram_credentials([ALICE]),
    "alter_partition_reassignments": lambda admin: admin.alter_partition_reassignments(
        dict.fromkeys(BOTH), return_exceptions=True
    ),
    "abort_transaction": lambda admin: refused(
        lambda: admin.abort_transaction(("nowhere", 0), producer_id=1, producer_epoch=0), UnknownTopicOrPartitionError
    ),
}
CALLS_OF_THEIR_OWN = {"create_topics", "delete_topics", "alter_group_offsets", "close"}


def test_every_call_is_given_up_here() -> None:
    tried = QUESTIONS.keys() | REPEATED.keys() | CALLS_OF_THEIR_OWN
    public = {name for name in vars(Admin) if not name.startswith("_")} - {"closed", "metrics"}
    assert public <= tried, public - tried


def test_the_client_goes_on_after_calls_that_were_given_up(
    cluster: EmbeddedBroker, run: Callable[[History], None], cancels: int
) -> None:
    source = random.Random(SEED)
    calls = [*QUESTIONS.values(), *REPEATED.values()]

    async def main() -> None:
        async with Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
            await grouped(admin)
            for _ in range(cancels):
                ask, way = source.choice(calls), source.choice(WAYS)
                await way(Subject(lambda ask=ask: ask(admin)), source)
            for ask in calls:
                await ask(admin)
            assert await admin.list_topics() == ["t", "t2"]
            described = await admin.describe_topics(["t"])
            assert len(described["t"].partitions) == 2

    run(main)


def test_topics_are_created_and_deleted_as_wholes(
    cluster: EmbeddedBroker, run: Callable[[History], None], cancels: int
) -> None:
    source = random.Random(SEED)

    async def main() -> None:
        async with Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
            names = [f"new-{number}" for number in range(cancels // 10)]
            for name in names:
                wanted = [NewTopic(name, 3, 1, configs={"retention.ms": "60000"})]
                await source.choice(WAYS)(Subject(lambda wanted=wanted: admin.create_topics(wanted)), source)
            # What was asked before an answer to this one is done by now, or never will be.
            there = [name for name in await settled(admin) if name in names]
            for name, topic in (await admin.describe_topics(there)).items():
                assert len(topic.partitions) == 3, name
            for settings in (await admin.describe_configs([("topic", name) for name in there])).values():
                assert settings["retention.ms"].value == "60000"
            for name in there:
                await source.choice(WAYS)(Subject(lambda name=name: admin.delete_topics([name])), source)
            left = [name for name in await settled(admin) if name in names]
            assert await admin.delete_topics(left) == dict.fromkeys(left)
            assert await admin.list_topics() == ["t", "t2"]

    run(main)


async def grouped(admin: Admin) -> None:
    """A group that is not gone when an offset of it is."""
    await admin.alter_group_offsets("kept", dict.fromkeys([("t", 0), *BOTH], 1))


async def settled(admin: Admin) -> list[str]:
    """The topics once two looks agree."""
    seen: list[str] | None = None
    while (now := await admin.list_topics()) != seen:
        seen = now
    return now


def test_offsets_of_a_group_are_altered_as_a_whole_or_not(
    cluster: EmbeddedBroker, run: Callable[[History], None], cancels: int
) -> None:
    source = random.Random(SEED)

    async def main() -> None:
        async with Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
            for number in range(1, cancels // 5 + 1):
                alter = Subject(lambda number=number: admin.alter_group_offsets("g", dict.fromkeys(BOTH, number)))
                await source.choice(WAYS)(alter, source)
                found = (await admin.list_group_offsets(["g"], return_exceptions=True)).get("g", {})
                if not isinstance(found, KafkaError) and found:
                    assert len({metadata.offset for metadata in found.values()}) == 1, "half of a change"
                    assert len(found) == 2
            await admin.alter_group_offsets("g", dict.fromkeys(BOTH, 10_000))
            found = (await admin.list_group_offsets(["g"]))["g"]
            assert {metadata.offset for metadata in found.values()} == {10_000}

    run(main)


def warmed_up(cluster: EmbeddedBroker, run: Callable[[History], None]) -> None:
    """What the process and the broker make once is not left behind by a test."""

    async def ask() -> None:
        async with Consumer(bootstrap_servers=cluster.bootstrap_servers) as consumer:
            await consumer.topics()

    run(ask)


@pytest.mark.parametrize("way", WAYS)
def test_calls_that_are_given_up_leave_nothing(
    cluster: EmbeddedBroker, run: Callable[[History], None], way: Way
) -> None:
    source = random.Random(SEED)

    async def main() -> None:
        admin = Admin(bootstrap_servers=cluster.bootstrap_servers)
        await grouped(admin)
        for ask in [*QUESTIONS.values(), *REPEATED.values()]:
            await way(Subject(lambda ask=ask: ask(admin)), source)
        await admin.close()
        assert admin.closed

    warmed_up(cluster, run)
    before = belongings()
    run(main)
    assert_no_more_than(before)


@pytest.mark.parametrize("way", [way for way in WAYS if way.__name__ != "dropped"])
def test_a_close_that_has_begun_ends_the_client(
    cluster: EmbeddedBroker, run: Callable[[History], None], way: Way
) -> None:
    kept: list[Admin] = []

    async def main() -> None:
        admin = Admin(bootstrap_servers=cluster.bootstrap_servers)
        kept.append(admin)
        await admin.list_topics()
        await way(Subject(admin.close), random.Random(SEED))
        if not admin.closed:
            # It was given up before its first step, which closes nothing.
            await asyncio.wait_for(admin.close(), 10)

    warmed_up(cluster, run)
    before = belongings()
    run(main)
    # The object lives on, its connections do not.
    assert kept[0].closed
    assert_no_more_than(before)

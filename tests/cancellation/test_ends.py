"""Members of one group after each other, whose `close()`, `unsubscribe()` or `commit()` is given up: each begins where
the one before has left off, and an end that is waited for has committed all that was handed out."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import kafkars
import pytest
from kafkars.aio import Consumer
from kafkars.testing import EmbeddedBroker
from kafkars.types import TopicPartition

from tests.cancellation.conftest import History
from tests.cancellation.ways import SEED, WAYS, Subject
from tests.support.groups import PROTOCOLS

SECONDS = 10.0
MOST = 4
"""Records of one read."""

ONLY = TopicPartition("t", 0)
ENDS: dict[str, Callable[[Any], Any]] = {
    "close": lambda member: member.close(timeout=SECONDS),
    "unsubscribe": lambda member: member.unsubscribe(timeout=SECONDS),
    "commit": lambda member: member.commit(timeout=SECONDS),
}


async def handed_out(member: Consumer[Any, Any], source: random.Random) -> tuple[int, int, int]:
    """Two reads: the first offset, the first of the second, and the one behind the last."""
    offsets: list[int] = []
    second = 0
    for _ in range(2):
        second = offsets[-1] + 1 if offsets else 0
        batch: Any = []
        while not batch:
            batch = await member.poll_batch(source.randrange(1, MOST + 1), timeout=SECONDS)
        offsets += [record.offset for record in batch]
    assert offsets == list(range(offsets[0], offsets[-1] + 1))
    return offsets[0], second, offsets[-1] + 1


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_each_member_begins_where_the_one_before_has_left_off(
    cluster: EmbeddedBroker, run: Callable[[History], None], cancels: int, protocol: str
) -> None:
    count = max(cancels // 10, 1)
    with kafkars.Producer(bootstrap_servers=cluster.bootstrap_servers) as producer:
        producer.send_many("t", [b"x"] * (2 * MOST * (count + 1)))
    source = random.Random(SEED)

    async def main() -> None:
        settings: dict[str, Any] = {"session_timeout_ms": 60_000, "heartbeat_interval_ms": 50}
        if protocol == "consumer":
            settings = {}
        least = most = 0
        given_up: Counter[str] = Counter()
        for _ in range(count):
            revoked: list[Any] = []
            async with Consumer(
                bootstrap_servers=cluster.bootstrap_servers,
                group_id="g",
                group_protocol=protocol,
                auto_offset_reset="earliest",
                auto_commit_interval_ms=60_000,
                **settings,
            ) as member:
                member.subscribe(["t"], on_partitions_revoked=revoked.append)
                first, second, end = await handed_out(member, source)
                assert least <= first <= most, "a record is lost, or one that was finished is read again"
                least, most = second, end
                name, way = source.choice(list(ENDS)), source.choice(WAYS)
                # A read that is not the latest is finished, whatever becomes of the call.
                made: list[str] = []

                def make(name: str = name, member: Any = member, made: list[str] = made) -> Any:
                    made.append(name)
                    return ENDS[name](member)

                if await way(Subject(make), source):
                    least = most
                    assert bool(revoked) is (name != "commit")
                else:
                    given_up[f"{name} {way.__name__}"] += 1
                # A task that is cancelled before its first step has not made the call.
                assert member.closed is ("close" in made)
            # The end of a block finishes what is in hand, unless the member was closed in it.
            if name == "commit":
                least = most
        assert given_up.total() > count / 4

    run(main)

"""Messages without key stay with a partition for `sticky.partitioning.linger.ms`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compat.confluent.conftest import SECONDS, Clients
from tests.support.waiting import eventually

PARTITIONS, MESSAGES = 7, 60
RANDOM = ("consistent_random", "murmur2_random", "fnv1a_random", "random")


class Spread:
    """Produces to a topic of several partitions and notes where messages went."""

    def __init__(self, clients: Clients, **settings: Any) -> None:
        self.topic = clients.topic(PARTITIONS)
        self.producer = clients.producer({name.replace("_", "."): value for name, value in settings.items()})
        self.partitions: list[int] = []
        # The library goes on choosing until it is connected to the leader.
        self.of(None)

    def of(self, *keys: Any) -> set[int]:
        """The partitions of messages with these keys."""
        self.partitions.clear()
        for key in keys:
            self.producer.produce(
                self.topic, "value", key, on_delivery=lambda _, message: self.partitions.append(message.partition())
            )
        assert self.producer.flush(SECONDS) == 0
        assert len(self.partitions) == len(keys)
        return set(self.partitions)


@pytest.mark.parametrize("partitioner", RANDOM)
def test_messages_without_key_stay(clients: Clients, partitioner: str) -> None:
    spread = Spread(clients, partitioner=partitioner, sticky_partitioning_linger_ms=60_000)
    assert len(spread.of(*[None] * MESSAGES)) == 1
    assert len(spread.of(*map(str, range(MESSAGES)))) > 3


@pytest.mark.parametrize(("partitioner", "stays"), [("consistent_random", True), ("random", False)])
def test_an_empty_key_is_none_to_one_of_them(clients: Clients, partitioner: str, stays: bool) -> None:
    spread = Spread(clients, partitioner=partitioner, sticky_partitioning_linger_ms=60_000)
    assert (len(spread.of(*[b""] * MESSAGES)) == 1) is stays


@pytest.mark.parametrize("partitioner", RANDOM)
def test_without_a_time_each_has_its_own(clients: Clients, partitioner: str) -> None:
    assert len(Spread(clients, partitioner=partitioner, sticky_partitioning_linger_ms=0).of(*[None] * MESSAGES)) > 3


def test_they_move_when_the_time_is_over(clients: Clients) -> None:
    spread = Spread(clients, sticky_partitioning_linger_ms=5)
    seen: set[int] = set()
    eventually(lambda: seen.update(spread.of(None)) or len(seen) > 3, "they have moved three times")

"""A loop that is closed while a task waits for any of the awaitables keeps neither the task nor what that has."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator
from typing import Any

import kafkars
import pytest
from kafkars.testing import EmbeddedBroker, EmbeddedCluster

from tests.awaiting import consumers, producers
from tests.awaiting.case import Case, World, outcome
from tests.awaiting.conftest import RECORDS
from tests.awaiting.ways import plainly
from tests.support.waiting import SECONDS


@pytest.fixture
def world() -> Iterator[World]:
    """Of one case's own: a scene that has no end leaves its faults."""
    with EmbeddedBroker(topics={"t": 1, "w": 1}) as broker, EmbeddedCluster(nodes=2, topics={"p": 2}) as two_leaders:
        with kafkars.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send_many("t", [b"%d" % number for number in range(RECORDS)])
        yield World(broker, two_leaders)


# Of clients that nobody closes, and of tasks that nobody ends.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("turns", [1, 2])
@pytest.mark.parametrize("case", consumers.CASES + producers.CASES, ids=str)
def test_a_loop_that_is_closed_keeps_no_task(world: World, case: Case, turns: int) -> None:
    """A task and the call that it awaits refer to each other, and calls take no part in garbage collection."""

    def left_over() -> weakref.ref[Any]:
        loop = asyncio.new_event_loop()
        loop.set_exception_handler(lambda *_: None)
        scene = case.scene(world)
        subject = loop.run_until_complete(asyncio.wait_for(scene.__aenter__(), SECONDS))
        task = loop.create_task(outcome(subject, plainly(subject.make)))
        for _ in range(turns):
            loop.run_until_complete(asyncio.sleep(0))
        loop.close()
        return weakref.ref(task)

    left = left_over()
    # Loops that were closed are looked for where a client is made.
    with kafkars.Producer(bootstrap_servers=world.broker.bootstrap_servers):
        gc.collect()
        assert left() is None

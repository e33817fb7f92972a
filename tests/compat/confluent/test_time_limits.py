"""Every call that has a time limit wants a number: None is refused at once, whatever the client's state."""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

NOWHERE = {"bootstrap.servers": "127.0.0.1:9", "log_level": 0}
SOON = 5.0
"""Seconds that no call takes which is refused at once."""

CONSUMER: dict[str, Callable[[Any, Any], Any]] = {
    "poll": lambda made, _: made.poll(None),
    "poll, by name": lambda made, _: made.poll(timeout=None),
    "consume": lambda made, _: made.consume(1, None),
    "committed": lambda made, place: made.committed([place], timeout=None),
    "get_watermark_offsets": lambda made, place: made.get_watermark_offsets(place, timeout=None),
    "offsets_for_times": lambda made, place: made.offsets_for_times([place], timeout=None),
    "list_topics": lambda made, _: made.list_topics(timeout=None),
    "cluster_id": lambda made, _: made.cluster_id(timeout=None),
}
PRODUCER: dict[str, Callable[[Any, Any], Any]] = {
    "poll": lambda made, _: made.poll(None),
    "flush": lambda made, _: made.flush(None),
    "flush, by name": lambda made, _: made.flush(timeout=None),
    "init_transactions": lambda made, _: made.init_transactions(None),
    "send_offsets_to_transaction": lambda made, place: made.send_offsets_to_transaction([place], None, None),
    "commit_transaction": lambda made, _: made.commit_transaction(None),
    "abort_transaction": lambda made, _: made.abort_transaction(None),
    "list_topics": lambda made, _: made.list_topics(timeout=None),
    "cluster_id": lambda made, _: made.cluster_id(timeout=None),
}
ADMINISTRATOR: dict[str, Callable[[Any], Any]] = {
    "poll": lambda made: made.poll(None),
    "list_topics": lambda made: made.list_topics(timeout=None),
    "list_groups": lambda made: made.list_groups(timeout=None),
    "cluster_id": lambda made: made.cluster_id(timeout=None),
    "describe_cluster": lambda made: made.describe_cluster(request_timeout=None),
    "delete_topics": lambda made: made.delete_topics(["topic"], operation_timeout=None),
}


def refused(call: Callable[[], Any]) -> None:
    began = time.monotonic()
    with pytest.raises(TypeError):
        call()
    assert time.monotonic() - began < SOON


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("call", CONSUMER)
def test_a_consumer_wants_a_number(ck: ModuleType, call: str, closed: bool) -> None:
    made = ck.Consumer({**NOWHERE, "group.id": "group"})
    if closed:
        made.close()
    refused(lambda: CONSUMER[call](made, ck.TopicPartition("topic", 0, 1)))
    made.close()


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("call", PRODUCER)
def test_a_producer_wants_a_number(ck: ModuleType, call: str, closed: bool) -> None:
    made = ck.Producer({**NOWHERE, "transactional.id": "id"})
    if closed:
        made.close()
    refused(lambda: PRODUCER[call](made, ck.TopicPartition("topic", 0, 1)))
    made.close()


@pytest.mark.parametrize("call", ADMINISTRATOR)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_administrator_wants_a_number(ck: ModuleType, call: str) -> None:
    with importlib.import_module(f"{ck.__name__}.admin").AdminClient(NOWHERE) as made:
        refused(lambda: ADMINISTRATOR[call](made))


@pytest.mark.parametrize("client", ["consumer", "producer"])
def test_clients_for_asyncio_want_a_number(ck: ModuleType, client: str) -> None:
    aio = importlib.import_module(f"{ck.__name__}.aio")
    place = ck.TopicPartition("topic", 0, 1)

    async def work() -> None:
        if client == "consumer":
            made, calls = aio.AIOConsumer({**NOWHERE, "group.id": "group"}), CONSUMER
        else:
            made, calls = aio.AIOProducer({**NOWHERE, "transactional.id": "id"}), PRODUCER
        for call in calls.values():
            with pytest.raises(TypeError):
                await asyncio.wait_for(call(made, place), SOON)
        await made.close()

    asyncio.run(work())

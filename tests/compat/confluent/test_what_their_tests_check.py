"""What the tests of confluent_kafka itself check, beyond classes and codes of errors: how their texts begin, and where
its clients are imported from.
"""

from __future__ import annotations

import asyncio
import importlib
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

NOWHERE = {"bootstrap.servers": "127.0.0.1:1"}
Make = Callable[[Any], Any]


def admin(ck: Any) -> Any:
    return importlib.import_module(f"{ck.__name__}.admin").AdminClient(NOWHERE)


def preferred(ck: Any) -> Any:
    return ck.ElectionType.PREFERRED


REFUSED: dict[str, tuple[Make, str]] = {
    "no settings": (lambda ck: ck.Producer(), "expected configuration dict"),
    "settings of a consumer": (lambda ck: ck.Consumer(), "expected configuration dict"),
    "a word mistyped": (
        lambda ck: ck.Producer({**NOWHERE, "partitioner": "murmur"}),
        'Invalid value for configuration property "partitioner": murmur',
    ),
    "a message": (
        lambda ck: ck.Producer(NOWHERE).produce_batch("t", [{}, "s"]),
        "Message at index 1 must be a dict",
    ),
    "a value": (
        lambda ck: ck.Producer(NOWHERE).produce_batch("t", [{"value": 1}]),
        "Message value at index 0 must be bytes or str",
    ),
    "a key": (
        lambda ck: ck.Producer(NOWHERE).produce_batch("t", [{"value": b"", "key": []}]),
        "Message key at index 0 must be bytes or str",
    ),
    "a partition": (
        lambda ck: ck.Producer(NOWHERE).produce_batch("t", [{"value": b"", "partition": "x"}]),
        "Message partition at index 0 must be int",
    ),
    "a timestamp": (
        lambda ck: ck.Producer(NOWHERE).produce_batch("t", [{"value": b"", "timestamp": 1}]),
        "Message timestamps are not currently supported in batch mode",
    ),
    "records": (lambda ck: admin(ck).delete_records(None), "Expected Request to be a list, got 'NoneType'"),
    "a record": (
        lambda ck: admin(ck).delete_records(["x"]),
        "Element of the request list must be of type 'TopicPartition' got 'str'",
    ),
    "partitions": (
        lambda ck: admin(ck).elect_leaders(preferred(ck), "1"),
        "Expected 'partitions' to be a list, got 'str'",
    ),
    "no partition": (
        lambda ck: admin(ck).elect_leaders(preferred(ck), [None]),
        "Element of the 'partitions' list must be of type 'TopicPartition'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_texts_of_errors_begin_alike(ck: ModuleType, case: str) -> None:
    make, text = REFUSED[case]
    with pytest.raises(Exception, match=re.escape(text)):
        make(ck)


def test_the_number_of_messages_that_is_refused(ck: Any) -> None:
    consumer = ck.Consumer({**NOWHERE, "group.id": "g"})
    with pytest.raises(ValueError) as raised:  # noqa: PT011  its text is below
        consumer.consume(-100)
    assert str(raised.value) == "num_messages must be between 0 and 1000000 (1M)"
    consumer.close()


def test_the_number_of_workers_that_is_refused(ck: ModuleType) -> None:
    clients: Any = importlib.import_module(f"{ck.__name__}.aio")

    async def main() -> None:
        with pytest.raises(ValueError, match="max_workers must be at least 1"):
            clients.AIOConsumer({**NOWHERE, "group.id": "g"}, max_workers=0)
        with pytest.raises(ValueError, match="max_workers must be greater than 0"):
            clients.AIOProducer(NOWHERE, max_workers=0)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("module", "name"), [("aio._AIOConsumer", "AIOConsumer"), ("aio.producer._AIOProducer", "AIOProducer")]
)
def test_clients_are_where_suites_import_them_from(ck: ModuleType, module: str, name: str) -> None:
    clients = importlib.import_module(f"{ck.__name__}.aio")
    assert getattr(importlib.import_module(f"{ck.__name__}.{module}"), name) is getattr(clients, name)

"""What an application calls: each call that needs a cluster, with a time-out far beyond what it may take."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from tests.security.matrix.site import GUARDED, OPEN

PATIENCE = 30.0
"""Seconds that a call is given. It must hear of a fault long before."""
NUMBERS = itertools.count(1)
Call = Callable[[Any, dict[str, Any]], None]


def list_topics(api: Any, settings: dict[str, Any]) -> None:
    with api.Admin(**settings) as admin:
        admin.list_topics(timeout=PATIENCE)


def send(api: Any, settings: dict[str, Any], topic: str = OPEN) -> None:
    with api.Producer(**settings) as producer:
        producer.send(topic, b"v").result(PATIENCE)


def send_many(api: Any, settings: dict[str, Any]) -> None:
    with api.Producer(**settings) as producer:
        failures = producer.send_many(OPEN, [b"v"]).failures(PATIENCE)
        for error in failures.values():
            raise error


def init_transactions(api: Any, settings: dict[str, Any], name: str = OPEN) -> None:
    with api.Producer(**settings, transactional_id=f"{name}-{next(NUMBERS)}") as producer:
        producer.init_transactions(PATIENCE)


def partitions_for(api: Any, settings: dict[str, Any]) -> None:
    with api.Producer(**settings) as producer:
        producer.partitions_for(OPEN, timeout=PATIENCE)


def poll(api: Any, settings: dict[str, Any], topic: str = OPEN) -> None:
    with api.Consumer(**settings) as consumer:
        consumer.assign([(topic, 0)])
        consumer.poll(PATIENCE)


def poll_batch(api: Any, settings: dict[str, Any]) -> None:
    with api.Consumer(**settings) as consumer:
        consumer.assign([(OPEN, 0)])
        consumer.poll_batch(timeout=PATIENCE)


def iterate(api: Any, settings: dict[str, Any]) -> None:
    with api.Consumer(**settings, default_api_timeout_ms=int(PATIENCE * 1000)) as consumer:
        consumer.assign([(OPEN, 0)])
        next(iter(consumer))


def poll_as_member(api: Any, settings: dict[str, Any], group: str = OPEN) -> None:
    with api.Consumer(**settings, group_id=f"{group}-{next(NUMBERS)}") as consumer:
        consumer.subscribe([OPEN])
        consumer.poll(PATIENCE)


def committed(api: Any, settings: dict[str, Any]) -> None:
    with api.Consumer(**settings, group_id=OPEN) as consumer:
        consumer.committed([(OPEN, 0)], timeout=PATIENCE)


def position(api: Any, settings: dict[str, Any]) -> None:
    with api.Consumer(**settings) as consumer:
        consumer.assign([(OPEN, 0)])
        consumer.position((OPEN, 0), timeout=PATIENCE)


def end_offsets(api: Any, settings: dict[str, Any]) -> None:
    with api.Consumer(**settings) as consumer:
        consumer.end_offsets([(OPEN, 0)], timeout=PATIENCE)


CALLS: dict[str, Call] = {
    "Admin.list_topics": list_topics,
    "Producer.send": send,
    "Producer.send_many": send_many,
    "Producer.init_transactions": init_transactions,
    "Producer.partitions_for": partitions_for,
    "Consumer.poll": poll,
    "Consumer.poll_batch": poll_batch,
    "Consumer iterated": iterate,
    "Consumer.poll as member": poll_as_member,
    "Consumer.committed": committed,
    "Consumer.position": position,
    "Consumer.end_offsets": end_offsets,
}
"""Calls that a login or a handshake stands before."""


def everything(api: Any, settings: dict[str, Any], name: str) -> None:
    """A record out and in, in a transaction and in a group."""
    value = f"v{next(NUMBERS)}".encode()
    with api.Producer(**settings, transactional_id=f"{name}-{next(NUMBERS)}") as producer:
        producer.init_transactions(PATIENCE)
        producer.begin_transaction()
        sent = producer.send(name, value)
        producer.commit_transaction(PATIENCE)
        place = sent.result(PATIENCE)
    with api.Consumer(**settings, group_id=f"{name}-{next(NUMBERS)}", isolation_level="read_committed") as consumer:
        consumer.assign([(name, 0)])
        consumer.seek((name, 0), place.offset)
        record = consumer.poll(PATIENCE)
        assert record is not None
        assert record.value == value
        consumer.commit({(name, 0): record.offset + 1}, timeout=PATIENCE)


GUARDED_CALLS: dict[str, Call] = {
    "topic": lambda api, settings: send(api, settings, GUARDED),
    "topic read": lambda api, settings: poll(api, settings, GUARDED),
    "group": lambda api, settings: poll_as_member(api, settings, GUARDED),
    "transaction": lambda api, settings: init_transactions(api, settings, GUARDED),
}

"""The brokers that tests run on, behind one set of names."""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Mapping
from typing import Any, NoReturn, Protocol

import pytest

from tests.kafka import wire
from tests.kafka.cluster import wait_until

TOPIC_NUMBERS = itertools.count(1)
SECONDS = 30.0


class Started(Protocol):
    """What every kind of broker has."""

    @property
    def bootstrap_servers(self) -> str: ...


class Broker:
    """A running broker of either kind."""

    def __init__(self, kind: str, started: Started | str) -> None:
        self.kind = kind
        # The embedded broker's handle, the real cluster, or an address given with --bootstrap.
        self.handle: Any = started
        self.bootstrap_servers = started if isinstance(started, str) else started.bootstrap_servers

    def new_topic(
        self,
        partitions: int = 1,
        settings: Mapping[str, str] | None = None,
        name: str = "topic",
        seconds: float = SECONDS,
    ) -> str:
        """Creates a topic that no other test has and waits until it has leaders."""
        topic = f"{name}-{os.getpid()}-{next(TOPIC_NUMBERS)}"
        addresses = self.bootstrap_servers.split(",")
        wire.create_topic(addresses[0], topic, partitions, 1, settings or {}, seconds=seconds)
        wait_until(
            lambda: all(wire.metadata(address, topic, seconds).led_partitions == partitions for address in addresses),
            seconds,
            f"topic {topic} has leaders",
        )
        return topic


def why_no_kafka() -> str | None:
    """Why a real Kafka cannot be started here, or None."""
    missing = [tool for tool in ("java", "mvn") if shutil.which(tool) is None]
    return f"no {' and no '.join(missing)} on PATH to run Apache Kafka" if missing else None


def in_ci() -> bool:
    return os.environ.get("CI", "").lower() not in {"", "0", "false"}


def leave_out(reason: str) -> NoReturn:
    """Skips the test on a developer's machine, and says so; in CI nothing may be left out: the test fails."""
    if in_ci():
        pytest.fail(reason)
    pytest.skip(reason)

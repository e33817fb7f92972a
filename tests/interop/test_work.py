"""Clients do ordinary work by one script, on either broker, and every one of them sees the same: those of others, and
ours."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator

import pytest

from tests.brokers import Broker
from tests.interop.work.aiokafka import AiokafkaWorker
from tests.interop.work.confluent import ConfluentWorker
from tests.interop.work.java import JavaWorker
from tests.interop.work.kafka_python import KafkaPythonWorker
from tests.interop.work.kafkars import KafkarsWorker
from tests.interop.work.kafkars_aio import AsyncKafkarsWorker
from tests.interop.work.kcat import KcatWorker
from tests.interop.work.script import STEPS, Names, carry_out
from tests.interop.work.worker import Worker
from tests.support.java_shell import JavaShell
from tests.support.kcat import KcatUnavailableError
from tests.support.kcat import command as kcat

NUMBERS = itertools.count(1)
OTHERS = [ConfluentWorker, KafkaPythonWorker, AiokafkaWorker, KcatWorker, JavaWorker]
OURS = [KafkarsWorker, AsyncKafkarsWorker]
# Java's tools come with the jars of Kafka, so they run where Kafka does.
EACH = [pytest.param(kind, marks=[pytest.mark.kafka] if kind is JavaWorker else []) for kind in OTHERS + OURS]


@pytest.fixture
def names() -> Names:
    number = f"{os.getpid()}-{next(NUMBERS)}"
    return Names(*(f"work-{number}-{what}" for what in ("topic", "other", "group", "copiers")))


@pytest.fixture(scope="module")
def shell() -> Iterator[JavaShell]:
    with JavaShell() as started:
        yield started


@pytest.fixture
def make(request: pytest.FixtureRequest) -> Callable[[type[Worker], str], Worker]:
    def made(kind: type[Worker], bootstrap: str) -> Worker:
        if kind is JavaWorker:
            return JavaWorker(bootstrap, request.getfixturevalue("shell"))
        if kind is KcatWorker:
            try:
                kcat()
            except KcatUnavailableError as why:
                # Not a failure in CI either: whether a mirror of Debian's is in reach says nothing of the brokers, and
                # kcat is librdkafka, as confluent-kafka is.
                pytest.skip(str(why))
        return kind(bootstrap)

    return made


# The first run fetches kcat.
@pytest.mark.timeout(240)
@pytest.mark.parametrize("kind", EACH, ids=lambda kind: kind.name)
def test_ordinary_work(broker: Broker, make: Callable[..., Worker], kind: type[Worker], names: Names) -> None:
    worker, substitute = make(kind, broker.bootstrap_servers), make(ConfluentWorker, broker.bootstrap_servers)
    try:
        seen, expected = carry_out(worker, substitute, names)
    finally:
        worker.close()
    assert seen == expected


@pytest.mark.parametrize("kind", OURS, ids=lambda kind: kind.name)
def test_ours_do_every_step(kind: type[Worker]) -> None:
    assert kind.lacks == {}


def test_every_step_is_done_by_several_clients_of_others() -> None:
    for step in STEPS:
        able = [kind.name for kind in OTHERS if not set(step.needs) & set(kind.lacks)]
        assert len(able) >= 2, f"{step.name} is done by {able} only"

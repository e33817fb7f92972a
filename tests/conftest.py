"""Fixtures for all tests: brokers, client flavours, topics."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from tests.brokers import Broker, in_ci, leave_out, why_no_kafka
from tests.kafka import KafkaCluster, KafkaOptions, jars
from tests.support import java_tools

pytest_plugins = ["tests.support.machine", "tests.support.workers"]

# How long a generated case takes says nothing on a machine that works on other things too; each test has a time limit.
# CI looks at the same cases each time: what it says is about the change; people who run the tests look at new ones.
hypothesis.settings.register_profile("kafkars", deadline=None, derandomize=in_ci())
hypothesis.settings.load_profile("kafkars")

SHARED_KAFKA = pytest.StashKey[KafkaCluster]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("kafka")
    group.addoption("--bootstrap", metavar="HOST:PORT", help="use this Kafka instead of starting one")
    group.addoption("--chaos-long", action="store_true", help="tests/chaos in full instead of a minute each")
    group.addoption("--chaos-seed", type=int, default=0, help="which nodes tests/chaos kills, and when")
    group.addoption("--instrumented", action="store_true", help="clients of behaviour tests make spans (OpenTelemetry)")
    group.addoption("--kafka-version", default=KafkaOptions.version, help="of the Kafka that is started")
    group.addoption("--share-kafka", action="store_true", help="one Kafka for all processes of pytest -n, not one each")


def pytest_configure(config: pytest.Config) -> None:
    # A shell starts background jobs with Ctrl+C ignored, and programs they start inherit that: the tests of signals
    # would wait for ever.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if shares_kafka(config):
        config.stash[SHARED_KAFKA] = KafkaCluster(kafka_options(config)).start()


def pytest_unconfigure(config: pytest.Config) -> None:
    if (cluster := config.stash.get(SHARED_KAFKA, None)) is not None:
        cluster.stop()


def shares_kafka(config: pytest.Config) -> bool:
    """True in the process that hands tests out to others, if they need a Kafka and can have one."""
    hands_out = config.getoption("share_kafka") and not hasattr(config, "workerinput")
    wanted = "kafka" in config.option.markexpr.replace("not kafka", "")
    return bool(hands_out and wanted and not config.getoption("--bootstrap") and why_no_kafka() is None)


def kafka_options(config: pytest.Config) -> KafkaOptions:
    """The one Kafka of a run, which is never ended and started again."""
    return KafkaOptions(
        version=config.getoption("--kafka-version"),
        properties={
            # Compaction is looked for every 15 s by default.
            "log.cleaner.backoff.ms": "200",
            # A node that a busy machine has held up for longer gives itself up, and answers nobody while it takes each
            # of some 10,000 partitions out of service and back: half a minute on two cores.
            "broker.session.timeout.ms": "120000",
        },
    )


FIRST_TRY_LINES = 40
"""How much is told of a test that failed and passed when it was run again."""


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Tells why first tries failed, and `make test` (scripts/run_layers.py) of which tests."""
    file = os.environ.get("KAFKARS_SECOND_TRIES")
    reruns = terminalreporter.stats.get("rerun", [])
    for report in reruns:
        terminalreporter.section(f"the first try of {report.nodeid}", sep="-")
        terminalreporter.line("\n".join(report.longreprtext.splitlines()[-FIRST_TRY_LINES:]))
        for _, told in report.get_sections("the machine"):
            terminalreporter.line(told)
    again = [report.nodeid for report in reruns]
    if file and again and not hasattr(terminalreporter.config, "workerinput"):
        with Path(file).open("a", encoding="utf-8") as opened:
            opened.writelines(f"{nodeid}\n" for nodeid in again)


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_configure_node(node: Any) -> None:
    """Tells a process that runs tests where the shared Kafka is."""
    if (cluster := node.config.stash.get(SHARED_KAFKA, None)) is not None:
        node.workerinput["shared_kafka"] = cluster.bootstrap_servers
        node.workerinput["shared_kafka_data"] = [str(each.data) for each in cluster.nodes]


@dataclass(frozen=True)
class SharedKafka:
    """A `KafkaCluster` that another process has started, and stops."""

    bootstrap_servers: str
    options: KafkaOptions
    data: tuple[Path, ...]
    """Each node's folder of logs."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On an older Kafka, leaves out what it has not."""
    release = int(config.getoption("--kafka-version").split(".")[0])
    too_new = {item for item in items if item.get_closest_marker("kafka") and release < needed_release(item)}
    config.hook.pytest_deselected(items=list(too_new))
    items[:] = [item for item in items if item not in too_new]


def needed_release(item: pytest.Item) -> int:
    """4 for the consumer group protocol (KIP-848) and commits by id, 3 for administration of transactions (KIP-664)."""
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    newest = any(item.get_closest_marker(marker) for marker in ("kip_848", "commits_by_id"))
    if newest or parameters.get("protocol") == "consumer":
        return 4
    return 3 if item.get_closest_marker("kip_664") is not None else 0


def pytest_collection_finish(session: pytest.Session) -> None:
    """Gets Kafka's jars before the first test: a download must not count against a test's time limit."""
    config = session.config
    wanted = any(item.get_closest_marker("kafka") for item in session.items)
    if not wanted or config.option.collectonly or config.getoption("--bootstrap") or why_no_kafka():
        return
    jars.fetch(config.getoption("--kafka-version"))
    jars.fetch_tools(java_tools.VERSION)


@pytest.fixture(scope="session")
def kafka_cluster(request: pytest.FixtureRequest) -> Iterator[Broker]:
    """Real Kafka, one for the whole run: started when the first test asks for it, or before by --share-kafka."""
    given = request.config.getoption("--bootstrap")
    if given:
        yield Broker("kafka", given)
        return
    reason = why_no_kafka()
    if reason is not None:
        leave_out(reason)
    options = kafka_options(request.config)
    shared = getattr(request.config, "workerinput", {}).get("shared_kafka")
    if shared is not None:
        data = tuple(Path(each) for each in request.config.workerinput["shared_kafka_data"])  # type: ignore[attr-defined]
        yield Broker("kafka", SharedKafka(shared, options, data))
        return
    with KafkaCluster(options) as cluster:
        yield Broker("kafka", cluster)


@pytest.fixture(scope="session")
def embedded_broker() -> Iterator[Broker]:
    """The broker of kafkars.testing, one for the whole run."""
    from kafkars.testing import EmbeddedBroker  # tests of the harness alone need no build

    with EmbeddedBroker() as started:
        yield Broker("embedded", started)


@pytest.fixture(params=["embedded", pytest.param("kafka", marks=pytest.mark.kafka)])
def broker(request: pytest.FixtureRequest) -> Broker:
    """Each test runs on the embedded broker and on real Kafka."""
    found: Broker = request.getfixturevalue("embedded_broker" if request.param == "embedded" else "kafka_cluster")
    return found


@pytest.fixture
def topic(broker: Broker) -> str:
    """A topic with one partition that no other test has."""
    return broker.new_topic()


@pytest.fixture(params=["sync", "asyncio"])
def client_api(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Each test runs with the sync and with the asyncio clients; see tests/client_api.py."""
    from tests.client_api import AsyncApi, SyncApi  # see embedded_broker

    adapt: Callable[[Any], Any] | None = None
    if request.config.getoption("--instrumented"):
        from kafkars.opentelemetry import instrument as adapt
    if request.param == "sync":
        yield SyncApi(adapt)
        return
    api = AsyncApi(adapt)
    yield api
    api.close()

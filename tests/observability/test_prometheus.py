"""What Prometheus reads of clients, as text."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import weakref
from typing import Any

import kafkars
import pytest
from kafkars import aio
from kafkars.errors import ClosedError
from kafkars.metrics import ConnectionMetrics, ConsumerMetrics, ProducerMetrics, described
from kafkars.prometheus import instrument
from kafkars.testing import EmbeddedBroker
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from tests.support.clients import Clients, read
from tests.support.waiting import SECONDS

Sample = tuple[str, frozenset[tuple[str, str]]]


@pytest.fixture
def registry() -> CollectorRegistry:
    return CollectorRegistry()


def scrape(registry: CollectorRegistry) -> dict[Sample, float]:
    """Every series of the text that Prometheus would get; it refuses two of the same name and labels."""
    samples = [
        ((sample.name, frozenset(sample.labels.items())), sample.value)
        for family in text_string_to_metric_families(generate_latest(registry).decode())
        for sample in family.samples
    ]
    assert len(dict(samples)) == len(samples)
    return dict(samples)


def native(client: Any) -> Any:
    """The client itself, of whatever flavour."""
    return getattr(client, "_client", client)


def series(name: str, **labels: str) -> Sample:
    return name, frozenset(labels.items())


def test_counters_of_a_producer_and_a_consumer(clients: Clients, topic: str, registry: CollectorRegistry) -> None:
    producer = clients.producer(client_id="shop")
    consumer = clients.consumer([(topic, 0)], client_id="till")
    for client in (producer, consumer):
        assert instrument(native(client), registry=registry) is native(client)
    for _ in range(7):
        producer.send(topic, b"value", partition=0)
    producer.flush(SECONDS)
    read(consumer, 5)
    found = scrape(registry)
    of_producer = {"client_id": "shop", "client_type": "producer"}
    of_consumer = {"client_id": "till", "client_type": "consumer"}
    assert found[series("kafkars_producer_records_sent_total", **of_producer)] == 7
    assert found[series("kafkars_producer_unacknowledged", **of_producer)] == 0
    assert found[series("kafkars_consumer_records_consumed_total", **of_consumer)] == 5
    assert found[series("kafkars_consumer_assigned", **of_consumer)] == 1
    at = {"topic": topic, "partition": "0"}
    assert found[series("kafkars_producer_partition_records_sent_total", **of_producer, **at)] == 7
    sent = found[series("kafkars_producer_bytes_sent_total", **of_producer)]
    assert found[series("kafkars_producer_partition_bytes_sent_total", **of_producer, **at)] == sent
    assert found[series("kafkars_consumer_lag_records", **of_consumer, **at)] == consumer.lags()[topic, 0]


def test_every_figure_is_a_series_of_its_kind(clients: Clients, topic: str, registry: CollectorRegistry) -> None:
    producer = clients.producer()
    consumer = clients.consumer([(topic, 0)])
    for client in (producer, consumer):
        instrument(native(client), registry=registry)
    producer.send(topic, b"value", partition=0).result(SECONDS)
    read(consumer, 1)
    families = {each.name: each for each in text_string_to_metric_families(generate_latest(registry).decode())}
    groups = {
        "producer": (ProducerMetrics, {"client_id", "client_type"}),
        "consumer": (ConsumerMetrics, {"client_id", "client_type"}),
        "client": (ConnectionMetrics, {"client_id", "client_type"}),
        "node": (ConnectionMetrics, {"client_id", "client_type", "node"}),
    }
    for group, (figures, labels) in groups.items():
        for name, metric in described(figures).items():
            family = families[f"kafkars_{group}_{name.replace('_ms', '_seconds')}"]
            assert family.type == metric.kind
            assert family.documentation == metric.description
            assert family.samples
            for sample in family.samples:
                assert sample.name.endswith("_total") == (metric.kind == "counter")
                assert set(sample.labels) == labels


def test_nodes_have_figures_of_their_own(registry: CollectorRegistry) -> None:
    with (
        EmbeddedBroker(nodes=3, topics={"t": 6}) as broker,
        kafkars.Producer(bootstrap_servers=broker.bootstrap_servers) as producer,
    ):
        instrument(producer, registry=registry, partitions=False)
        for partition in range(6):
            producer.send("t", b"value", partition=partition)
        producer.flush(SECONDS)
        found, running = scrape(registry), {str(node) for node in broker.nodes}
    nodes = {dict(labels)["node"] for name, labels in found if name == "kafkars_node_requests_sent_total"}
    assert nodes == running
    # Those of partitions were not wanted.
    assert not [name for name, labels in found if "partition" in dict(labels)]


def test_closed_and_forgotten_clients_disappear(registry: CollectorRegistry) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        settings = {"bootstrap_servers": broker.bootstrap_servers}
        closed = instrument(kafkars.Producer(**settings, client_id="closed"), registry=registry)
        forgotten = instrument(kafkars.Consumer(**settings, client_id="forgotten"), registry=registry)
        with instrument(kafkars.Producer(**settings, client_id="open"), registry=registry):
            assert ids(registry) == {"closed", "forgotten", "open"}
            closed.close()
            assert ids(registry) == {"forgotten", "open"}
            forgotten.close()
            del forgotten
            gc.collect()
            assert ids(registry) == {"open"}
    assert ids(registry) == set()


def ids(registry: CollectorRegistry) -> set[str]:
    return {dict(labels)["client_id"] for _, labels in scrape(registry)}


def test_a_client_is_not_kept_alive(registry: CollectorRegistry) -> None:
    client = instrument(kafkars.Producer(bootstrap_servers="127.0.0.1:1"), registry=registry)
    assert ids(registry) == {"kafkars"}
    known = weakref.ref(client)
    del client
    gc.collect()
    assert known() is None
    assert ids(registry) == set()


def test_what_is_no_client_is_refused(registry: CollectorRegistry) -> None:
    with (
        EmbeddedBroker() as broker,
        pytest.raises(TypeError, match=r"Producer, Consumer or Admin .* not EmbeddedBroker"),
    ):
        instrument(broker, registry=registry)  # type: ignore[type-var]


@pytest.mark.parametrize("kind", [kafkars.Producer, kafkars.Consumer, kafkars.Admin])
def test_a_closed_client_is_refused(kind: Any, registry: CollectorRegistry) -> None:
    client = kind(bootstrap_servers="127.0.0.1:1")
    client.close()
    with pytest.raises(ClosedError, match=f"the {kind.__name__.lower()} is closed, so nothing"):
        instrument(client, registry=registry)


def test_connections_of_administrators(registry: CollectorRegistry) -> None:
    async def of_asyncio(servers: str) -> dict[Sample, float]:
        async with aio.Admin(bootstrap_servers=servers, client_id="ops") as admin:
            instrument(admin, registry=registry)
            await admin.list_topics()
            return scrape(registry)

    labels = {"client_id": "ops", "client_type": "admin"}
    with EmbeddedBroker(topics={"t": 1}) as broker:
        with kafkars.Admin(bootstrap_servers=broker.bootstrap_servers, client_id="ops") as admin:
            assert instrument(admin, registry=registry) is admin
            admin.list_topics()
            found = scrape(registry)
        assert found[series("kafkars_client_requests_sent_total", **labels)] > 0
        assert [name for name, _ in found if name.startswith("kafkars_node_")]
        assert ids(registry) == set()
        found = asyncio.run(of_asyncio(broker.bootstrap_servers))
    assert found[series("kafkars_client_requests_sent_total", **labels)] > 0


def test_clients_of_one_name_are_told_apart(registry: CollectorRegistry) -> None:
    with EmbeddedBroker() as broker:

        def producer(client_id: str) -> Any:
            return instrument(
                kafkars.Producer(bootstrap_servers=broker.bootstrap_servers, client_id=client_id), registry=registry
            )

        first, second = producer("shop"), producer("shop-2")
        third = producer("shop")
        assert ids(registry) == {"shop", "shop-2", "shop-3"}
        # A name that is free again is taken again: Prometheus sees a counter that starts over.
        first.close()
        fourth = producer("shop")
        assert ids(registry) == {"shop", "shop-2", "shop-3"}
        assert instrument(second, registry=registry) is second
        assert ids(registry) == {"shop", "shop-2", "shop-3"}
        for each in (second, third, fourth):
            each.close()


def test_asyncio_clients_are_read_from_another_thread(registry: CollectorRegistry) -> None:
    async def main() -> dict[Sample, float]:
        with EmbeddedBroker(topics={"t": 1}) as broker:
            async with aio.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
                instrument(producer, registry=registry)
                await producer.send("t", b"value")
                return await asyncio.to_thread(scrape, registry)

    found = asyncio.run(main())
    labels = {"client_id": "kafkars", "client_type": "producer"}
    assert found[series("kafkars_producer_records_sent_total", **labels)] == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system starts processes otherwise")
def test_a_forked_child_shows_nothing_of_its_parent() -> None:
    program = """
import os, sys, warnings
import kafkars
from kafkars.prometheus import instrument
from kafkars.testing import EmbeddedBroker
from prometheus_client import generate_latest
warnings.simplefilter("ignore")
with EmbeddedBroker() as broker:
    with instrument(kafkars.Producer(bootstrap_servers=broker.bootstrap_servers)) as producer:
        child = os.fork()
        if child == 0:
            shown = b"kafkars_producer_records_sent_total{" in generate_latest()
            os._exit(7 if shown else 3)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-c", program], timeout=50, check=False, capture_output=True, text=True)
    assert done.returncode == 3, done.stderr

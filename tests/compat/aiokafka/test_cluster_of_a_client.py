"""What `client.cluster` of a producer, a consumer and of a client itself knows: on aiokafka and on the face."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from kafkars.testing import EmbeddedBroker

from tests.compat.aiokafka.conftest import LIBRARIES
from tests.support.aiokafka_library import Library, Run


def client(library: Library, **settings: Any) -> Any:
    made = library.module("client").AIOKafkaClient
    return made(bootstrap_servers=library.broker.bootstrap_servers, **settings)


async def known(client: Any, topic: str) -> None:
    """Waits until a topic is known, as aiokafka's own tests do."""
    while topic not in client.cluster.topics():
        assert await client.force_metadata_update()


def test_a_started_producer_knows_its_brokers(library: Library, run: Run) -> None:
    async def test() -> None:
        async with library.producer() as producer:
            cluster = producer.client.cluster
            brokers = {broker.nodeId: broker for broker in cluster.brokers()}
            described = await producer.client.fetch_all_metadata()
            assert brokers == {broker.nodeId: broker for broker in described.brokers()}
            assert cluster.controller in brokers.values()
            for number, broker in brokers.items():
                assert cluster.broker_metadata(number) == broker
                assert not cluster.is_bootstrap(number)
                assert await producer.client.ready(number)
            assert producer.client.get_random_node() in brokers
            assert cluster.broker_metadata(99) is None
            assert cluster.topics() == set()

    run(test)


def test_a_producer_knows_the_topics_that_it_uses(library: Library, run: Run) -> None:
    topic = library.broker.new_topic(partitions=3)
    partition = library.partition(topic, 1)

    async def test() -> None:
        async with library.producer() as producer:
            cluster = producer.client.cluster
            assert cluster.partitions_for_topic(topic) is None
            assert cluster.available_partitions_for_topic(topic) is None
            assert cluster.leader_for_partition(partition) is None
            await producer.send_and_wait(topic, b"v")
            assert cluster.topics() == {topic}
            assert cluster.partitions_for_topic(topic) == cluster.available_partitions_for_topic(topic) == {0, 1, 2}
            leader = cluster.leader_for_partition(partition)
            assert cluster.broker_metadata(leader) is not None
            assert partition in cluster.partitions_for_broker(leader)
            assert cluster.partitions_for_broker(99) is None
            assert cluster.leader_for_partition(library.partition(topic, 77)) is None
            assert (cluster.internal_topics, cluster.unauthorized_topics) == (set(), set())
            more = cluster.with_partitions([cluster._partitions[topic][1]._replace(partition=7)])
            assert (more.partitions_for_topic(topic), len(cluster.partitions_for_topic(topic))) == ({0, 1, 2, 7}, 3)
        # What was known stays.
        assert cluster.partitions_for_topic(topic) == {0, 1, 2}

    run(test)


def test_a_consumer_knows_the_topics_that_it_reads(library: Library, run: Run) -> None:
    topic = library.broker.new_topic(partitions=2)

    async def test() -> None:
        async with library.consumer(topic) as consumer:
            cluster = consumer._client.cluster
            assert cluster.topics() == {topic}
            assert cluster.available_partitions_for_topic(topic) == {0, 1}
            for broker in cluster.brokers():
                assert await consumer._client.ready(broker.nodeId)

    run(test)


def test_a_coordinator_is_a_broker_that_is_ready(library: Library, run: Run) -> None:
    topic, group = library.broker.new_topic(), library.group()

    async def test() -> None:
        async with library.consumer(topic, group_id=group) as consumer:
            # What health checks ask.
            found = consumer._coordinator.coordinator_id
            assert consumer._client.cluster.broker_metadata(found) is not None
            assert await consumer._client.ready(found)
            assert not await consumer._client.ready(99)
            assert await consumer._client.coordinator_lookup(0, group) == found

    run(test)


def test_topics_are_taken_into_use_when_that_is_called(library: Library, run: Run) -> None:
    first, second, third = (f"{library.broker.new_topic()}-{library.root}-{number}" for number in range(3))

    async def test() -> None:
        async with library.producer() as producer:
            # Not awaited, as in aiokafka's own tests: it acts all the same.
            adding = producer.client.add_topic(first)
            await known(producer.client, first)
            assert adding.done()
            assert await producer.client.add_topic(first)
            setting = producer.client.set_topics([first, second])
            await known(producer.client, second)
            assert setting.done()
            assert await producer.client.set_topics([first, second])
            assert producer.client.cluster.topics() >= {first, second}
            with pytest.raises(AssertionError):
                producer.client.set_topics(third)
            assert await producer.client._wait_on_metadata(third) == {0}

    run(test)


def test_a_client_knows_what_it_was_told_to_know(library: Library, run: Run) -> None:
    existing, other = library.broker.new_topic(), f"{library.broker.new_topic()}-{library.root}"

    async def test() -> None:
        bootstrapped = client(library)
        await bootstrapped.bootstrap()
        try:
            cluster = bootstrapped.cluster
            assert cluster.topics() == set()
            assert not any(cluster.is_bootstrap(broker.nodeId) for broker in cluster.brokers())
            await known(bootstrapped, existing)
            bootstrapped.add_topic(other)
            await known(bootstrapped, other)
            assert cluster.topics() == {other}
            await bootstrapped.set_topics([existing])
            assert cluster.topics() == {existing}
            everything = await bootstrapped.fetch_all_metadata()
            assert everything is not cluster
            assert everything.topics() >= {existing, other}
            assert cluster.topics() == {existing}
            await bootstrapped.set_topics([])
            assert cluster.topics() >= {existing, other}
            await bootstrapped.bootstrap()
        finally:
            await bootstrapped.close()

    run(test)


def test_an_administrator_has_a_client_too(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        made = library.module("admin").AIOKafkaAdminClient
        admin = made(bootstrap_servers=library.broker.bootstrap_servers)
        await admin.start()
        try:
            brokers = admin._client.cluster.brokers()
            assert admin._client.cluster.controller in brokers
            assert admin._client.get_random_node() in {broker.nodeId for broker in brokers}
            for broker in brokers:
                assert await admin._client.ready(broker.nodeId)
            assert topic in (await admin._client.fetch_all_metadata()).topics()
            await known(admin._client, topic)
        finally:
            await admin.close()

    run(test)


def test_updates_are_told(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()
    seen: list[object] = []

    async def test() -> None:
        async with embedded.producer() as producer:
            await producer.send_and_wait(topic, b"v")
            cluster = producer.client.cluster
            promised = cluster.request_update()
            cluster.add_listener(seen.append)
            assert not promised.done()
            assert await producer.client.force_metadata_update() is True
            assert promised.result(0) is cluster
            assert seen
            assert all(each is cluster for each in seen)
            cluster.remove_listener(seen.append)

    run(test)


@pytest.mark.parametrize("ticks", range(4))
@pytest.mark.parametrize("call", ["force_metadata_update", "add_topic"])
def test_an_update_ends_with_its_client(face: Library, run: Run, call: str, ticks: int) -> None:
    """In the original it never ends. Nobody has cancelled whoever waits for it."""
    topic = face.broker.new_topic()

    async def test() -> None:
        client = face.module("client").AIOKafkaClient(bootstrap_servers=face.broker.bootstrap_servers)
        await client.bootstrap()
        with face.broker.handle.intercept("Metadata", "delay", seconds=0.3):
            update = client.force_metadata_update() if call == "force_metadata_update" else client.add_topic(topic)
            given_up = client.force_metadata_update()
            given_up.cancel()
            for _ in range(ticks):
                await asyncio.sleep(0)
            await client.close()
            assert await update is False

    run(test)


def test_a_request_to_a_broker_that_is_none_is_not_sent(embedded: Library, run: Run) -> None:
    request = embedded.module("protocol.metadata").MetadataRequest([])

    async def test() -> None:
        async with embedded.producer() as producer:
            with pytest.raises(embedded.errors.NodeNotReadyError):
                await producer.client.send(99, request)

    run(test)


def test_hosts_have_families(embedded: Library, run: Run) -> None:
    async def test() -> None:
        made = embedded.module("client").AIOKafkaClient(bootstrap_servers="name:1,127.0.0.1:2,[::1]:3", client_id="me")
        assert [(host, port, int(family)) for host, port, family in sorted(made.hosts, key=lambda host: host[1])] == [
            ("name", 1, 0),
            ("127.0.0.1", 2, 2),
            ("::1", 3, 10),
        ]
        assert repr(made) == "<AIOKafkaClient client_id=me>"
        assert made.cluster.brokers() == set()

    run(test)


def test_brokers_that_do_not_answer_are_not_ready(run: Run) -> None:
    for root in LIBRARIES.values():

        async def test(root: str = root) -> None:
            with EmbeddedBroker() as broker:
                library = Library(root, broker)  # type: ignore[arg-type]
                producer = library.producer(request_timeout_ms=500)
                await producer.start()
                (node,) = (found.nodeId for found in producer.client.cluster.brokers())
            # The broker is gone.
            assert await producer.client.force_metadata_update() is False
            assert not await producer.client.ready(node)
            await producer.stop()

        run(test)


def test_what_the_engine_knows_is_not_asked_for(run: Run) -> None:
    with EmbeddedBroker() as broker:
        library = Library(LIBRARIES["face"], broker)  # type: ignore[arg-type]

        async def test() -> None:
            async with library.producer() as producer:
                await producer.send_and_wait("t", b"v")
                before = len(broker.requests())
                cluster = producer.client.cluster
                assert (cluster.topics(), len(cluster.brokers()), await producer.partitions_for("t")) == ({"t"}, 1, {0})
                assert len(broker.requests()) == before
                assert producer.client._admin_ is None

        run(test)

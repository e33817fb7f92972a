"""Names that are nobody's promise and that FastStream and Faust use all the same: on aiokafka and on the face."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker
from tests.support.aiokafka_library import Library, Run
from tests.support.awaits import run

SIDES = {"original": "aiokafka", "face": "kafkars.compat.aiokafka"}
TOPIC_ALREADY_EXISTS = 36


@pytest.fixture(params=SIDES)
def side(request: pytest.FixtureRequest) -> Any:
    """A function that imports a module of the library."""
    root = SIDES[request.param]
    return lambda path="": importlib.import_module(f"{root}.{path}" if path else root)


def test_a_consumer_tells_frameworks_who_it_is_and_how_far(side: Any, embedded_broker: Broker) -> None:
    library, topic = side(), embedded_broker.new_topic(partitions=2)
    partition = library.TopicPartition(topic, 0)
    nobody = side("consumer.group_coordinator").OffsetCommitRequest.DEFAULT_GENERATION_ID

    async def test() -> None:
        async with library.AIOKafkaProducer(bootstrap_servers=embedded_broker.bootstrap_servers) as producer:
            for number in range(4):
                await producer.send_and_wait(topic, b"%d" % number, partition=0)
        consumer = library.AIOKafkaConsumer(
            topic,
            bootstrap_servers=embedded_broker.bootstrap_servers,
            group_id=f"{topic}-{library.__name__}",
            auto_offset_reset="earliest",
            max_poll_records=3,
        )
        async with consumer:
            assert consumer._coordinator.generation > nobody
            assert consumer._coordinator.member_id.startswith("aiokafka")
            assert consumer._coordinator._metadata_snapshot == {topic: 2}
            fetcher = consumer._fetcher
            assert not fetcher._closed
            with fetcher._subscriptions.fetch_context():
                found = await fetcher.fetched_records([(topic, 0)], timeout=10, max_records=consumer._max_poll_records)
            assert [record.value for record in found[partition]] == [b"0", b"1", b"2"]
            assignment = fetcher._subscriptions.subscription.assignment
            assert assignment.active
            assert assignment.state_value(partition).highwater == 4
            assert assignment.state_value(partition).timestamp > 0
            assert consumer._client.cluster.partitions_for_topic(topic) == {0, 1}
            assert consumer._client.cluster.available_partitions_for_topic(topic) == {0, 1}
            assert not consumer._closed
        assert consumer._closed

    run(test())


def test_topics_are_created_through_a_client(side: Any, embedded_broker: Broker) -> None:
    library, protocol = side(), side("protocol.admin")
    topic = f"{embedded_broker.new_topic()}-{library.__name__}"

    async def test() -> None:
        async with library.AIOKafkaProducer(bootstrap_servers=embedded_broker.bootstrap_servers) as producer:
            client = producer.client
            (broker, *_) = client.cluster.brokers()
            answer = await client.send(broker.nodeId, side("protocol.metadata").MetadataRequest([]))
            assert answer.controller_id >= 0
            request = protocol.CreateTopicsRequest([(topic, 3, 1, [], [("retention.ms", "1000")])], 10_000, False)
            made = await client.send(answer.controller_id, request)
            assert made.topic_errors[0][:2] == (topic, 0)
            again = await client.send(answer.controller_id, request)
            assert again.topic_errors[0][1] == TOPIC_ALREADY_EXISTS
            await client.force_metadata_update()
            await producer.partitions_for(topic)
            where = [producer._partition(topic, None, None, None, key, None) for key in (b"a", b"bb", b"ccc", b"dddd")]
            stored = [await producer.send_and_wait(topic, b"v", key=key) for key in (b"a", b"bb", b"ccc", b"dddd")]
            assert where == [one.partition for one in stored]

    run(test())


def test_a_batch_goes_anywhere_where_no_partition_is_named(side: Any, embedded_broker: Broker) -> None:
    library, topic = side(), embedded_broker.new_topic(partitions=2)

    async def test() -> None:
        async with library.AIOKafkaProducer(bootstrap_servers=embedded_broker.bootstrap_servers) as producer:
            batch = producer.create_batch()
            batch.append(key=None, value=b"v", timestamp=None)
            stored = await (await producer.send_batch(batch, topic, partition=None))
            assert stored.partition in {0, 1}

    run(test())


def test_records_can_be_derived_from(side: Any) -> None:
    class Raw(side("structs").ConsumerRecord):  # type: ignore[misc]
        consumer: object

    assert issubclass(Raw, side().ConsumerRecord)


def test_releases_of_kafka_are_read(side: Any) -> None:
    parse = side("util").parse_kafka_version
    assert [parse("0.11"), parse("2.8.1")] == [(0, 11, 0), (2, 8, 1)]
    for wrong in ("10", "0.9.0.1", "new"):
        with pytest.raises(ValueError, match=wrong):
            parse(wrong)


def test_a_coordinator_of_ones_own_is_refused_with_the_way_to_go() -> None:
    from kafkars.compat.aiokafka.consumer.group_coordinator import GroupCoordinator

    with pytest.raises(NotImplementedError, match="AIOKafkaConsumer"):
        GroupCoordinator(None, None, group_id="g")


def test_the_client_of_a_producer_ends_with_it() -> None:
    from kafkars.compat.aiokafka import AIOKafkaProducer
    from kafkars.compat.aiokafka.protocol.metadata import MetadataRequest

    async def test() -> None:
        with EmbeddedBroker() as broker:
            producer = AIOKafkaProducer(bootstrap_servers=broker.bootstrap_servers)
            await producer.start()
            (node,) = producer.client.cluster.brokers()
            await producer.client.send(node.nodeId, MetadataRequest([]))
            admin = producer.client._admin_
            assert admin is not None
            assert producer.client._client_id.startswith("aiokafka-producer-")
            await producer.stop()
            assert admin.closed

    run(test())


def test_send_and_wait_goes_through_a_send_of_the_program(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()
    base = embedded.module().AIOKafkaProducer
    sent: list[bytes] = []

    class Traced(base):  # type: ignore[misc]
        async def send(self, topic: str, value: bytes, *more: Any) -> Any:
            sent.append(value)
            return await super().send(topic, value, *more)

    async def test() -> None:
        async with Traced(bootstrap_servers=embedded.broker.bootstrap_servers) as producer:
            assert (await producer.send_and_wait(topic, b"by a subclass", partition=0)).offset == 0

    run(test)
    assert sent == [b"by a subclass"]


def test_send_and_wait_goes_through_a_send_that_tracing_has_replaced(
    embedded: Library, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = embedded.broker.new_topic()
    base = embedded.module().AIOKafkaProducer
    original, sent = base.send, []

    async def traced(producer: Any, *arguments: Any, **keywords: Any) -> Any:
        sent.append(arguments)
        return await original(producer, *arguments, **keywords)

    async def test() -> None:
        async with embedded.producer(client_id="name") as producer:
            await producer.send_and_wait(topic, b"0")
            monkeypatch.setattr(base, "send", traced)
            await producer.send_and_wait(topic, b"1")
            monkeypatch.undo()
            assert (await producer.send_and_wait(topic, b"2")).offset == 2
            # OpenTelemetry reads these.
            assert producer.client._client_id == "name"
            assert producer.client._bootstrap_servers == embedded.broker.bootstrap_servers
            assert await producer.client._wait_on_metadata(topic) == {0}
            assert (producer._key_serializer, producer._value_serializer) == (None, None)

    run(test)
    assert sent == [(topic, b"1", None, None, None, None)]


class Wrapped:
    """A method in a wrapper that shows all attributes of what it wraps, as wrapt's does, which tracing uses."""

    def __init__(self, wrapped: Any, calls: list[str]) -> None:
        self.wrapped = wrapped
        self.calls = calls

    def __get__(self, instance: Any, owner: Any) -> Wrapped:
        return Wrapped(self.wrapped.__get__(instance, owner), self.calls)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.wrapped, name)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        self.calls.append(self.wrapped.__name__)
        return self.wrapped(*arguments, **keywords)


def test_calls_go_through_methods_that_tracing_has_wrapped(
    embedded: Library, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = embedded.broker.new_topic()
    module, calls = embedded.module(), []
    for base, name in ((module.AIOKafkaProducer, "send"), (module.AIOKafkaConsumer, "getone")):
        monkeypatch.setattr(base, name, Wrapped(getattr(base, name), calls))

    async def test() -> None:
        async with embedded.producer() as producer:
            await producer.send_and_wait(topic, b"0")
        async with embedded.consumer(topic, auto_offset_reset="earliest") as consumer:
            async for record in consumer:
                assert record.value == b"0"
                break

    run(test)
    assert calls == ["send", "getone"]


def test_clients_keep_the_addresses_as_they_were_given(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        # OpenTelemetry writes them as `server.address`.
        for given in (embedded.broker.bootstrap_servers, [embedded.broker.bootstrap_servers]):
            async with embedded.producer(bootstrap_servers=given) as producer:
                assert producer.client._bootstrap_servers == given
            async with embedded.consumer(topic, bootstrap_servers=given) as consumer:
                assert consumer._client._bootstrap_servers == given
            assert embedded.module("client").AIOKafkaClient(bootstrap_servers=given)._bootstrap_servers == given

    run(test)

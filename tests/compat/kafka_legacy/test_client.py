"""`KafkaClient`: requests of 0.9 on brokers of today."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from contextlib import suppress
from unittest.mock import patch

import pytest
from kafkars import Admin, Producer, errors
from kafkars.compat.kafka_legacy import (
    KafkaClient,
    create_gzip_message,
    create_message,
    create_snappy_message,
)
from kafkars.compat.kafka_legacy.common import (
    BrokerMetadata,
    ConnectionError,  # noqa: A004  the library's own
    ConsumerFetchSizeTooSmall,
    FailedPayloadsError,
    FetchRequest,
    KafkaTimeoutError,
    KafkaUnavailableError,
    LeaderNotAvailableError,
    MessageSizeTooLargeError,
    MetadataResponse,
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
    OffsetOutOfRangeError,
    OffsetRequest,
    PartitionMetadata,
    ProduceRequest,
    ProduceResponse,
    TopicAndPartition,
    TopicMetadata,
    UnknownError,
    UnknownTopicOrPartitionError,
)
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker

NOWHERE = "127.0.0.1:1"


def values(client: KafkaClient, topic: bytes, partition: int = 0, offset: int = 0) -> list[bytes | None]:
    (response,) = client.send_fetch_request([FetchRequest(topic, partition, offset, 1 << 20)], min_bytes=0)
    return [each.message.value for each in response.messages]


def test_what_is_known_of_a_cluster(broker: Broker, client: KafkaClient) -> None:
    topic = broker.new_topic(partitions=3)
    name = topic.encode()
    client.load_metadata_for_topics(topic)
    assert client.has_metadata_for_topic(topic)
    assert client.has_metadata_for_topic(name)
    assert client.get_partition_ids_for_topic(topic) == [0, 1, 2]
    assert name in client.topics
    leader = client.topics_to_brokers[TopicAndPartition(name, 1)]
    assert leader is not None
    assert leader == client.brokers[leader.nodeId]
    assert isinstance(leader.host, bytes)
    assert client.topic_partitions[name][2].error == 0
    client.reset_topic_metadata(topic)
    assert not client.has_metadata_for_topic(topic)
    assert client.get_partition_ids_for_topic(topic) == []
    client.load_metadata_for_topics()
    assert client.has_metadata_for_topic(topic)
    client.reset_all_metadata()
    assert client.topics == []


def test_a_topic_that_is_asked_for_is_made(client: KafkaClient) -> None:
    topic = f"made-{time.monotonic_ns()}"
    client.ensure_topic_exists(topic, timeout=20)
    assert client.get_partition_ids_for_topic(topic) == [0]


def test_a_topic_that_nobody_makes() -> None:
    with EmbeddedBroker(auto_create_topics=False) as broker:
        client = KafkaClient(broker.bootstrap_servers, timeout=3)
        with pytest.raises(UnknownTopicOrPartitionError):
            client.load_metadata_for_topics("nothing")
        with pytest.raises(UnknownTopicOrPartitionError):
            client.ensure_topic_exists(b"nothing", timeout=3)
        with pytest.raises(UnknownTopicOrPartitionError):
            client.send_produce_request([ProduceRequest(b"nothing", 0, [create_message(b"value")])])
        client.close()


def test_messages_are_stored_and_read(broker: Broker, client: KafkaClient) -> None:
    topic = broker.new_topic(partitions=2).encode()
    requests = [
        ProduceRequest(topic, 1, [create_message(b"c", b"key")]),
        ProduceRequest(topic, 0, [create_message(b"a"), create_message(None, b"tomb")]),
    ]
    assert client.send_produce_request(requests) == [ProduceResponse(topic, 1, 0, 0), ProduceResponse(topic, 0, 0, 0)]
    (more,) = client.send_produce_request([ProduceRequest(topic, 0, [create_message(b"b")])], acks=-1)
    assert more.offset == 2
    responses = client.send_fetch_request(
        [FetchRequest(topic, 0, 0, 4096), FetchRequest(topic, 1, 0, 4096)], min_bytes=1
    )
    assert [(each.topic, each.partition, each.error, each.highwaterMark) for each in responses] == [
        (topic, 0, 0, 3),
        (topic, 1, 0, 1),
    ]
    first, second = ([(each.offset, *each.message) for each in response.messages] for response in responses)
    assert first == [(0, 0, 0, None, b"a"), (1, 0, 0, b"tomb", None), (2, 0, 0, None, b"b")]
    assert second == [(0, 0, 0, b"key", b"c")]


def test_messages_compressed_by_hand(broker: Broker, client: KafkaClient) -> None:
    topic = broker.new_topic().encode()
    pairs = [(b"one", None), (b"two", b"key")]
    for message in (create_gzip_message(pairs), create_snappy_message(pairs), create_message(b"three")):
        client.send_produce_request([ProduceRequest(topic, 0, [message])])
    assert values(client, topic) == [b"one", b"two", b"one", b"two", b"three"]


def test_without_acknowledgements_there_are_no_answers(broker: Broker, client: KafkaClient) -> None:
    topic = broker.new_topic().encode()
    assert client.send_produce_request([ProduceRequest(topic, 0, [create_message(b"a")])], acks=0) == []
    client.send_produce_request([ProduceRequest(topic, 0, [create_message(b"b")])], acks=3)
    assert set(values(client, topic)) == {b"a", b"b"}


def test_callbacks_make_the_answers(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic().encode()
    request = ProduceRequest(topic, 0, [create_message(b"a")])
    assert embedded.send_produce_request([request], callback=lambda answer: answer.offset) == [0]
    assert embedded.send_offset_request([OffsetRequest(topic, 0, -1, 1)], callback=lambda it: it.offsets[0]) == [1]
    assert embedded.send_produce_request() == embedded.send_fetch_request() == embedded.send_offset_request() == []


def test_errors_are_raised_or_told(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic(settings={"max.message.bytes": "1000"}).encode()
    large = ProduceRequest(topic, 0, [create_message(bytes(2000))])
    with pytest.raises(MessageSizeTooLargeError):
        embedded.send_produce_request([large])
    assert embedded.send_produce_request([large], fail_on_error=False) == [ProduceResponse(topic, 0, 10, -1)]
    with pytest.raises(UnknownError):
        embedded.send_produce_request([ProduceRequest(topic, 0, [create_message(b"a")])], acks=-2)
    for offset in (-5, 1, 100):
        with pytest.raises(OffsetOutOfRangeError):
            embedded.send_fetch_request([FetchRequest(topic, 0, offset, 100)])
    # After an error the partition is read again.
    assert values(embedded, topic) == []
    with pytest.raises(UnknownTopicOrPartitionError):
        embedded.send_produce_request([ProduceRequest(topic, 7, [create_message(b"a")])], fail_on_error=False)
    with pytest.raises(UnknownTopicOrPartitionError):
        embedded.send_fetch_request([FetchRequest(topic, 7, 0, 100)], fail_on_error=False)
    with pytest.raises(UnknownTopicOrPartitionError):
        embedded.send_offset_request([OffsetRequest(topic, 7, -1, 1)], fail_on_error=False)
    with pytest.raises(AssertionError):
        embedded.send_produce_request([large, large])
    with pytest.raises(AssertionError):
        embedded.send_fetch_request([FetchRequest(topic, 0, 0, 100)] * 2)
    with pytest.raises(AssertionError):
        embedded.send_offset_request([OffsetRequest(topic, 0, 0, 1)] * 2)


def test_fetches_take_as_much_as_they_are_told(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic().encode()
    # 26 bytes around each.
    embedded.send_produce_request([ProduceRequest(topic, 0, [create_message(bytes(74)) for _ in range(100)])])

    def offsets(offset: int, size: int) -> list[int]:
        (response,) = embedded.send_fetch_request([FetchRequest(topic, 0, offset, size)], min_bytes=0)
        assert response.highwaterMark == 100
        return [each.offset for each in response.messages]

    assert offsets(0, 100) == [0]
    assert offsets(0, 1099) == list(range(10))
    assert offsets(10, 500) == list(range(10, 15))
    # Back, forth, and over what was read.
    assert offsets(3, 200) == [3, 4]
    assert offsets(90, 1 << 20) == list(range(90, 100))
    assert offsets(0, 1 << 20) == list(range(100))
    assert offsets(100, 100) == []
    (response,) = embedded.send_fetch_request([FetchRequest(topic, 0, 5, 99)], min_bytes=0)
    with pytest.raises(ConsumerFetchSizeTooSmall):
        next(iter(response.messages))


def test_fetches_see_what_was_stored_before_them(client: KafkaClient, broker: Broker) -> None:
    topic = broker.new_topic().encode()
    for number in range(20):
        client.send_produce_request([ProduceRequest(topic, 0, [create_message(b"%d" % number)])])
        assert values(client, topic, offset=number) == [b"%d" % number]


def test_fetches_wait_for_what_comes(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic().encode()
    begun = time.monotonic()
    (response,) = embedded.send_fetch_request([FetchRequest(topic, 0, 0, 100)], max_wait_time=200, min_bytes=1)
    assert time.monotonic() - begun >= 0.2
    assert list(response.messages) == []


def test_partitions_that_are_not_asked_for_are_not_read(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic(partitions=2).encode()
    for partition in (0, 1):
        messages = [create_message(b"%d-%d" % (partition, number)) for number in range(5)]
        embedded.send_produce_request([ProduceRequest(topic, partition, messages)])
    for number in range(5):
        assert values(embedded, topic, 0, number)[0] == b"0-%d" % number
        assert values(embedded, topic, 1, number)[0] == b"1-%d" % number


def test_offsets_of_logs(broker: Broker, client: KafkaClient) -> None:
    topic = broker.new_topic().encode()

    def offsets(at: int, most: int) -> tuple[int, ...]:
        (response,) = client.send_offset_request([OffsetRequest(topic, 0, at, most)])
        found: tuple[int, ...] = response.offsets
        return found

    assert offsets(-1, 1) == offsets(-2, 1) == (0,)
    assert offsets(-1, 5) == (0,)
    before = int(time.time() * 1000) - 60_000
    client.send_produce_request([ProduceRequest(topic, 0, [create_message(b"a")] * 3)])
    assert offsets(-1, 1) == (3,)
    assert offsets(-1, 2) == (3, 0)
    assert offsets(-2, 2) == (0,)
    assert offsets(-1, 0) == ()
    assert offsets(before, 1) == (0,)
    assert offsets(before + 1_000_000, 1) == (3,)
    assert offsets(before + 1_000_000, 2) == (3, 0)
    with pytest.raises(UnknownError):
        offsets(-9, 1)


def test_offsets_of_groups(broker: Broker, client: KafkaClient, group: Callable[[], str]) -> None:
    topic = broker.new_topic(partitions=2).encode()
    name = group()
    fetches = [OffsetFetchRequest(topic, 0), OffsetFetchRequest(topic, 1)]
    nothing = [OffsetFetchResponse(topic, partition, -1, b"", 0) for partition in (0, 1)]
    assert client.send_offset_fetch_request(name, fetches) == nothing
    commits = [OffsetCommitRequest(topic, 1, 7, None), OffsetCommitRequest(topic, 0, 5, b"said")]
    done = [OffsetCommitResponse(topic, 1, 0), OffsetCommitResponse(topic, 0, 0)]
    assert client.send_offset_commit_request(name.encode(), commits) == done
    stored = [OffsetFetchResponse(topic, 0, 5, b"said", 0), OffsetFetchResponse(topic, 1, 7, b"", 0)]
    assert client.send_offset_fetch_request(name, fetches) == stored
    assert client.send_offset_fetch_request_kafka(name.encode(), fetches) == stored
    # Java's tools, and every other client, see the same.
    with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        assert {each.offset for each in admin.list_group_offsets([name])[name].values()} == {5, 7}
    coordinator = client.send_consumer_metadata_request(name)
    assert coordinator.error == 0
    assert client.brokers[coordinator.nodeId] == BrokerMetadata(*coordinator[1:])


def test_no_group_commits_nothing(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic().encode()
    with pytest.raises(UnknownError):
        embedded.send_offset_commit_request(None, [OffsetCommitRequest(topic, 0, 5, None)])


def test_copies_have_connections_of_their_own(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic()
    embedded.load_metadata_for_topics()
    for other in (embedded.copy(), pickle.loads(pickle.dumps(embedded))):
        assert other.topic_partitions == embedded.topic_partitions
        assert (other.hosts, other.client_id, other.timeout) == (embedded.hosts, embedded.client_id, embedded.timeout)
        other.reinit()
        other.send_produce_request([ProduceRequest(topic.encode(), 0, [create_message(b"a")])])
        other.close()
        other.close()
    assert values(embedded, topic.encode()) == [b"a", b"a"]
    embedded.close()
    # As in the original, a closed client connects again.
    assert values(embedded, topic.encode()) == [b"a", b"a"]


def test_nobody_is_there() -> None:
    with pytest.raises(KafkaUnavailableError):
        KafkaClient(NOWHERE, timeout=0.5)
    with patch.object(KafkaClient, "load_metadata_for_topics"):
        client = KafkaClient([NOWHERE], timeout=0.5)
        request = ProduceRequest(b"topic", 0, [create_message(b"a")])
        client.topics_to_brokers[TopicAndPartition(b"topic", 0)] = BrokerMetadata(0, b"127.0.0.1", 1)
        with pytest.raises(ConnectionError):
            client.reinit()
        (response,) = client.send_produce_request([request], fail_on_error=False)
    assert isinstance(response, FailedPayloadsError)
    assert response.payload is request
    with pytest.raises(FailedPayloadsError):
        client.send_fetch_request([FetchRequest(b"topic", 0, 0, 10)])
    client.close()


TOPICS = [
    TopicMetadata(b"led", 0, [PartitionMetadata(b"led", 0, 1, (1, 2), (1, 2), 0)]),
    TopicMetadata(b"replica gone", 0, [PartitionMetadata(b"replica gone", 0, 2, (1, 2), (2,), 9)]),
    TopicMetadata(b"elsewhere", 0, [PartitionMetadata(b"elsewhere", 0, 77, (77,), (77,), 0)]),
    TopicMetadata(b"not led", 0, [PartitionMetadata(b"not led", 0, -1, (), (), 5)]),
    TopicMetadata(b"being made", 5, []),
    TopicMetadata(b"unknown", 3, []),
]
BROKERS = [BrokerMetadata(1, b"one", 9092), BrokerMetadata(2, b"two", 9093)]


def test_what_is_made_of_metadata() -> None:
    """What the original's own tests of its client ask, without the private parts that they take the place of."""
    with patch.object(KafkaClient, "send_metadata_request", return_value=MetadataResponse(BROKERS, TOPICS)):
        client = KafkaClient(NOWHERE)
        assert client.topics_to_brokers == {
            TopicAndPartition(b"led", 0): BROKERS[0],
            TopicAndPartition(b"replica gone", 0): BROKERS[1],
            TopicAndPartition(b"elsewhere", 0): BrokerMetadata(77, None, None),
            TopicAndPartition(b"not led", 0): None,
        }
        for topic in ("led", "replica gone", "elsewhere", "not led"):
            assert client.has_metadata_for_topic(topic)
            client.load_metadata_for_topics(topic)
            client.ensure_topic_exists(topic, timeout=0)
        for topic in ("being made", "unknown", "never heard of"):
            assert not client.has_metadata_for_topic(topic)
        with pytest.raises(LeaderNotAvailableError):
            client.load_metadata_for_topics("being made")
        with pytest.raises(UnknownTopicOrPartitionError):
            client.load_metadata_for_topics("unknown")
        with pytest.raises(UnknownTopicOrPartitionError):
            client.ensure_topic_exists("unknown", timeout=1)
        with pytest.raises(KafkaTimeoutError):
            client.ensure_topic_exists("being made", timeout=0.6)
        # What was not asked for by name is no error.
        client.load_metadata_for_topics("never heard of")
        client.load_metadata_for_topics()
        for name, error in (
            (b"not led", LeaderNotAvailableError),
            (b"being made", LeaderNotAvailableError),
            (b"unknown", UnknownTopicOrPartitionError),
            (b"never heard of", UnknownTopicOrPartitionError),
        ):
            with pytest.raises(error):
                client.send_produce_request([ProduceRequest(name, 0, [create_message(b"a")])])
            with pytest.raises(error):
                client.send_fetch_request([FetchRequest(name, 0, 0, 10)])
            with pytest.raises(error):
                client.send_offset_request([OffsetRequest(name, 0, -1, 1)])


def test_numbers_of_requests_stay_within_four_bytes() -> None:
    with patch.object(KafkaClient, "load_metadata_for_topics"):
        client = KafkaClient([], correlation_id=2**31 - 2)
    assert [client._next_id() for _ in range(2)] == [2**31 - 1, 0]


@pytest.mark.parametrize("api", ["OffsetCommit", "FindCoordinator", "OffsetFetch", "ListOffsets"])
def test_what_passes_is_waited_for(api: str) -> None:
    """The first try is short, to find out whether anybody is there; what a broker asks for lasts longer."""
    with EmbeddedBroker() as broker:
        broker.create_topic("topic")
        client = KafkaClient(broker.bootstrap_servers)
        kind = errors.LeaderNotAvailableError if api == "ListOffsets" else errors.CoordinatorLoadInProgressError
        fault = broker.intercept(api, kind, times=6)
        client.send_offset_commit_request("group", [OffsetCommitRequest(b"topic", 0, 3, None)])
        assert client.send_offset_fetch_request("group", [OffsetFetchRequest(b"topic", 0)])[0].offset == 3
        assert client.send_offset_request([OffsetRequest(b"topic", 0, -1, 1)])[0].offsets == (0,)
        assert fault.hits == 6
        client.close()


def test_markers_of_transactions_are_no_messages(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic()
    with Producer(bootstrap_servers=embedded_broker.bootstrap_servers, transactional_id=topic) as producer:
        producer.init_transactions()
        for number in range(2):
            producer.begin_transaction()
            producer.send(topic, b"%d" % number)
            producer.commit_transaction()
    (response,) = embedded.send_fetch_request([FetchRequest(topic.encode(), 0, 0, 1000)], min_bytes=0)
    assert [(each.offset, each.message.value) for each in response.messages] == [(0, b"0"), (2, b"1")]
    assert response.highwaterMark == 4
    # The last one is behind the last message: there is nothing to wait for.
    begun = time.monotonic()
    assert values(embedded, topic.encode(), offset=3) == values(embedded, topic.encode(), offset=4) == []
    assert time.monotonic() - begun < 5


def test_a_log_that_is_made_anew() -> None:
    with EmbeddedBroker(topics={"topic": 1}) as broker, Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        client = KafkaClient(broker.bootstrap_servers)
        request = ProduceRequest(b"topic", 0, [create_message(b"a")] * 5)
        client.send_produce_request([request])
        assert len(values(client, b"topic")) == 5
        admin.delete_topics(["topic"])
        # Whoever asks for it meanwhile makes it, too.
        with suppress(errors.TopicAlreadyExistsError):
            broker.create_topic("topic")
        client.send_produce_request([request._replace(messages=[create_message(b"b")])])
        with pytest.raises(OffsetOutOfRangeError):
            client.send_fetch_request([FetchRequest(b"topic", 0, 5, 100)])
        assert values(client, b"topic") == [b"b"]
        client.close()


def test_a_leader_that_moves() -> None:
    with EmbeddedBroker(nodes=2, topics={"topic": 1}, default_replication_factor=2) as broker:
        client = KafkaClient(broker.bootstrap_servers)
        for number in range(6):
            broker.move_leader("topic", 0, 1 + number % 2)
            (response,) = client.send_produce_request([ProduceRequest(b"topic", 0, [create_message(b"a")])])
            assert response.offset == number
            assert len(values(client, b"topic", offset=number)) == 1
        client.close()


def test_one_partition_that_fails_leaves_the_others(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic(partitions=3).encode()
    for partition in range(3):
        embedded.send_produce_request([ProduceRequest(topic, partition, [create_message(b"%d" % partition)])])
    requests = [FetchRequest(topic, 0, 0, 100), FetchRequest(topic, 1, 9, 100), FetchRequest(topic, 2, 1, 100)]
    for _ in range(2):
        responses = embedded.send_fetch_request(requests, fail_on_error=False, min_bytes=0)
        assert [each.error for each in responses] == [0, 1, 0]
        assert [[it.message.value for it in each.messages] for each in responses] == [[b"0"], [], []]


def test_requests_and_messages_of_generators(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic().encode()
    sent: list[bytes] = [b"a", b"b", b"c"]
    (response,) = embedded.send_produce_request([ProduceRequest(topic, 0, map(create_message, sent))])
    assert response == ProduceResponse(topic, 0, 0, 0)
    mixed = (create_message(b"d"), create_gzip_message([(b"e", None)]), create_message(b"f"))
    (response,) = embedded.send_produce_request(ProduceRequest(topic, 0, iter(mixed)) for _ in range(1))
    assert response == ProduceResponse(topic, 0, 0, 3)
    assert values(embedded, topic) == [b"a", b"b", b"c", b"d", b"e", b"f"]
    (fetched,) = embedded.send_fetch_request(FetchRequest(topic, 0, each, 1 << 20) for each in (4,))
    assert [each.offset for each in fetched.messages] == [4, 5]
    (end,) = embedded.send_offset_request(OffsetRequest(topic, 0, each, 1) for each in (-1,))
    assert end.offsets == (6,)
    commits = (OffsetCommitRequest(topic, 0, offset, None) for offset in (5,))
    assert embedded.send_offset_commit_request(b"generators", commits) == [OffsetCommitResponse(topic, 0, 0)]
    for ask in (embedded.send_offset_fetch_request, embedded.send_offset_fetch_request_kafka):
        assert ask(b"generators", (OffsetFetchRequest(topic, each) for each in (0,))) == [
            OffsetFetchResponse(topic, 0, 5, b"", 0)
        ]

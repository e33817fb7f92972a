"""Conversations with `KafkaClient` and `KafkaConnection`."""

from __future__ import annotations

from typing import Any

from tests.compat.kafka_legacy.calls import told
from tests.compat.kafka_legacy.talk import Talk, each_of


def metadata(talk: Talk) -> Any:
    client, topic = talk.client, talk.topic
    client.load_metadata_for_topics(topic)
    known = [client.has_metadata_for_topic(topic), client.get_partition_ids_for_topic(topic.decode())]
    known += [topic in client.topics, sorted(client.topic_partitions[topic]), client.ensure_topic_exists(topic)]
    leaders = [client.topics_to_brokers[talk.common.TopicAndPartition(topic, each)].nodeId for each in range(3)]
    brokers = [type(each).__name__ for each in client.brokers.values()]
    client.reset_topic_metadata(topic)
    known += [client.has_metadata_for_topic(topic), client.get_partition_ids_for_topic(topic)]
    client.reset_all_metadata()
    wrong: list[Any] = [None, 5, b"", b"not a name!", b"x" * 300]
    return [
        known, len(set(leaders)), brokers, client.topics, repr(client),
        each_of(*[lambda each=each: client.load_metadata_for_topics(each) for each in wrong]),
        each_of(*[lambda each=each: client.has_metadata_for_topic(each) for each in (None, 5)]),
    ]  # fmt: skip


def requests(talk: Talk) -> Any:
    common, client, topic = talk.common, talk.client, talk.topic
    make = talk.protocol.create_message
    produce = [common.ProduceRequest(topic, each, [make(b"%d" % each, b"key"), make(b"x")]) for each in (2, 0, 1)]
    wrong = common.ProduceRequest(topic, 99, [make(b"x")])
    fetch = [common.FetchRequest(topic, each, 0, 1 << 20) for each in (1, 2)]
    ends = [common.OffsetRequest(topic, each, -1, 1) for each in (1, 0)]
    return each_of(
        lambda: client.send_produce_request(produce),
        lambda: client.send_produce_request(produce, callback=lambda each: each.partition),
        lambda: client.send_produce_request([produce[0]], acks=0),
        lambda: client.send_produce_request([wrong]),
        lambda: client.send_produce_request([wrong], fail_on_error=False),
        lambda: client.send_produce_request([produce[1], produce[1]]),
        lambda: client.send_produce_request([]),
        client.send_produce_request,
        lambda: [(each.partition, each.error, list(each.messages)[:2]) for each in client.send_fetch_request(fetch)],
        lambda: client.send_fetch_request([]),
        lambda: client.send_fetch_request([common.FetchRequest(topic, 0, 99, 100)]),
        lambda: [each.error for each in client.send_fetch_request([common.FetchRequest(topic, 0, 99, 9)], False)],
        lambda: list(client.send_fetch_request([common.FetchRequest(topic, 1, 0, 5)])[0].messages),
        lambda: client.send_fetch_request([common.FetchRequest(topic, 99, 0, 5)]),
        lambda: client.send_offset_request(ends),
        lambda: client.send_offset_request([common.OffsetRequest(topic, 1, -2, 1)], callback=lambda each: each.offsets),
        lambda: client.send_offset_request([common.OffsetRequest(topic, 99, -2, 1)]),
    )


def wrong_requests(talk: Talk) -> Any:
    """Payloads of wrong types."""
    common, client, topic = talk.common, talk.client, talk.topic
    make = talk.protocol.create_message
    text, group = topic.decode(), talk.group.encode()
    return each_of(
        lambda: client.send_produce_request(None),
        lambda: client.send_produce_request([None]),
        lambda: client.send_produce_request([5]),
        lambda: client.send_produce_request([common.ProduceRequest(text, 0, [make(b"x")])]),
        lambda: client.send_produce_request([common.ProduceRequest(None, 0, [make(b"x")])]),
        lambda: client.send_produce_request([common.ProduceRequest(topic, None, [make(b"x")])]),
        lambda: client.send_produce_request([common.ProduceRequest(topic, 0, None)]),
        lambda: client.send_produce_request([common.ProduceRequest(topic, 0, [b"bytes"])]),
        lambda: client.send_produce_request([common.ProduceRequest(topic, 0, [make("text")])]),
        lambda: client.send_produce_request([common.ProduceRequest(topic, 0, [make(5)])]),
        lambda: client.send_produce_request([common.ProduceRequest(topic, 0, [make(b"x", "key")])]),
        lambda: client.send_fetch_request([common.FetchRequest(topic, 0, None, 5)]),
        lambda: client.send_fetch_request([common.FetchRequest(topic, 0, "0", 5)]),
        lambda: client.send_fetch_request([common.FetchRequest(topic, 0, 0, None)]),
        lambda: client.send_fetch_request([None]),
        lambda: client.send_offset_request([common.OffsetRequest(topic, 0, None, 1)]),
        lambda: client.send_offset_request([common.OffsetRequest(topic, 0, -1, None)]),
        lambda: client.send_offset_commit_request(None, [common.OffsetCommitRequest(topic, 0, None, b"")]),
        lambda: client.send_offset_commit_request(group, [common.OffsetCommitRequest(topic, 0, None, b"")]),
        lambda: client.send_offset_commit_request(group, [common.OffsetCommitRequest(topic, 0, 1, 5)]),
        lambda: client.send_offset_fetch_request(5, [common.OffsetFetchRequest(topic, 0)]),
        lambda: client.ensure_topic_exists(None),
        lambda: client.get_partition_ids_for_topic("nobody has it"),
        lambda: client.reset_topic_metadata("nobody has it", b"nor this"),
        lambda: talk.kafka.KafkaClient(talk.servers, client_id=5),
        lambda: talk.kafka.KafkaClient(talk.servers, timeout="x"),
        lambda: len(talk.kafka.KafkaClient([talk.servers], timeout=None).brokers),
    )


def offsets_of_groups(talk: Talk) -> Any:
    common, client, topic, group = talk.common, talk.client, talk.topic, talk.group.encode()
    commits = [common.OffsetCommitRequest(topic, each, 10 + each, b"said") for each in (2, 0)]
    asked = [common.OffsetFetchRequest(topic, each) for each in range(3)]
    return each_of(
        lambda: client.send_offset_fetch_request_kafka(group, asked, fail_on_error=False),
        lambda: client.send_offset_commit_request(group, commits),
        lambda: [each[1:3] for each in client.send_offset_fetch_request(group, asked, fail_on_error=False)[::2]],
        lambda: client.send_offset_commit_request(group, [common.OffsetCommitRequest(topic, 0, 3, None)]),
        lambda: client.send_offset_commit_request(group, [commits[0], commits[0]]),
        lambda: client.send_offset_commit_request(group, []),
        lambda: client.send_offset_fetch_request(group, []),
    )


def clients(talk: Talk) -> Any:
    common = talk.common
    copied = talk.client.copy()
    ends = [common.OffsetRequest(talk.topic, 0, -1, 1)]
    closed = [talk.client.close(), talk.client.close()]
    alive = each_of(lambda: copied.send_offset_request(ends), lambda: talk.client.send_offset_request(ends))
    reinit = [told(talk.client.reinit), told(lambda: talk.client.send_offset_request(ends)), copied.close()]
    make = talk.kafka.KafkaClient
    wrong: list[Any] = ["127.0.0.1:1", "127.0.0.1:x", None, 5, [], [None]]
    return [closed, alive, reinit, each_of(*[lambda each=each: repr(make(each)) for each in wrong])]


def connection(talk: Talk) -> Any:
    host, _, port = talk.servers.split(",")[0].partition(":")
    made = talk.kafka.KafkaConnection(host, int(port), 5)
    copied = made.copy()
    closed = [made.close(), made.close(), copied.close()]
    # Versions of ApiVersions are 0 and up: a request of the time that brokers of any time answer.
    request = b"\x00\x00\x00\x0d\x00\x12\x00\x00\x00\x00\x00\x07\x00\x03abc"
    made.reinit()
    made.send(7, request)
    answer = made.recv(7)
    made.close()
    return [closed, repr(made) == f"<KafkaConnection host={host} port={port}>", answer[:6]]

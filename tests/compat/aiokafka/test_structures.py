"""Structures of the protocol that programs hold: responses of the administrator, and what members of a group say."""

from __future__ import annotations

import importlib
import io
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run

SIDES = ["aiokafka", "kafkars.compat.aiokafka"]
METADATA = b"\0\3\0\0\0\2\0\1a\0\2bc\0\0\0\1u" + b"\0\0\0\0\xff\xff\xff\xff\xff\xff"
"""The subscription of a member of version 3, which says more than aiokafka reads."""
ASSIGNMENT = b"\0\0\0\0\0\2" + b"\0\1a\0\0\0\2\0\0\0\0\0\0\0\1" + b"\0\2bc\0\0\0\0" + b"\xff\xff\xff\xff"


@pytest.fixture(params=SIDES)
def protocol(request: pytest.FixtureRequest) -> Any:
    return importlib.import_module(f"{request.param}.coordinator.protocol")


def test_subscriptions_are_decoded_and_encoded(protocol: Any) -> None:
    for data in (METADATA, io.BytesIO(METADATA)):
        decoded = protocol.ConsumerProtocolMemberMetadata.decode(data)
        assert (decoded.version, decoded.subscription, decoded.user_data) == (3, ["a", "bc"], b"u")
    assert repr(decoded) == "ConsumerProtocolMemberMetadata(version=3, subscription=['a', 'bc'], user_data=b'u')"
    assert decoded.encode() == METADATA[:-10]
    assert decoded == protocol.ConsumerProtocolMemberMetadata(3, ["a", "bc"], b"u")
    assert decoded == protocol.ConsumerProtocolMemberMetadata(version=3, subscription=["a", "bc"], user_data=b"u")
    assert decoded != protocol.ConsumerProtocolMemberMetadata(3, ["a"], b"u")
    assert decoded != (3, ["a", "bc"], b"u")
    assert decoded.get_item("version") == 3
    assert len({decoded, decoded}) == 1


def test_assignments_are_decoded_and_encoded(protocol: Any) -> None:
    kind = protocol.ConsumerProtocolMemberAssignment
    decoded = kind.decode(ASSIGNMENT)
    assert (decoded.version, decoded.assignment, decoded.user_data) == (0, [("a", [0, 1]), ("bc", [])], None)
    assert [tuple(each) for each in decoded.partitions()] == [("a", 0), ("a", 1)]
    assert decoded.encode() == ASSIGNMENT
    assert repr(decoded) == (
        "ConsumerProtocolMemberAssignment(version=0, assignment=[(topic='a', partitions=[0, 1]), "
        "(topic='bc', partitions=[])], user_data=None)"
    )
    assert kind(0, [kind.Assignment("a", [0, 1]), kind.Assignment("bc", [])], None).encode() == ASSIGNMENT


def test_what_is_cut_short_or_wrong_is_refused(protocol: Any) -> None:
    metadata, assignment = protocol.ConsumerProtocolMemberMetadata, protocol.ConsumerProtocolMemberAssignment
    for kind, data in ((metadata, METADATA[:-10]), (assignment, ASSIGNMENT)):
        for length in range(len(data)):
            with pytest.raises(ValueError, match=r".*"):
                kind.decode(data[:length])
    with pytest.raises(ValueError, match=r".*"):
        metadata(1)
    with pytest.raises(ValueError, match="colour"):
        metadata(colour=1)
    with pytest.raises(ValueError, match=r".*"):
        metadata("x", ["a"], b"").encode()
    with pytest.raises(KeyError):
        metadata(0, [], b"").get_item("colour")
    assert metadata().subscription is None
    # A text about wrong values is no error of its own.
    assert "assignment=[('a', 1)]" in repr(assignment(0, [("a", 1)], None))


def test_the_protocol_names_its_parts(protocol: Any) -> None:
    named = protocol.ConsumerProtocol
    assert (named.PROTOCOL_TYPE, named.ASSIGNMENT_STRATEGIES) == ("consumer", ("range", "roundrobin"))
    assert named.METADATA.SCHEMA.names == ("version", "subscription", "user_data")
    assert named.ASSIGNMENT.SCHEMA.names == ("version", "assignment", "user_data")


def test_responses_say_what_they_are(library: Library, run: Run) -> None:
    topic = f"{library.group()}-topic"

    async def test() -> None:
        admin, resource = library.module("admin"), library.module("admin.config_resource").ConfigResource
        client = admin.AIOKafkaAdminClient(bootstrap_servers=library.broker.bootstrap_servers)
        await client.start()
        made = await client.create_topics([admin.NewTopic(topic, 1, 1)])
        answers = [
            made,
            *await client.describe_configs([resource("topic", library.broker.new_topic(), {"retention.ms": None})]),
            *await client.alter_configs([]),
            *await client.describe_consumer_groups(["nobody"]),
            await client.delete_topics([topic]),
        ]
        told = [(type(each).__name__, each.API_KEY, each.API_VERSION, each.SCHEMA.names) for each in answers]
        assert told == [
            ("CreateTopicsResponse_v3", 19, 3, ("throttle_time_ms", "topic_errors")),
            ("DescribeConfigsResponse_v2", 32, 2, ("throttle_time_ms", "resources")),
            ("AlterConfigsResponse_v1", 33, 1, ("throttle_time_ms", "resources")),
            ("DescribeGroupsResponse_v2", 15, 2, ("throttle_time_ms", "groups")),
            ("DeleteTopicsResponse_v3", 20, 3, ("throttle_time_ms", "topic_error_codes")),
        ]
        written = f"topic_errors=[(topic={topic!r}, error_code=0, error_message=None)])"
        assert repr(made) == f"CreateTopicsResponse_v3(throttle_time_ms=0, {written}"
        name = topic.encode()
        assert made.encode() == b"\0\0\0\0" + b"\0\0\0\1" + len(name).to_bytes(2, "big") + name + b"\0\0\xff\xff"
        for each in answers:
            assert type(each).decode(each.encode()) == each
        await client.close()

    run(test)


def test_partitions_and_metadata_have_responses_too(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        admin = library.module("admin")
        client = admin.AIOKafkaAdminClient(bootstrap_servers=library.broker.bootstrap_servers)
        await client.start()
        grown = await client.create_partitions({topic: admin.NewPartitions(2)})
        assert (grown.API_KEY, grown.API_VERSION, grown.topic_errors) == (37, 1, [(topic, 0, None)])
        await client.close()
        low = library.module("client").AIOKafkaClient(bootstrap_servers=library.broker.bootstrap_servers)
        await low.bootstrap()
        answer = await low.send(low.get_random_node(), library.module("protocol.metadata").MetadataRequest([topic]))
        assert (type(answer).__name__, answer.API_KEY, answer.API_VERSION) == ("MetadataResponse_v5", 3, 5)
        assert type(answer).decode(answer.encode()).to_object() == answer.to_object()
        await low.close()

    run(test)

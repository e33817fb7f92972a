"""What `KafkaAdminClient` does not offer is said by name; the classes that its calls take are those of kafka-python."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from kafkars.compat import kafka
from kafkars.compat.kafka import admin as names
from kafkars.compat.kafka.admin._not_offered import CALLS, NotOfferedError
from kafkars.compat.kafka.errors import IllegalArgumentError, KafkaError, NodeNotReadyError
from kafkars.compat.kafka.protocol.admin import CreateTopicsResponse_v3

from tests.brokers import Broker

RULE = names.ACL(
    "User:a",
    "*",
    names.ACLOperation.READ,
    names.ACLPermissionType.ALLOW,
    names.ResourcePattern(names.ResourceType.TOPIC, "t"),
)
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "send_request": (None,),
    "send_requests": ([],),
}


@pytest.mark.parametrize("call", ARGUMENTS)
def test_what_is_not_offered_names_the_call_and_what_to_use(call: str, embedded_broker: Broker) -> None:
    with kafka.KafkaAdminClient(bootstrap_servers=embedded_broker.bootstrap_servers) as admin:
        with pytest.raises(NotOfferedError) as raised:
            getattr(admin, call)(*ARGUMENTS[call])
        assert isinstance(raised.value, KafkaError)
        assert isinstance(raised.value, NotImplementedError)
        assert f"{call}()" in str(raised.value)
        assert CALLS[call] in str(raised.value)


def test_every_call_that_is_not_offered_is_listed() -> None:
    source = inspect.getsource(kafka.KafkaAdminClient)
    assert {call for call in CALLS if f'not_offered("{call}")' in source} == ARGUMENTS.keys()


def test_rules_are_checked_as_in_the_original() -> None:
    pattern = names.ResourcePattern(names.ResourceType.TOPIC, "t")
    anything = names.ResourcePatternFilter(names.ResourceType.ANY, None, names.ACLResourcePatternType.ANY)
    allow, read = names.ACLPermissionType.ALLOW, names.ACLOperation.READ
    wrong: list[Any] = [
        lambda: names.ResourcePattern(names.ResourceType.ANY, "t"),
        lambda: names.ResourcePattern(names.ResourceType.TOPIC, "t", names.ACLResourcePatternType.MATCH),
        lambda: names.ResourcePatternFilter("topic", "t", names.ACLResourcePatternType.LITERAL),  # type: ignore[arg-type]
        lambda: names.ACL("User:a", "*", names.ACLOperation.ANY, allow, pattern),
        lambda: names.ACL("User:a", "*", read, names.ACLPermissionType.ANY, pattern),
        lambda: names.ACL("User:a", "*", read, allow, anything),  # type: ignore[arg-type]
        lambda: names.ACLFilter("User:a", "*", "read", allow, anything),  # type: ignore[arg-type]
    ]
    for make in wrong:
        with pytest.raises(IllegalArgumentError):
            make()
    same = names.ACL("User:a", "*", read, allow, pattern)
    assert (same, hash(same)) == (RULE, hash(RULE))
    assert same != names.ACL("User:b", "*", read, allow, pattern)


def test_an_answer_is_a_struct_with_a_form_on_the_wire() -> None:
    answer = CreateTopicsResponse_v3(0, [("t", 36, None)])
    assert CreateTopicsResponse_v3.decode(answer.encode()) == answer
    assert answer.to_object()["topic_errors"] == [{"topic": "t", "error_code": 36, "error_message": None}]
    with pytest.raises(ValueError, match="bytes are needed"):
        CreateTopicsResponse_v3.decode(answer.encode()[:-1])
    with pytest.raises(ValueError, match="unknown: topics"):
        CreateTopicsResponse_v3(topics=[])


def test_a_closed_administrator_says_so_at_once(embedded_broker: Broker) -> None:
    admin = kafka.KafkaAdminClient(bootstrap_servers=embedded_broker.bootstrap_servers)
    with pytest.raises(NodeNotReadyError, match=r"NodeNotReadyError: 77"):
        admin.describe_configs([names.ConfigResource("broker", "77")])
    admin.close()
    with pytest.raises(NodeNotReadyError, match="closed"):
        admin.list_topics()

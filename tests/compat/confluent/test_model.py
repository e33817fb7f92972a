"""Enumerations, ids and nodes: the same on the library and its face."""

from __future__ import annotations

from types import ModuleType

import pytest

ENUMERATIONS = {
    "ConsumerGroupState": [
        "UNKNOWN",
        "PREPARING_REBALANCING",
        "COMPLETING_REBALANCING",
        "STABLE",
        "DEAD",
        "EMPTY",
    ],
    "ConsumerGroupType": ["UNKNOWN", "CONSUMER", "CLASSIC"],
    "IsolationLevel": ["READ_UNCOMMITTED", "READ_COMMITTED"],
    "ElectionType": ["PREFERRED", "UNCLEAN"],
}


@pytest.mark.parametrize("name", ENUMERATIONS)
def test_members_have_their_numbers_and_order(ck: ModuleType, name: str) -> None:
    kind = getattr(ck, name)
    assert [(each.name, each.value) for each in kind] == [(each, at) for at, each in enumerate(ENUMERATIONS[name])]
    first, second = list(kind)[:2]
    assert first < second
    assert sorted([second, first]) == [first, second]
    with pytest.raises(TypeError):
        assert first < 3


def test_enumerations_are_not_compared_with_each_other(ck: ModuleType) -> None:
    with pytest.raises(TypeError):
        assert ck.ConsumerGroupState.STABLE < ck.ConsumerGroupType.CLASSIC
    assert ck.ConsumerGroupState.UNKOWN is ck.ConsumerGroupState.UNKNOWN
    assert [(each.name, each.value) for each in ck.AcknowledgeType] == [("ACCEPT", 1), ("RELEASE", 2), ("REJECT", 3)]


def test_ids_are_written_in_base64(ck: ModuleType) -> None:
    # Of which Kafka's own tools have another alphabet: - and _ for + and /.
    assert str(ck.Uuid(-1, -2)) == "/////////////////////g"
    assert str(ck.Uuid(1, 2)) == repr(ck.Uuid(1, 2)) == "AAAAAAAAAAEAAAAAAAAAAg"
    ident = ck.Uuid(-1, 5)
    assert (ident.get_most_significant_bits(), ident.get_least_significant_bits()) == (-1, 5)
    assert hash(ck.Uuid(7, 8)) == hash(ck.Uuid(7, 8))
    assert ck.Uuid(1, 2) != 3
    for wrong, error in ((("a", 2), TypeError), ((2**63, 2), OverflowError), ((1,), TypeError)):
        with pytest.raises(error):
            ck.Uuid(*wrong)


def test_nodes_and_collections_hold_what_they_are_given(ck: ModuleType) -> None:
    assert vars(ck.Node(1, "h", 2, "r")) == {"id": 1, "id_string": "1", "host": "h", "port": 2, "rack": "r"}
    assert (str(ck.Node(1, "h", 2)), str(ck.Node(1, "h", 2, "r"))) == ("(1) h:2 ", "(1) h:2 (Rack - r)")
    assert vars(ck.ConsumerGroupTopicPartitions("g")) == {"group_id": "g", "topic_partitions": None}
    assert ck.TopicCollection(["a"]).topic_names == ["a"]
    info = ck.TopicPartitionInfo(0, None, [], [])
    assert vars(info) == {"id": 0, "leader": None, "replicas": [], "isr": []}
    event = ck.ThrottleEvent("b:1", 1, 0.5)
    assert (event.broker_name, event.broker_id, event.throttle_time) == ("b:1", 1, 0.5)


def test_a_batch_of_messages_is_a_sequence(ck: ModuleType) -> None:
    batch = ck.Messages([1, 2, 3])
    assert (batch.count(), len(batch), list(batch), batch.records(), batch[1]) == (3, 3, [1, 2, 3], [1, 2, 3], 2)
    assert list(batch[1:]) == [2, 3]
    batch.records().clear()
    assert batch.count() == 3
    assert (batch.is_empty(), ck.Messages().is_empty()) == (False, True)


def test_exceptions_of_state_are_runtime_errors(ck: ModuleType) -> None:
    assert ck.IllegalStateException.__bases__ == ck.ConcurrentModificationException.__bases__ == (RuntimeError,)

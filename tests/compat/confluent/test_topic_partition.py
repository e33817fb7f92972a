"""TopicPartition."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest


def test_defaults_stand_for_nothing(ck: ModuleType) -> None:
    place = ck.TopicPartition("topic")
    assert (place.topic, place.partition, place.offset) == ("topic", -1, ck.OFFSET_INVALID)
    assert (place.metadata, place.leader_epoch, place.error) == (None, None, None)


def test_all_parts_are_kept(ck: ModuleType) -> None:
    place = ck.TopicPartition("topic", partition=1, offset=5, metadata="text", leader_epoch=7)
    assert (place.partition, place.offset, place.metadata, place.leader_epoch) == (1, 5, "text", 7)


def test_place_alone_makes_them_equal_and_ordered(ck: ModuleType) -> None:
    place = ck.TopicPartition("b", 1, 5)
    assert place == ck.TopicPartition("b", 1, 6)
    assert place != ck.TopicPartition("b", 2, 5)
    assert hash(place) == hash(ck.TopicPartition("b", 1))
    places = [ck.TopicPartition("b", 2), ck.TopicPartition("a", 3), place]
    assert [(found.topic, found.partition) for found in sorted(places)] == [("a", 3), ("b", 1), ("b", 2)]
    assert len({place, ck.TopicPartition("b", 1, 9)}) == 1


def test_partition_and_offset_can_be_set_and_the_rest_not(ck: ModuleType) -> None:
    place = ck.TopicPartition("topic", 1)
    place.offset = ck.OFFSET_END
    place.partition = 2
    assert (place.partition, place.offset) == (2, -1)
    for name in ("topic", "error", "leader_epoch"):
        with pytest.raises(AttributeError):
            setattr(place, name, None)


def test_they_are_shown_alike(ck: ModuleType) -> None:
    place = ck.TopicPartition("topic", 1, -2)
    assert repr(place) == str(place) == "TopicPartition{topic=topic,partition=1,offset=-2,leader_epoch=None,error=None}"


@pytest.mark.parametrize(
    "arguments", [(), (None,), (b"topic",), ("topic", None), ("topic", "1"), ("topic", 1, "2"), ("topic", 1, 2, 3)]
)
def test_wrong_types_are_refused(ck: ModuleType, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        ck.TopicPartition(*arguments)

"""Message by itself: made of parts, changed, copied."""

from __future__ import annotations

import pickle
from types import ModuleType
from typing import Any

import pytest

PARTS = ("topic", 1, 2, b"key", b"value", [("name", b"header")], None, (1, 5), 0.5, 3)


def everything(message: Any) -> tuple[Any, ...]:
    return (
        message.topic(),
        message.partition(),
        message.offset(),
        message.key(),
        message.value(),
        message.headers(),
        message.error(),
        message.timestamp(),
        message.latency(),
        message.leader_epoch(),
    )


def test_a_message_says_what_it_was_made_of(ck: ModuleType) -> None:
    message = ck.Message(*PARTS)
    assert everything(message) == PARTS
    assert message.delivery_count() is None
    assert len(message) == 5
    assert (message.deserialized_key(), message.deserialized_value()) == (b"key", b"value")


def test_a_message_of_a_subclass_has_the_arguments_that_it_chooses(ck: ModuleType) -> None:
    class Fake(ck.Message):  # type: ignore[misc,name-defined]
        def __init__(self, mine: str, *, text: str | None = None) -> None:
            super().__init__(topic="topic", value=b"value")
            self.mine = (mine, text)

    class Silent(ck.Message):  # type: ignore[misc,name-defined]
        def __init__(self, anything: object) -> None:
            self.anything = anything

    message = Fake("mine", text="text")
    assert (message.topic(), message.value(), message.mine) == ("topic", b"value", ("mine", "text"))
    assert (Silent(5).anything, Silent(5).topic(), Silent(5).value()) == (5, None, None)


def test_a_message_can_be_made_anew(ck: ModuleType) -> None:
    message = ck.Message("topic", 1, value=b"value")
    message.__init__(topic="other")
    assert (message.topic(), message.partition(), message.value()) == ("other", None, None)
    with pytest.raises(TypeError):
        message.__init__(partition="none")


@pytest.mark.parametrize("number", [-1, -5, -1001])
def test_numbers_that_stand_for_nothing_are_nothing(ck: ModuleType, number: int) -> None:
    message = ck.Message(partition=number, offset=number, leader_epoch=number, delivery_count=number, latency=number)
    assert (message.partition(), message.offset(), message.leader_epoch()) == (None, None, None)
    assert (message.delivery_count(), message.latency()) == (None, None)
    assert ck.Message(delivery_count=0).delivery_count() is None


@pytest.mark.parametrize("timestamp", [(1,), (1, 2, 3), 5, [1, 2], "ab"])
def test_a_timestamp_is_a_kind_and_a_time(ck: ModuleType, timestamp: Any) -> None:
    with pytest.raises(TypeError, match="timestamp must be a tuple"):
        ck.Message(timestamp=timestamp)


def test_a_class_is_derived_from_message(ck: ModuleType) -> None:
    class Noted(ck.Message):
        def note(self) -> str:
            return f"{self.topic()} {self.offset()}"

    message = Noted(*PARTS)
    assert (message.note(), everything(message)) == ("topic 2", PARTS)


def test_a_message_is_made_by_names(ck: ModuleType) -> None:
    error = ck.KafkaError(3)
    message = ck.Message(topic="topic", value=b"text", error=error, delivery_count=2)
    assert message.error() is error or message.error() == error
    assert message.topic() == "topic"
    assert message.delivery_count() == 2


def test_an_empty_message_has_nothing(ck: ModuleType) -> None:
    message = ck.Message()
    assert everything(message) == (None, None, None, None, None, None, None, (0, 0), None, None)
    assert len(message) == 0
    assert not message


def test_parts_can_be_replaced(ck: ModuleType) -> None:
    message = ck.Message(*PARTS)
    made = {"any": "object"}
    message.set_key(made)
    message.set_value([1, 2, 3])
    message.set_headers([("other", None)])
    message.set_topic("elsewhere")
    assert message.key() is made
    assert message.value() == [1, 2, 3]
    assert message.headers() == [("other", None)]
    assert message.topic() == "elsewhere"
    message.set_error(ck.KafkaError(7))
    assert message.error() == 7


def test_messages_are_compared_by_content(ck: ModuleType) -> None:
    assert ck.Message(*PARTS) == ck.Message(*PARTS)
    other = ck.Message(*PARTS)
    other.set_value(b"other")
    assert ck.Message(*PARTS) != other
    assert ck.Message(*PARTS) != 1
    with pytest.raises(TypeError):
        hash(other)


@pytest.mark.parametrize("part", ["latency", "delivery_count", "timestamp"])
def test_what_differs_by_the_way_of_a_message_does_not_make_it_another(ck: ModuleType, part: str) -> None:
    """As one that was sent, and is compared with the one that was read. The library compares times, and not their
    kinds."""
    one, other = {"latency": (0.1, 0.2), "delivery_count": (1, 2), "timestamp": ((1, 5), (2, 5))}[part]
    assert ck.Message("topic", **{part: one}) == ck.Message("topic", **{part: other})
    assert ck.Message("topic", timestamp=(1, 5)) != ck.Message("topic", timestamp=(1, 6))


def test_a_message_is_copied_by_pickle(ck: ModuleType) -> None:
    message = ck.Message(*PARTS)
    copy = pickle.loads(pickle.dumps(message))
    assert everything(copy) == everything(message)
    assert copy == message

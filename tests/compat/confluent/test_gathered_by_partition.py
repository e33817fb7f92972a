"""What one call of an AIOConsumer has taken, as other calls see it: by partition, without going through all of it."""

from __future__ import annotations

import random
from typing import Any
from unittest.mock import Mock

import pytest
from kafkars import _kafkars
from kafkars.compat.confluent_kafka import KafkaError, Message
from kafkars.compat.confluent_kafka.aio import _gathering
from kafkars.compat.confluent_kafka.aio._gathering import Gathering, is_end, offset_of, place_of

PARTITIONS = 3
PLACES = [("t", number) for number in range(PARTITIONS)]


class Lock:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


def gathering() -> Gathering:
    return Gathering(Mock(_lock_=Lock()))


def runs_of_batches(messages: list[Any], start: int) -> list[Any]:
    """As the native function, with neighbours of one partition in one batch."""
    runs: list[Any] = []
    for run in _kafkars.runs_of_messages(messages, start):
        last = runs[-1] if runs else None
        follows = last is not None and last[:2] == run[:2] and None not in {last[4], run[4]} and last[4] < run[4]
        runs[-1:] = [(*last[:3], run[3], last[4])] if follows else [*runs[-1:], run]
    return runs


def lowest(messages: list[Any]) -> dict[Any, int]:
    found: dict[Any, int] = {}
    for each in messages:
        offset = offset_of(each)
        if offset is not None:
            found[place_of(each)] = min(offset, found.get(place_of(each), offset))
    return found


@pytest.mark.parametrize("batches", [False, True], ids=["messages", "batches"])
@pytest.mark.parametrize("seed", range(40))
def test_what_is_left_is_what_a_list_would_have(monkeypatch: pytest.MonkeyPatch, seed: int, batches: bool) -> None:
    if batches:
        monkeypatch.setattr(_gathering, "runs_of_messages", runs_of_batches)
    chance = random.Random(seed)
    held, model = gathering(), list[Any]()
    next_offsets = dict.fromkeys(PLACES, 0)
    for _ in range(60):
        place = chance.choice(PLACES)
        match chance.choice(["add", "add", "error", "drop", "drop above", "put down", "remove", "ask", "ask"]):
            case "add":
                offset, count = next_offsets[place] + chance.randrange(3), chance.randrange(1, 6)
                more = [Message(*place, offset + each) for each in range(count)]
                next_offsets[place] = offset + count
                held.add(more)
                model += more
            case "error":
                code = chance.choice([KafkaError._PARTITION_EOF, KafkaError._TRANSPORT])
                error = Message(*place, next_offsets[place], error=KafkaError(code))
                held.add([error])
                model.append(error)
            case "drop":
                held.drop(place)
                model = [each for each in model if place_of(each) != place]
            case "drop above":
                above = chance.randrange(next_offsets[place] + 1)
                held.drop(place, above)
                model = [each for each in model if place_of(each) != place or (offset_of(each) or 0) <= above]
                offsets = [offset_of(each) or 0 for each in model if place_of(each) == place]
                next_offsets[place] = max([-1, *offsets]) + 1
            case "put down":
                held.put_down(place)
                model = [
                    each for each in model if place_of(each) != place or (offset_of(each) is None and not is_end(each))
                ]
            case "remove":
                given = [each for each in model if chance.random() < 0.3]
                held.remove(given)
                model = [each for each in model if all(each is not other for other in given)]
            case _:
                assert dict(held.firsts()) == lowest(model)
                assert list(map(id, held.errors())) == [id(each) for each in model if each.error() is not None]
        assert list(map(id, held.messages)) == list(map(id, model))
        assert len(held) == len(model)


def test_no_message_is_looked_at_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """`position()` took a third of a millisecond for each thousand messages that another call had gathered."""
    looked = Mock(side_effect=_kafkars.runs_of_messages)
    monkeypatch.setattr(_gathering, "runs_of_messages", looked)
    held = gathering()
    for number in range(4):
        held.add([Message("t", number % PARTITIONS, 10 * number + each) for each in range(10)])
        assert held.firsts()
        held.put_down(("t", 1))
        assert [each.args[1] for each in looked.call_args_list] == [10 * each for each in range(number + 1)]

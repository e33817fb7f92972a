"""Records for what reads objects by their attributes: on aiokafka and on the face."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any, get_type_hints

import pytest

from tests.support.aiokafka_library import Library, Run


def made(library: Library) -> Any:
    return library.module().ConsumerRecord("t", 1, 2, 3, 0, b"k", b"v", None, 1, 1, (("h", b"x"),))


def test_vars_are_the_fields_as_they_are_now(embedded: Library) -> None:
    record = made(embedded)
    fields = [field.name for field in dataclasses.fields(record)]
    assert list(vars(record)) == fields
    assert vars(record) == record.__dict__ == dataclasses.asdict(record)
    record.value = [1]
    assert vars(record)["value"] == [1]
    assert set(fields) <= set(dir(record))
    assert copy.copy(record) == record


def test_vars_of_a_fetched_record(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        await embedded.fill(topic, 1)
        async with embedded.consumer(topic) as consumer:
            record = await consumer.getone()
            assert vars(record) == {
                name: getattr(record, name) for name in embedded.module().ConsumerRecord.__annotations__
            }
            assert (vars(record)["topic"], vars(record)["value"]) == (topic, b"v0")

    run(test)


def test_the_annotations_are_those_of_the_fields(embedded: Library) -> None:
    record = embedded.module().ConsumerRecord
    assert record.__annotations__ == {field.name: field.type for field in dataclasses.fields(record)}
    assert get_type_hints(record)["topic"] is str


def test_pydantic_dumps_a_record(embedded: Library) -> None:
    pydantic = pytest.importorskip("pydantic")
    kind = embedded.module().ConsumerRecord
    model = pydantic.create_model("M", __config__={"arbitrary_types_allowed": True}, record=(kind, ...))
    record = made(embedded)
    assert model(record=record).model_dump()["record"] == vars(record)


def test_a_record_has_no_room_for_other_attributes(face: Library) -> None:
    record = made(face)
    with pytest.raises(AttributeError):
        record.extra = 1
    vars(record)["extra"] = 1
    assert "extra" not in vars(record)

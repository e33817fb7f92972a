"""kafkars.serde: JSON by orjson and by Python's own module, and what typed deserializers take."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import json
import sys
import uuid
from typing import Any, Literal

import pydantic
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kafkars.serde import JsonDeserializer, JsonSerializer


@pytest.fixture(params=["orjson", "json"], autouse=True)
def _library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test with the JSON of either library."""
    if request.param == "json":
        monkeypatch.setitem(sys.modules, "orjson", None)


class Size(enum.Enum):
    """A choice."""

    SMALL = "s"
    LARGE = "l"


@dataclasses.dataclass
class Item:
    """One of many."""

    name: str
    weight: float
    parts: list[Item] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Order:
    """With a field of each kind."""

    number: int
    placed: dt.datetime
    key: uuid.UUID
    size: Size
    items: list[Item]
    notes: dict[str, str]
    customer: str | None = None
    paid: bool = False
    channel: Literal["web", "shop"] = "web"
    tags: frozenset[str] = frozenset()


class Model(pydantic.BaseModel):
    """What pydantic takes."""

    number: int
    placed: dt.datetime


ORDER = Order(
    7,
    dt.datetime(2026, 11, 22, 12, 30, tzinfo=dt.timezone.utc),
    uuid.UUID(int=5),
    Size.LARGE,
    [Item("kettle", 1.5, [Item("lid", 1)])],
    {"ü": "ö"},
)


def test_a_dataclass_comes_back_as_it_was() -> None:
    order = dataclasses.replace(ORDER, customer="Ada", paid=True, channel="shop")
    data = JsonSerializer(default=list)(order)
    assert JsonDeserializer(Order)(data) == order
    assert "ü" in data.decode()
    assert b" " not in data


def test_a_model_comes_back_as_it_was() -> None:
    model = Model(number=1, placed=ORDER.placed)
    assert JsonDeserializer(Model)(JsonSerializer()(model)) == model
    assert JsonDeserializer(list[Model])(JsonSerializer()([model])) == [model]


Plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(Plain.filter(lambda value: "\\ud" not in json.dumps(value)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_both_libraries_say_the_same(value: Any) -> None:
    by_orjson = JsonSerializer(sort_keys=True)(value)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "orjson", None)
        by_json = JsonSerializer(sort_keys=True)(value)
        assert JsonDeserializer()(by_orjson) == value
    assert JsonDeserializer()(by_json) == value


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "missing": ({"number": ...}, r"\.number is missing"),
    "text for a number": ({"number": "7"}, r"\.number: expected a whole number, not '7'"),
    "true for a number": ({"number": True}, r"\.number: expected a whole number, not True"),
    "null": ({"size": None}, r"\.size: .*None"),
    "no such choice": ({"channel": "post"}, r"\.channel: expected one of 'web', 'shop', not 'post'"),
    "deep down": (
        {"items": [{"name": "a", "weight": 1}, {"name": "b", "weight": "x"}]},
        r"\.items\[1\]\.weight: expected a number, not 'x'",
    ),
    "no array": ({"items": {}}, r"\.items: expected an array, not {}"),
    "a member": ({"notes": {"a": 1}}, r"\.notes\.a: expected text, not 1"),
    "no time": ({"placed": 5}, r"\.placed: expected datetime as text, not 5"),
    "a bad time": ({"placed": "soon"}, r"\.placed: Invalid isoformat string"),
    "none of a union": ({"customer": 5}, r"\.customer: expected text, not 5; or expected null, not 5"),
    "long": ({"notes": "x" * 1_000}, r"\.notes: expected an object, not 'x{39}\.\.\.$"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_is_named_with_its_place(name: str) -> None:
    change, message = WRONG[name]
    members = json.loads(JsonSerializer(default=list)(ORDER)) | change
    data = json.dumps({name: value for name, value in members.items() if value is not ...}).encode()
    with pytest.raises(ValueError, match=message):
        JsonDeserializer(Order)(data)


def test_members_that_are_not_known_are_left_out_and_z_is_utc() -> None:
    members = json.loads(JsonSerializer(default=list)(ORDER)) | {"later": 1, "placed": "2026-11-22T12:30:00Z"}
    assert JsonDeserializer(Order)(json.dumps(members).encode()) == ORDER


def test_what_is_no_json_is_a_value_error() -> None:
    for data in (b"", b"{", b"\xff", b"nul"):
        with pytest.raises(ValueError, match=r"."):
            JsonDeserializer()(data)


def test_what_json_has_nothing_for_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="object of type object"):
        JsonSerializer()({"a": object()})
    assert JsonSerializer(default=lambda _: "other")({"a": object()}) == b'{"a":"other"}'


def test_a_type_that_nobody_knows_is_told_when_the_deserializer_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    class Strange:
        pass

    with pytest.raises(TypeError, match="neither does pydantic"):
        JsonDeserializer(Strange)
    monkeypatch.setitem(sys.modules, "pydantic", None)
    with pytest.raises(TypeError, match="pydantic, which may, is not installed"):
        JsonDeserializer(Strange)

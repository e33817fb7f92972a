"""kafkars.serde: JSON by orjson and by Python's own module, and what typed deserializers take."""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import json
import sys
import uuid
from collections.abc import Callable
from typing import Annotated, Any, Literal, NamedTuple

import orjson
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


def test_an_object_is_not_taken_for_its_class() -> None:
    with pytest.raises(TypeError, match="kind: expected a type, not an object of it: give Item"):
        JsonDeserializer(Item("a", [1]))  # type: ignore[call-overload]


@pytest.mark.parametrize("given", [{"number": int}, [int], (int, str), 5, len, dict.get])
def test_a_value_is_no_kind(given: Any) -> None:
    """Said "unhashable type: 'dict'"."""
    with pytest.raises(TypeError, match="kind: expected a type, not "):
        JsonDeserializer(given)


@pytest.mark.parametrize("kind", [list[int], dict[str, int], int | None, Literal["a"], Annotated[int, "pieces"], Any])
def test_what_stands_for_a_type_is_one(kind: Any) -> None:
    JsonDeserializer(kind)


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


@dataclasses.dataclass
class Hidden:
    """With a member that orjson leaves out."""

    _own: int
    shown: float


class Name(str):
    """Text of a class of its own."""

    __slots__ = ()


class Level(enum.IntEnum):
    """A number with a name."""

    LOW = 1


class Pair(NamedTuple):
    """A tuple with names."""

    one: int


Leaf = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.sampled_from(
        [1e-5, -1.5e-05, 1e16, 1e22, 5e-324, float("nan"), float("inf"), -0.0, 2**63, 2**64, -(2**63) - 1]
    )
    | st.text(st.characters())
    | st.sampled_from(["1e5", "5e-3f", "null", "[1e5]", "\x7f\u2028/"])
    | st.sampled_from(
        [Size.SMALL, Level.LOW, Name("n"), Pair(1), Hidden(1, 1e-7), uuid.UUID(int=7), ORDER.placed, b"b"]
    )
)
Key = st.text() | st.integers() | st.none() | st.booleans() | st.floats() | st.sampled_from([Level.LOW, Name("k")])
Anything = st.recursive(Leaf, lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(Key, inner))


def told(call: Callable[[Any], Any], given: Any) -> Any:
    """What a call answers, exactly, or the class that it raises."""
    try:
        return repr(call(given))
    except (TypeError, ValueError, RecursionError) as error:
        return type(error)


def both(make: Callable[[], Callable[[Any], Any]], given: Any) -> tuple[Any, Any]:
    """What is told with orjson, and without."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "orjson", orjson)
        fast = make()
        patch.setitem(sys.modules, "orjson", None)
        plain = make()
    return told(fast, given), told(plain, given)


@given(Anything, st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_both_libraries_write_the_same_bytes_or_refuse_alike(value: Any, sort_keys: bool) -> None:
    fast, plain = both(lambda: JsonSerializer(sort_keys=sort_keys), value)
    assert fast == plain


NUMBERS = st.from_regex(r"-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,20})?([eE][-+]?[0-9]{1,3})?", fullmatch=True)
WORDS = [
    "NaN",
    "Infinity",
    "-Infinity",
    "\ufeff{}",
    '{"a":1,"a":2}',
    '{"a":1} x',
    '"\\ud800"',
    '"\t"',
    "-0",
    "01",
    "[1,]",
    "",
]


@given((NUMBERS | st.sampled_from(WORDS) | st.text()).map(str.encode) | st.binary())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_both_libraries_read_the_same_or_refuse_alike(data: bytes) -> None:
    fast, plain = both(JsonDeserializer, data)
    assert isinstance(fast, str) == isinstance(plain, str)
    if isinstance(fast, str):
        assert fast == plain


def test_numbers_that_are_not_finite_are_refused_both_ways() -> None:
    for value in (float("nan"), [float("inf")], {"a": float("-inf")}):
        with pytest.raises(ValueError, match="not JSON compliant"):
            JsonSerializer()(value)
    for data in (b"NaN", b"[Infinity]", b"-Infinity"):
        with pytest.raises(ValueError, match="is no JSON"):
            JsonDeserializer()(data)
    for data in (b"[1e999]", b"-1e400", b"[" + b"9" * 400 + b".5]"):
        with pytest.raises(ValueError, match="is larger than a float can be"):
            JsonDeserializer()(data)
    assert JsonDeserializer()(b"1180591620717411303424") == 2**70


def test_half_of_a_surrogate_pair_goes_out_as_it_came_in() -> None:
    """Others write it where they cut a text within an emoji; such a record could be read and not passed on."""
    data = b'{"caf\xc3\xa9 \\ud83d":["\\udc00"]}'
    read = JsonDeserializer()(data)
    assert read == {"café \ud83d": ["\udc00"]}
    assert JsonSerializer()(read) == data


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


@dataclasses.dataclass
class Priced:
    """Members that only pydantic makes, beside others."""

    pieces: int
    price: decimal.Decimal
    pair: tuple[int, str] = (0, "")
    model: Model | None = None
    tags: Annotated[list[str], pydantic.Field(max_length=2)] = dataclasses.field(default_factory=list)
    note: Annotated[str, "shown to the customer"] = ""


def test_members_that_pydantic_makes_leave_the_rules_of_the_others() -> None:
    data = (
        b'{"pieces": 1, "price": "1.10", "pair": [2, "x"], "model": {"number": "5", "placed": "2026-01-02T03:04:05Z"}}'
    )
    placed = dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.timezone.utc)
    expected = Priced(1, decimal.Decimal("1.10"), (2, "x"), Model(number=5, placed=placed))
    assert JsonDeserializer(Priced)(data) == expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pieces": "5"}, r"^\.pieces: expected a whole number, not '5'$"),
        ({"pieces": True}, r"^\.pieces: expected a whole number, not True$"),
        ({"price": True}, r"^\.price: .*, not True$"),
        ({"pair": [1, 2]}, r"^\.pair\[1\]: .*string, not 2$"),
        ({"pair": ["1", "x"]}, r"^\.pair\[0\]: .*integer, not '1'$"),
        ({"tags": ["a", "b", "c"]}, r"^\.tags: .*at most 2 items.*"),
        ({"note": 5}, r"^\.note: expected text, not 5$"),
        ({"model": {"number": "x", "placed": 5}}, r"^\.model\.number: .*, not 'x'"),
    ],
)
def test_members_that_pydantic_makes_are_as_strict_as_the_others(change: dict[str, Any], message: str) -> None:
    members = {"pieces": 1, "price": 1.1} | change
    with pytest.raises(ValueError, match=message):
        JsonDeserializer(Priced)(json.dumps(members).encode())


def test_a_model_follows_its_own_rules() -> None:
    made = JsonDeserializer(Model)(b'{"number": "5", "placed": "2026-01-02T03:04:05Z"}')
    assert made.number == 5
    with pytest.raises(pydantic.ValidationError):
        JsonDeserializer(Model)(b'{"number": "x"}')


class Suffix(enum.Enum):
    """With an error of its own, which begins as a path does."""

    TEXT = ".txt"

    @classmethod
    def _missing_(cls, value: object) -> Suffix:
        raise ValueError(f"{value} is no suffix")


def test_an_error_of_the_application_is_not_taken_for_a_path() -> None:
    with pytest.raises(ValueError, match=r"^\[1\]: \.png is no suffix"):
        JsonDeserializer(list[Suffix])(b'[".txt", ".png"]')


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

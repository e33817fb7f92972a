"""Classes of settings are what `@dataclass(frozen=True, kw_only=True)` would have made of them."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from typing import Any, ClassVar  # noqa: F401  `dataclasses` looks for the name here

import pytest
from kafkars import AdminConfig, ClientConfig, ConsumerConfig, ProducerConfig
from kafkars._frozen import settings
from kafkars.compat.confluent_kafka._face import Face

CONFIGS = [ClientConfig, AdminConfig, ConsumerConfig, ProducerConfig]


def made(decorator: Any) -> tuple[Any, Any]:
    """The same two classes, one derived from the other, by either decorator."""
    kinds = {"first": "int", "second": "str", "KNOWN": "ClassVar[int]"}
    base = type("Base", (), {"__annotations__": kinds, "__module__": __name__, "second": "b", "KNOWN": 3})
    base = decorator(frozen=True, kw_only=True)(base)
    body = {"__annotations__": {"second": "str", "third": "object"}, "second": "B", "third": None}
    return base, decorator(frozen=True, kw_only=True)(type("Derived", (base,), {**body, "__module__": __name__}))


CALLS: list[Any] = [
    {"first": 1},
    {"first": 1, "second": "x"},
    {},
    {"second": "x"},
    {"first": 1, "KNOWN": 4},
    {"first": 1, "fourth": 4},
    {"first": 1, "third": []},
]


@pytest.mark.parametrize("keywords", CALLS)
@pytest.mark.parametrize("which", [0, 1])
def test_they_are_made_and_compared_as_dataclasses(which: int, keywords: dict[str, Any]) -> None:
    ours, theirs = made(settings)[which], made(dataclasses.dataclass)[which]
    assert outcome(ours, keywords) == outcome(theirs, keywords)
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    assert [(each.name, each.type, each.default) for each in dataclasses.fields(ours)] == [
        (each.name, each.type, each.default) for each in dataclasses.fields(theirs)
    ]


def outcome(kind: Any, keywords: dict[str, Any]) -> Any:
    """What becomes of a call, and of what is done with the object."""
    try:
        first = kind(**keywords)
    except TypeError:
        return "TypeError"
    shown = [repr(first), vars(first), first == kind(**keywords), first == 3, dataclasses.asdict(first)]
    shown += [repr(dataclasses.replace(first, first=9)), dataclasses.replace(first, first=9) == first]
    for change in (lambda: setattr(first, "first", 2), lambda: delattr(first, "first")):
        with pytest.raises(dataclasses.FrozenInstanceError) as refused:
            change()
        shown.append(str(refused.value))
    try:
        shown.append(hash(first))
    except TypeError as error:
        shown.append(str(error))
    return shown


@pytest.mark.parametrize("config", CONFIGS)
def test_configs_are_dataclasses_to_whoever_asks(config: Any) -> None:
    made = config(bootstrap_servers="a:1", client_id="me", sasl_password="hush-hush")  # noqa: S106
    assert dataclasses.is_dataclass(config)
    assert "hush-hush" not in repr(made)
    assert list(inspect.signature(config).parameters) == [each.name for each in dataclasses.fields(config)]
    assert dataclasses.replace(made, client_id="you").client_id == "you"
    assert made.__replace__(client_id="you") == dataclasses.replace(made, client_id="you")
    assert copy.copy(made) == made
    with pytest.raises(TypeError, match="bootstrap_servers"):
        config()
    with pytest.raises(TypeError, match="by their names"):
        config("a:1")
    plain = config(bootstrap_servers="a:1")
    assert pickle.loads(pickle.dumps(plain)) == plain
    assert hash(plain) == hash(config(bootstrap_servers=["a:1"]))


def test_a_program_may_derive_a_dataclass_of_its_own() -> None:
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Mine(ProducerConfig):
        shop: str = "corner"

    mine = Mine(bootstrap_servers="a:1", linger_ms=1)
    assert (mine.shop, mine.linger_ms, mine.bootstrap_servers) == ("corner", 1, ("a:1",))
    assert [each.name for each in dataclasses.fields(Mine)][-1] == "shop"
    with pytest.raises(dataclasses.FrozenInstanceError):
        mine.shop = "other"  # type: ignore[misc]


def test_defaults_alone_need_no_argument() -> None:
    assert Face() == Face(statistics_interval=0.0)
    assert Face() != Face(statistics_interval=1.0)

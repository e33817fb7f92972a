"""Native callables of original libraries tell nothing of their parameters: what they answer to keywords does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.compat.surface import parameters

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.compat.surface.library import Library
    from tests.compat.surface.table import Row

# What a native method says of a keyword that it does not have, or of one that is missing because another name was
# given.
UNKNOWN_KEYWORD = ("unexpected keyword", "invalid keyword", "required argument", "keyword argument", "no keyword")
NOWHERE = {"bootstrap.servers": "127.0.0.1:1", "log_level": 0}


def difference(row: Row, library: Library) -> str | None:
    """Calls it with every parameter of the row, each with a value that no call can use, and reads the answer."""
    given = parameters.parse(row.parameters)
    names = [parameter.name for parameter in given if not parameter.name.startswith("*")]
    if not names or any(parameter.positional_only for parameter in given):
        return None
    owner, _, method = row.name.rpartition(".")
    function = library.find(row.name) if row.kind != "method" else _bound(owner, method, library)
    try:
        function(**{name: _Unusable() for name in names})
    except TypeError as error:
        if any(text in str(error) for text in UNKNOWN_KEYWORD):
            return str(error)
    except Exception:  # noqa: BLE001 - the parameters were taken; what becomes of them is not asked
        return None
    return None


class _Unusable:
    """No argument of any call."""


def _bound(owner: str, method: str, library: Library) -> Any:
    made = MAKERS.get(owner.rpartition(".")[2])
    found = library.find(owner)
    return getattr(made(found) if made else found, method)


def _consumer(kind: Any) -> Any:
    return kind({"group.id": "surface", **NOWHERE})


MAKERS: dict[str, Callable[[Any], Any]] = {
    "Consumer": _consumer,
    "KafkaError": lambda kind: kind(1),
    "Message": lambda kind: kind(),
    "NewPartitions": lambda kind: kind("t", 1),
    "NewTopic": lambda kind: kind("t", 1),
    "Producer": lambda kind: kind(NOWHERE),
    "ShareConsumer": _consumer,
    "TopicPartition": lambda kind: kind("t"),
    "Uuid": lambda kind: kind(1, 2),
}

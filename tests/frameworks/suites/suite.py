"""What a suite is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Suite:
    """The tests of a framework that use a Kafka library, or a broker at an address.

    Args:
        name: The framework's name at the package index.
        version: Its release.
        library: The library that it uses, which the face stands in for.
        tests: Files or folders of its source distribution.
        replaced: Texts in its tests, and what stands there instead; `{address}` and `{port}` are those of our broker.
        environment: Variables; the same names stand for the broker.
        arguments: Further arguments of pytest.
        stand_ins: A folder of `stand_ins`, whose files lie over the sources.
        short: Those that take seconds, as of pytest's `-k`: `make test` runs them.
    """

    name: str
    version: str
    library: str
    tests: tuple[str, ...]
    replaced: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    stand_ins: str = ""
    short: str = ""

"""One measurement: what a worker process is told, and what it answers. Both travel as JSON."""

from __future__ import annotations

import json
import resource
import time
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Settings:
    """What is equal for all clients and printed with the results."""

    acks: str = "all"
    linger_ms: int = 5
    batch_size: int = 131_072
    in_flight: int = 5
    idempotence: bool = False
    fetch_max_bytes: int = 52_428_800
    partition_fetch_bytes: int = 1_048_576
    fetch_min_bytes: int = 1
    fetch_wait_ms: int = 500
    # Records asked for by one batch call, and produce results awaited at most before the next send.
    take: int = 500
    outstanding: int = 10_000


@dataclass(frozen=True)
class Task:
    """One job for one client."""

    driver: str
    job: str
    bootstrap: str
    topic: str
    records: int
    partitions: int = 1
    size: int = 100
    codec: str = "none"
    # Latency jobs only: records a second, and how many first ones are not counted.
    rate: int = 0
    warm_up: int = 0
    # Adds up checksums while consuming. Not measured: the sum costs as much as a fast client.
    verify: bool = False
    settings: Settings = field(default_factory=Settings)
    # Settings of confluent-kafka alone, by its own names; `make bench` gives none.
    own: dict[str, Any] = field(default_factory=dict)
    # Over TLS: where the broker listens for it, and the file of the authority that signed its certificate.
    tls_bootstrap: str = ""
    ca: str = ""

    @property
    def address(self) -> str:
        """Where the measured client connects to. Topics are filled and read back over `bootstrap`."""
        return self.tls_bootstrap or self.bootstrap

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Task:
        fields = json.loads(text)
        return cls(**{**fields, "settings": Settings(**fields["settings"])})


@dataclass
class Outcome:
    """What a driver found out: how many records, their checksum when asked for, and how it was set up."""

    records: int
    # Bytes of keys and values touched; must be what was sent.
    touched: int = 0
    checksum: int | None = None
    # Settings by the names of the client itself, those that matter.
    effective: dict[str, Any] = field(default_factory=dict)
    # Microseconds from the moment a record was due to the moment it was received, by record.
    latencies: list[int] = field(default_factory=list)
    # Seconds of CPU within the window that the job needs whichever client does it.
    beside: float = 0.0


class Window:
    """The measured part: from just before the client is made to the last record. Imports and close are outside."""

    def __init__(self) -> None:
        self.seconds = self.user = self.system = 0.0
        self.switches = 0

    def __enter__(self) -> Window:
        self._usage = resource.getrusage(resource.RUSAGE_SELF)
        self._started = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        # Also called by `end`, so that closing the client stays outside.
        if not self.seconds:
            self.end()

    def end(self) -> None:
        self.seconds = time.perf_counter() - self._started
        usage = resource.getrusage(resource.RUSAGE_SELF)
        self.user = usage.ru_utime - self._usage.ru_utime
        self.system = usage.ru_stime - self._usage.ru_stime
        self.switches = usage.ru_nvcsw + usage.ru_nivcsw - self._usage.ru_nvcsw - self._usage.ru_nivcsw

"""How much is done to the brokers: a short form for every test run, a long one for `make chaos`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """Times in seconds."""

    load_seconds: float
    """How long producers send while faults happen."""

    chain_records: int
    """How many go through the chain of consumer and transactional producer in that time."""


SHORT = Scale(load_seconds=25.0, chain_records=10_000)
LONG = Scale(load_seconds=120.0, chain_records=200_000)

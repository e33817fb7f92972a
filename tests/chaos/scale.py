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

    churn_seconds: float
    """How long members join and leave."""

    member_kills: int
    """How often a member of a group is killed."""

    failovers: int
    """How often a leader is killed under clients that are compared."""

    patience_seconds: float
    """What recovery may take beyond twice the back-off on a machine that is busy with other things."""

    chance_seconds: float
    """How much later than the others a client may be back from a failover. A cluster gives a broker up seconds after
    its last sign of life; what a client adds is chance below its pause between two requests for metadata, for all three
    clients. What must be found are pauses of about ten seconds."""


SHORT = Scale(
    load_seconds=25.0,
    chain_records=10_000,
    churn_seconds=15.0,
    member_kills=10,
    failovers=1,
    patience_seconds=20.0,
    chance_seconds=4.0,
)
LONG = Scale(
    load_seconds=120.0,
    chain_records=200_000,
    churn_seconds=60.0,
    member_kills=100,
    failovers=3,
    patience_seconds=3.0,
    chance_seconds=0.5,
)

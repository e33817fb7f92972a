"""How the members of a random program's group get their partitions: a strategy of the older protocol, or the newer one
of KIP-848, in which the coordinator assigns.
"""

from __future__ import annotations

from typing import Any

STRATEGIES = ("range", "roundrobin", "cooperative-sticky")
NEWER = "the protocol of KIP-848"


def settings_of(strategy: str) -> dict[str, Any]:
    """The properties of a member that is given its partitions so, in reasonable time."""
    if strategy == NEWER:
        # The coordinator says how often it is to be heard of: each half second, the embedded broker.
        return {"group.protocol": "consumer"}
    return {
        "partition.assignment.strategy": strategy,
        "heartbeat.interval.ms": 100,
        "session.timeout.ms": 6_000,
    }


def is_incremental(strategy: str) -> bool:
    """True if callbacks are told of what comes and goes, not of everything."""
    return strategy in {"cooperative-sticky", NEWER}

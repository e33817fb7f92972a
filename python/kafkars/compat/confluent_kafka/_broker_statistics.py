"""The entries of brokers in the statistics, and how the times of their answers are spread."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

PERCENTILES = {"p50": 50, "p75": 75, "p90": 90, "p95": 95, "p99": 99, "p99_99": 99.99}

WINDOW: dict[str, float] = dict.fromkeys(
    ["min", "max", "avg", "sum", "stddev", *PERCENTILES, "outofrange", "hdrsize", "cnt"], 0
)
"""The fields of a distribution, all 0."""

SHARED = "ListOffsets Metadata FindCoordinator SaslHandshake ApiVersion SaslAuthenticate"
REQUESTS = {
    "producer": f"Produce {SHARED} InitProducerId AddPartitionsToTxn AddOffsetsToTxn EndTxn TxnOffsetCommit".split(),
    "consumer": f"Fetch {SHARED} OffsetCommit OffsetFetch JoinGroup Heartbeat LeaveGroup SyncGroup".split(),
}
"""Requests that are listed also where none was sent, by the type of the client."""

NAMES = {"ApiVersions": "ApiVersion"}
"""librdkafka's names of requests that are not Kafka's."""


class BrokerStatistics:
    """Makes the entries of one client's brokers.

    Args:
        type_of_client: "producer" or "consumer".
    """

    def __init__(self, type_of_client: str) -> None:
        self._requests = dict.fromkeys(REQUESTS[type_of_client], 0)
        # How many answers had taken how long when the entries were made last: they tell of what came since.
        self._told: dict[str, Counter[int]] = {}

    def entry(
        self, node: int | None, address: str, problem: object, counted: Mapping[str, Any], age: int
    ) -> dict[str, Any]:
        """Returns the entry of a broker or bootstrap address. The age of its state is not known: it is the client's."""
        name = f"{address}/{'bootstrap' if node is None else node}"
        state = "UP" if counted["connections_open"] else "DOWN" if problem is not None else "INIT"
        round_trips = Counter(dict(counted["round_trips"]))
        new = round_trips - self._told.get(name, Counter())
        self._told[name] = round_trips
        return {
            "name": name,
            "nodeid": -1 if node is None else node,
            "nodename": address,
            "source": "configured" if node is None else "learned",
            "state": state,
            "stateage": age,
            "outbuf_cnt": 0,
            "outbuf_msg_cnt": 0,
            "waitresp_cnt": counted["requests_in_flight"],
            "waitresp_msg_cnt": 0,
            "tx": counted["requests_sent"],
            "txbytes": counted["bytes_sent"],
            "txerrs": counted["connections_failed"],
            "txretries": 0,
            "txidle": microseconds(counted["since_request"]),
            "req_timeouts": counted["requests_timed_out"],
            "rx": counted["responses_received"],
            "rxbytes": counted["bytes_received"],
            "rxerrs": 0,
            "rxcorriderrs": 0,
            "rxpartial": 0,
            "rxidle": microseconds(counted["since_answer"]),
            "zbuf_grow": 0,
            "buf_grow": 0,
            "wakeups": 0,
            "connects": counted["connections_made"],
            "disconnects": counted["connections_made"] - counted["connections_open"],
            **dict.fromkeys(("int_latency", "outbuf_latency", "throttle"), WINDOW),
            "rtt": spread(new.items()),
            "req": self._requests | {NAMES.get(api, api): count for api, count in counted["requests"].items()},
        }


def microseconds(seconds: float | None) -> int:
    return -1 if seconds is None else int(seconds * 1_000_000)


def spread(counts: Iterable[tuple[int, int]]) -> dict[str, float]:
    """Returns how values are spread, of which each was counted so often."""
    ordered = sorted(counts)
    count = sum(times for _, times in ordered)
    if not count:
        return WINDOW
    total = sum(value * times for value, times in ordered)
    mean = total / count
    deviation = math.sqrt(sum((value - mean) ** 2 * times for value, times in ordered) / count)
    return {
        **WINDOW,
        "min": ordered[0][0],
        "max": ordered[-1][0],
        "avg": int(mean),
        "sum": total,
        "stddev": int(deviation),
        "cnt": count,
        **{name: percentile(ordered, count * part / 100) for name, part in PERCENTILES.items()},
    }


def percentile(ordered: list[tuple[int, int]], rank: float) -> int:
    """Returns the value that so many are not above."""
    passed = 0
    for value, times in ordered:
        passed += times
        if passed >= rank:
            return value
    return ordered[-1][0]

"""From raw rounds to what is compared."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benches.compare.latency import percentiles

if TYPE_CHECKING:
    from benches.compare.rounds import Case, Series

MICROSECONDS = 1_000_000


@dataclass(frozen=True)
class Spread:
    """Over the rounds."""

    low: float
    median: float
    high: float


def spread(values: list[float]) -> Spread:
    return Spread(min(values), statistics.median(values), max(values))


def cpu_per_record(result: dict[str, Any]) -> float:
    """Microseconds of the client's process, user and system, all threads, without what is no client's."""
    return float((result["user"] + result["system"] - result["beside"]) * MICROSECONDS / result["records"])


def records_per_second(result: dict[str, Any]) -> float:
    return float(result["records"] / result["seconds"])


def p50(result: dict[str, Any]) -> float:
    return percentiles(result["latencies"])["p50"]


def compared(case: Case, result: dict[str, Any]) -> float:
    """The figure that decides: latency where that is the job, else CPU."""
    return p50(result) if case.job.kind == "latency" else cpu_per_record(result)


def ratio(case: Case, ours: Series, theirs: Series) -> Spread:
    """Ours divided by theirs, round by round: what disturbs a round disturbs both."""
    pairs = zip(ours.results, theirs.results, strict=True)
    return spread([compared(case, mine) / compared(case, other) for mine, other in pairs])


def pooled(series: Series) -> list[int]:
    """The latencies of all rounds together."""
    return [latency for result in series.results for latency in result["latencies"]]

"""The result as JSON: every round, the settings, the versions and the machine."""

from __future__ import annotations

import os
import platform
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benches.compare.figures import pooled, ratio
from benches.compare.latency import histogram, percentiles

if TYPE_CHECKING:
    from benches.compare.options import Options
    from benches.compare.rounds import Case, Series

GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def document(options: Options, broker: str, cases: list[Case]) -> dict[str, Any]:
    return {
        "at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "machine": machine(),
        "broker": broker,
        "versions": versions(cases),
        "rounds": options.rounds,
        "partitions": options.partitions,
        "settings": vars(options.settings),
        "cases": [case_fields(case) for case in cases],
    }


def machine() -> dict[str, Any]:
    return {
        "cores": os.cpu_count(),
        "processor": processor(),
        "governor": GOVERNOR.read_text().strip() if GOVERNOR.exists() else "not known",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "not known"


def versions(cases: list[Case]) -> list[str]:
    found = {result["version"] for case in cases for series in case.series for result in series.results}
    return sorted(found)


def case_fields(case: Case) -> dict[str, Any]:
    ours = [series for series in case.series if series.contestant.is_ours]
    return {
        "job": case.job.name,
        "title": case.job.title,
        "size": case.size,
        "codec": case.codec,
        "clients": [series_fields(series) for series in case.series],
        "ratios": [
            {
                "ours": mine.contestant.label,
                "theirs": other.contestant.label,
                **vars(ratio(case, mine, other)),
                "bar": case.bars.get(other.contestant.label),
            }
            for mine in ours
            for other in case.series
            if not other.contestant.is_ours
        ],
    }


def series_fields(series: Series) -> dict[str, Any]:
    once = ("version", "python", "effective")
    first = series.results[0]
    per_round = [
        {name: value for name, value in result.items() if name not in {*once, "latencies", "checksum"}}
        for result in series.results
    ]
    fields: dict[str, Any] = {
        "label": series.contestant.label,
        **{name: first[name] for name in once},
        "rounds": per_round,
    }
    latencies = pooled(series)
    if latencies:
        fields["latency_us"] = percentiles(latencies)
        fields["histogram_us"] = histogram(latencies)
        for round_fields, result in zip(per_round, series.results, strict=True):
            round_fields["latency_us"] = percentiles(result["latencies"])
    return fields

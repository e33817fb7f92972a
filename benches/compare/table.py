"""The result as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benches.compare.figures import cpu_per_record, pooled, ratio, records_per_second, spread
from benches.compare.latency import percentiles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benches.compare.rounds import Case, Series

MIB = 1 << 20


def lines(case: Case, *, judged: bool = True) -> Iterator[str]:
    yield ""
    yield f"{case.job.title}: {case.size} B values, {'uncompressed' if case.codec == 'none' else case.codec}"
    yield from latency_lines(case) if case.job.kind == "latency" else cost_lines(case)
    if judged:
        yield from bar_lines(case)


def cost_lines(case: Case) -> Iterator[str]:
    yield f"  {'':<32}{'CPU us/record':>14}{'(min-max)':>15}{'records/s':>13}{'peak MiB':>10}{'switches/1000':>15}"
    for series in case.series:
        cpu = spread([cpu_per_record(result) for result in series.results])
        speed = spread([records_per_second(result) for result in series.results])
        memory = max(result["peak_rss"] for result in series.results) / MIB
        switches = spread([1000 * result["switches"] / result["records"] for result in series.results])
        extent = f"({cpu.low:.2f}-{cpu.high:.2f})"
        yield (
            f"  {series.contestant.label:<32}{cpu.median:>14.2f}{extent:>15}{speed.median:>13,.0f}"
            f"{memory:>10.0f}{switches.median:>15.1f}"
        )


def latency_lines(case: Case) -> Iterator[str]:
    names = ("p50", "p90", "p99", "p99.9", "max")
    yield f"  {'ms':<32}" + "".join(f"{name:>10}" for name in names) + f"{'CPU us/record':>16}"
    for series in case.series:
        found = percentiles(pooled(series))
        cpu = spread([cpu_per_record(result) for result in series.results])
        figures = "".join(f"{found[name] / 1000:>10.3f}" for name in names)
        yield f"  {series.contestant.label:<32}{figures}{cpu.median:>16.0f}"


def bar_lines(case: Case) -> Iterator[str]:
    ours = [series for series in case.series if series.contestant.is_ours]
    theirs = [series for series in case.series if not series.contestant.is_ours]
    for mine in ours:
        for other in theirs:
            yield "  " + judgement(case, mine, other)


def judgement(case: Case, mine: Series, other: Series) -> str:
    found = ratio(case, mine, other)
    text = f"{mine.contestant.label} / {other.contestant.label}: {found.median:.3f} ({found.low:.3f}-{found.high:.3f})"
    bar = case.bars.get(other.contestant.label)
    if bar is None:
        return text
    return f"{text}, must be <= {bar:.3f}: {'reached' if found.median <= bar else 'NOT REACHED'}"

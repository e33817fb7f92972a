"""Makes a page of throughput, lag and batch time out of Spark's own progress."""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main() -> None:
    """Writes report.md beside the progress, and prints it."""
    folder = Path(sys.argv[1])
    lines = ["| query | batch | rows | rows/s | lag behind | batch ms | |", "|---|---|---|---|---|---|---|"]
    for text in (folder / "progress.jsonl").read_text(encoding="utf-8").splitlines():
        progress = json.loads(text)
        source = progress["sources"][0]
        milliseconds = progress["durationMs"].get("triggerExecution", 0)
        lines.append(
            f"| {progress['name']} | {progress['batchId']} | {progress['numInputRows']} | "
            f"{progress.get('processedRowsPerSecond', 0):.0f} | {lag(source)} | {milliseconds} | {'#' * (milliseconds // 250)} |"
        )
    page = "\n".join(["# Clicks", "", *lines, ""])
    (folder / "report.md").write_text(page, encoding="utf-8")
    print(page)


def lag(source: dict[str, object]) -> int:
    """How many offsets were left behind the end of the batch."""
    end, latest = (offsets(source.get(name)) for name in ("endOffset", "latestOffset"))
    return sum(max(0, latest[each] - end.get(each, 0)) for each in latest)


def offsets(value: object) -> dict[tuple[str, str], int]:
    """Offsets by partition; Spark tells them as JSON in JSON."""
    found = json.loads(value) if isinstance(value, str) else value
    if not isinstance(found, dict):
        return {}
    return {(topic, partition): offset for topic, each in found.items() for partition, offset in each.items()}


if __name__ == "__main__":
    main()

"""Short words for what every test of the source and the sink does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.brokers import Broker
from tests.spark import session

OURS = "kafkars"
QUERY_SECONDS = 200.0
"""How long a stream over what is there may take: processes start for it, also beside a build."""


class Queries:
    """Queries of one test."""

    def __init__(self, spark: Any, broker: Broker, folder: Path) -> None:
        self.spark = spark
        self.broker = broker
        self.folder = folder

    def options(self, given: Mapping[str, Any]) -> dict[str, str]:
        """Options as Spark takes them, with the broker's address; JSON of what is not text."""
        texts = {
            name: value if isinstance(value, str) else json.dumps(value)
            for name, value in given.items()
            if value is not None
        }
        return {"kafka.bootstrap.servers": self.broker.bootstrap_servers, **texts}

    def load(self, form: str = OURS, schema: str | None = None, **options: Any) -> Any:
        """A batch query."""
        reader = self.spark.read.format(form).options(**self.options(dotted(options)))
        return (reader.schema(schema) if schema else reader).load()

    def stream(self, form: str = OURS, schema: str | None = None, **options: Any) -> Any:
        """A stream."""
        reader = self.spark.readStream.format(form).options(**self.options(dotted(options)))
        return (reader.schema(schema) if schema else reader).load()

    def run_available(self, stream: Any, name: str, **conf: str) -> Any:
        """Runs a stream over what is there, into Parquet, and answers the query that has ended."""
        writer = stream.writeStream.format("parquet").option("path", str(self.folder / name / "rows"))
        writer = writer.option("checkpointLocation", str(self.folder / name / "checkpoint"))
        return session.finish(writer.options(**conf).trigger(availableNow=True).start, seconds=QUERY_SECONDS)

    def rows_of(self, name: str) -> list[tuple[Any, ...]]:
        """What `run_available` wrote."""
        return rows(self.spark.read.parquet(str(self.folder / name / "rows")))

    def checkpoint(self, name: str, kind: str = "offsets") -> list[dict[str, dict[str, int]]]:
        """The source's offsets of each micro-batch, as they stand in the checkpoint."""
        folder = self.folder / name / "checkpoint" / kind
        numbers = sorted(int(each.name) for each in folder.iterdir() if each.name.isdigit())
        return [json.loads((folder / str(number)).read_text().splitlines()[2]) for number in numbers]


def finish(start: Callable[[], Any], query: Any | None = None) -> None:
    """Waits for the end of the query that `start` starts, or of one that it has started, and raises what it ended
    with.
    """
    session.finish(start, query, QUERY_SECONDS)


def dotted(options: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments as option names: `kafka__isolation__level` is `kafka.isolation.level`."""
    return {name.replace("__", "."): value for name, value in options.items()}


def rows(frame: Any) -> list[tuple[Any, ...]]:
    """All rows in an order of their own, as plain values."""
    return sorted((tuple(map(plain, row)) for row in frame.collect()), key=repr)


def plain(value: Any) -> Any:
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, list):
        return [tuple(map(plain, each)) for each in value]
    return value


def offsets(found: Iterable[tuple[Any, ...]], place: int = 4) -> list[int]:
    """One column of rows, in order."""
    return sorted(row[place] for row in found)

"""Records as Arrow columns in the libraries that read Arrow: the same rows in each of them, by each call, without a
copy, and without the others.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import gc
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import kafkars.aio
import pytest
from kafkars import ArrowBatch, Consumer, Producer
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import SECONDS

TOPIC = "events"
RECORDS = 300
MILLISECONDS = 1_700_000_000_123
Row = tuple[Any, ...]


def expected(offset: int) -> Row:
    """The record that is sent as number `offset`."""
    return (
        None if offset % 7 == 0 else b"key %d" % offset,
        None if offset % 5 == 0 else b"\xff value %d" % offset,
        TOPIC,
        0,
        offset,
        MILLISECONDS + offset,
        0,
        [("a", b"%d" % offset), ("b", None)] if offset % 3 == 0 else [],
    )


ROWS = [expected(offset) for offset in range(RECORDS)]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A broker that has the records."""
    with EmbeddedBroker(topics={TOPIC: 1}) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            for key, value, _, partition, _, timestamp, _, headers in ROWS:
                producer.send(TOPIC, value, key=key, partition=partition, timestamp=timestamp, headers=headers)
            producer.flush(SECONDS)
        yield broker.bootstrap_servers


def settings(address: str) -> dict[str, Any]:
    # Several batches, so that none of them is all there is.
    return {"bootstrap_servers": address, "auto_offset_reset": "earliest", "max_poll_records": 128}


def taken(address: str, call: str) -> list[ArrowBatch]:
    """All records by a call of the synchronous consumer, which is closed afterwards."""
    batches: list[ArrowBatch] = []
    with Consumer(**settings(address)) as consumer:
        consumer.assign([(TOPIC, 0)])
        if call == "arrow_batches":
            for batch in consumer.arrow_batches():
                batches.append(batch)
                if complete(batches):
                    return batches
        while not complete(batches):
            if call == "poll_arrow":
                batches.append(consumer.poll_arrow(timeout=SECONDS))
            else:
                batches.append(consumer.poll_batch(timeout=SECONDS).to_arrow())
    return batches


def taken_asyncio(address: str, call: str) -> list[ArrowBatch]:
    """The same by the asyncio consumer."""

    async def main() -> list[ArrowBatch]:
        batches: list[ArrowBatch] = []
        async with kafkars.aio.Consumer(**settings(address)) as consumer:
            consumer.assign([(TOPIC, 0)])
            if call == "arrow_batches":
                async for batch in consumer.arrow_batches():
                    batches.append(batch)
                    if complete(batches):
                        return batches
            while not complete(batches):
                if call == "poll_arrow":
                    batches.append(await consumer.poll_arrow(timeout=SECONDS))
                else:
                    batches.append((await consumer.poll_batch(timeout=SECONDS)).to_arrow())
        return batches

    return asyncio.run(main())


def complete(batches: list[ArrowBatch]) -> bool:
    if batches:
        assert len(batches[-1]) > 0, "nothing came in time"
    return sum(map(len, batches)) >= RECORDS


def plain(row: dict[str, Any]) -> Row:
    """A row of any library as `expected` has it."""
    pairs = [(pair["key"], pair["value"]) for pair in row["headers"]]
    at = row["timestamp"]
    if isinstance(at, dt.datetime):
        # Not timestamp(), whose float has no room for milliseconds in every year.
        at = (at - dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)) // dt.timedelta(milliseconds=1)
    names = ("key", "value", "topic", "partition", "offset")
    return (*(row[name] for name in names), at, row["timestampType"], pairs)


def by_pyarrow(batch: ArrowBatch) -> list[dict[str, Any]]:
    pa: Any = pytest.importorskip("pyarrow")
    table = pa.table(batch)
    table.validate(full=True)
    found: list[dict[str, Any]] = table.to_pylist()
    return found


def by_polars(batch: ArrowBatch) -> list[dict[str, Any]]:
    polars: Any = pytest.importorskip("polars")
    found: list[dict[str, Any]] = polars.DataFrame(batch).to_dicts()
    return found


def by_pandas(batch: ArrowBatch) -> list[dict[str, Any]]:
    pandas: Any = pytest.importorskip("pandas")
    if hasattr(pandas.DataFrame, "from_arrow"):
        frame = pandas.DataFrame.from_arrow(batch)
    else:
        frame = pytest.importorskip("pyarrow").table(batch).to_pandas()
    found: list[dict[str, Any]] = frame.to_dict("records")
    return found


def by_duckdb(batch: ArrowBatch) -> list[dict[str, Any]]:  # noqa: ARG001  DuckDB finds it by its name
    duckdb: Any = pytest.importorskip("duckdb")
    # Its Python form of a time with a zone needs another package.
    result = duckdb.sql("select * replace (epoch_ms(timestamp) as timestamp) from batch order by batch.offset")
    return [dict(zip(result.columns, row, strict=True)) for row in result.fetchall()]


@pytest.mark.parametrize("read", [by_pyarrow, by_polars, by_pandas, by_duckdb])
@pytest.mark.parametrize("call", ["to_arrow", "poll_arrow", "arrow_batches"])
@pytest.mark.parametrize("take", [taken, taken_asyncio])
def test_every_library_has_the_same_rows(
    address: str,
    take: Callable[[str, str], list[ArrowBatch]],
    call: str,
    read: Callable[[ArrowBatch], list[dict[str, Any]]],
) -> None:
    batches = take(address, call)
    assert len(batches) > 1
    # The consumer is closed, and what it read from may be reused.
    gc.collect()
    assert [plain(row) for batch in batches for row in read(batch)] == ROWS


def addresses(batch: ArrowBatch, column: str, library: str) -> list[int]:
    """Where a library has the numbers of a column, taken twice."""
    pa: Any = pytest.importorskip("pyarrow")
    if library == "pyarrow":
        tables = [pa.record_batch(batch), pa.record_batch(batch)]
        return [int(table[column].buffers()[1].address) for table in tables]
    if library == "polars":
        polars: Any = pytest.importorskip("polars")
        series = [polars.DataFrame(batch)[column].to_physical() for _ in range(2)]
        return [int(each.to_numpy(allow_copy=False).__array_interface__["data"][0]) for each in series]
    pandas: Any = pytest.importorskip("pandas")
    frames = [pa.table(batch).to_pandas(types_mapper=pandas.ArrowDtype) for _ in range(2)]
    return [int(pa.array(frame[column].array).buffers()[1].address) for frame in frames]


@pytest.mark.parametrize("call", ["to_arrow", "poll_arrow", "arrow_batches"])
@pytest.mark.parametrize("library", ["pyarrow", "polars", "pandas"])
def test_the_columns_are_where_they_were_built(address: str, call: str, library: str) -> None:
    pa: Any = pytest.importorskip("pyarrow")
    for batch in taken(address, call):
        for column in ("partition", "offset", "timestamp", "timestampType"):
            built = pa.record_batch(batch)[column].buffers()[1].address
            assert addresses(batch, column, library) == [built, built], column


WITHOUT_PYARROW = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {absent!r}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
import kafkars

with kafkars.Consumer(bootstrap_servers={address!r}, auto_offset_reset="earliest") as consumer:
    consumer.assign([("events", 0)])
    batch = consumer.poll_arrow(timeout=30)
assert not [name for name in sys.modules if name in {libraries!r}]
{use}
print(total)
"""
USES = {
    "nothing": "batch.__arrow_c_stream__(), batch.__arrow_c_schema__()\ntotal = sum(range(batch.num_rows))",
    "polars": "import polars\ntotal = polars.DataFrame(batch)['offset'].sum()",
    "duckdb": "import duckdb\ntotal = duckdb.sql('select sum(\"offset\") from batch').fetchall()[0][0]",
}


@pytest.mark.parametrize("library", USES)
def test_no_other_library_is_needed(address: str, library: str) -> None:
    """In a process that cannot import the others."""
    if library != "nothing":
        pytest.importorskip(library)
    libraries = {"pyarrow", "polars", "pandas", "duckdb", "numpy"}
    absent = libraries - {library, "numpy"} if library != "nothing" else libraries
    program = WITHOUT_PYARROW.format(absent=absent, libraries=libraries, address=address, use=USES[library])
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=4 * SECONDS, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) == sum(range(RECORDS))

"""Random Arrow tables: each is sent as what Python reads in it and comes back so, or refused by name and nothing is
sent.

`KAFKARS_ARROW_TABLES` says how many tables, `KAFKARS_SEED` where they begin.
"""

from __future__ import annotations

import os
import random
from typing import Any, NamedTuple

import pytest
from kafkars import Consumer, Producer
from kafkars.errors import DeserializationError, InvalidArgumentError
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import SECONDS

pa: Any = pytest.importorskip("pyarrow")

TABLES = int(os.environ.get("KAFKARS_ARROW_TABLES", "150"))
SEED = int(os.environ.get("KAFKARS_SEED", "1"))

UNITS = {"s": (1_000, 1), "ms": (1, 1), "us": (1, 1_000), "ns": (1, 1_000_000)}
WHOLE: dict[str, Any] = {
    name: getattr(pa, name)() for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
}
BYTES = [pa.binary, pa.large_binary, pa.binary_view]
TEXTS = [pa.string, pa.large_string, pa.string_view]
PAIRS = pa.list_(pa.struct([("name", pa.string()), ("value", pa.binary())]))
EVERY_TIME_FITS = {"message.timestamp.after.max.ms": str(2**63 - 1), "message.timestamp.before.max.ms": str(2**63 - 1)}


class Column(NamedTuple):
    """A column, and what each of its rows is to Kafka; `wrong` is the first row that is nothing."""

    array: Any
    meant: list[Any]
    wrong: int | None = None


def payloads(source: random.Random, rows: int) -> Column:
    texts = [source.choice([None, "", "x", "äöü" * source.randrange(20)]) for _ in range(rows)]
    made = [text if text is None else text.encode() for text in texts]
    if source.random() < 0.5:
        return Column(pa.array(texts, source.choice(TEXTS)()), made)
    return Column(pa.array(made, source.choice(BYTES)()), made)


def times(source: random.Random, rows: int) -> Column:
    most = 2**63 - 1
    if source.random() < 0.3:
        name = source.choice(sorted(WHOLE))
        arrow_type, (up, down) = WHOLE[name], (1, 1)
        # Larger whole numbers look like another unit and are refused, which test_values.py shows.
        most = min(2 ** (arrow_type.bit_width - (not name.startswith("u"))) - 1, 10**14 - 1)
    else:
        unit = source.choice(sorted(UNITS))
        arrow_type, (up, down) = pa.timestamp(unit, source.choice(["Asia/Tokyo", "UTC"])), UNITS[unit]
    edges = [
        0,
        1,
        5,
        127,
        1_700_000_000_123,
        2**53 + 1,
        (2**63 - 1) // 1_000,
        (2**63 - 1) // 1_000 + 1,
        2**63 - 1,
        2**63,
    ]
    some = [edge for edge in edges if edge <= most]
    # Most tables are to be sent.
    some = some if source.random() < 0.4 else [edge for edge in some if edge * up < 2**63]
    numbers = [source.choice([None, *some]) for _ in range(rows)]
    meant = [None if number is None else number * up // down for number in numbers]
    wrong = next((row for row, time in enumerate(meant) if time is not None and time >= 2**63), None)
    return Column(made(numbers, arrow_type), meant, wrong)


def made(numbers: list[int | None], arrow_type: Any) -> Any:
    """An array of plain numbers, whatever their unit."""
    if pa.types.is_timestamp(arrow_type):
        return pa.array(numbers, pa.int64()).cast(arrow_type)
    return pa.array(numbers, arrow_type)


def partitions(source: random.Random, rows: int) -> Column:
    name = source.choice(sorted(WHOLE))
    arrow_type = WHOLE[name]
    most = 2 ** (arrow_type.bit_width - (not name.startswith("u"))) - 1
    numbers = [0] * rows
    wrong = None
    if most >= 2**31 and rows > 0 and source.random() < 0.3:
        wrong = source.randrange(rows)
        numbers[wrong] = source.choice([2**31, most])
        wrong = wrong if numbers[wrong] >= 2**31 else None
    return Column(made(list(numbers), arrow_type), numbers, wrong)


def headers(source: random.Random, rows: int) -> Column:
    def one() -> Any:
        count = source.randrange(4)
        return [(source.choice(["", "n", "ü"]), source.choice([None, b"", b"v"])) for _ in range(count)]

    lists = [source.choice([None, [], one()]) for _ in range(rows)]
    meant = [tuple(each or ()) for each in lists]
    if source.random() < 0.5:
        return Column(pa.array(lists, pa.map_(pa.string(), pa.binary())), meant)
    structs: list[Any] = [each and [{"name": name, "value": value} for name, value in each] for each in lists]
    wrong = None
    if rows > 0 and source.random() < 0.2:
        wrong = source.randrange(rows)
        structs[wrong] = [{"name": "first", "value": b""}, source.choice([None, {"name": None, "value": b"x"}])]
    return Column(pa.array(structs, PAIRS), meant, wrong)


PARTS = {"value": payloads, "key": payloads, "timestamp": times, "partition": partitions, "headers": headers}


def sliced(source: random.Random, table: Any) -> Any:
    """The same rows in another layout: behind an offset, and in several chunks."""
    if source.random() < 0.3:
        return table
    padded = pa.concat_tables([table.slice(0, min(1, table.num_rows)), table]).combine_chunks()
    table = padded.slice(padded.num_rows - table.num_rows)
    cut = source.randrange(table.num_rows + 1)
    return pa.concat_tables([table.slice(0, cut), table.slice(cut)])


def rows_of(table: Any) -> list[tuple[Any, ...]]:
    names = ("key", "value", "headers")
    found = zip(*(table[name].to_pylist() for name in names), strict=True)
    return [(key, value, tuple((pair["key"], pair["value"]) for pair in pairs or ())) for key, value, pairs in found]


def test_every_table_is_sent_as_it_reads_or_refused_by_name() -> None:
    with (
        EmbeddedBroker() as broker,
        Producer(bootstrap_servers=broker.bootstrap_servers) as producer,
        Consumer(bootstrap_servers=broker.bootstrap_servers, max_poll_records=1_000) as consumer,
    ):
        outcomes = {"sent": 0, "refused": 0, "too late for Spark": 0}
        for seed in range(SEED, SEED + TABLES):
            topic = f"t{seed}"
            broker.create_topic(topic, configs=EVERY_TIME_FITS)
            outcomes[one_table(random.Random(seed), producer, consumer, topic, seed)] += 1
    assert min(outcomes.values()) >= TABLES // 20, outcomes


def one_table(
    source: random.Random, producer: Producer[Any, Any], consumer: Consumer[Any, Any], topic: str, seed: int
) -> str:
    rows = source.choice([0, 1, 3, 40])
    parts = {part: make(source, rows) for part, make in PARTS.items() if source.random() < 0.7 or part == "value"}
    names = {part: f"the {part}" for part in parts}
    arrays, fields = [parts[part].array for part in parts], list(names.values())
    twin = source.choice(sorted(parts)) if source.random() < 0.1 else None
    if twin is not None:
        arrays.append(parts[twin].array)
        fields.append(names[twin])
    table = sliced(source, pa.Table.from_arrays(arrays, fields))
    wrong = {part: column.wrong for part, column in parts.items() if column.wrong is not None}
    before = consumer.end_offsets([(topic, 0)])
    try:
        producer.send_arrow(topic, table, **{"value": names["value"], **names}).result(SECONDS)
    except InvalidArgumentError as problem:
        text = str(problem)
        if twin is not None:
            assert f'{twin}: the table has 2 columns named "the {twin}"' in text, seed
            assert consumer.end_offsets([(topic, 0)]) == before, seed
        else:
            part = text.partition(":")[0]
            assert f"row {wrong[part]} of column" in text, (seed, text)
            assert f'"the {part}"' in text, (seed, text)
        return "refused"
    assert twin is None, seed
    assert not wrong, seed
    expected = [
        tuple(
            parts[part].meant[row] if part in parts else empty
            for part, empty in (("key", None), ("value", None), ("headers", ()))
        )
        for row in range(rows)
    ]
    sent = parts["timestamp"].meant if "timestamp" in parts else [None] * rows
    return read_back(consumer, topic, expected, sent)


def read_back(consumer: Consumer[Any, Any], topic: str, expected: list[tuple[Any, ...]], sent: list[Any]) -> str:
    """Reads what a table became in both layouts."""
    consumer.assign([(topic, 0)])
    consumer.seek((topic, 0), 0)
    found, stamps = [], []
    while len(found) < len(expected):
        table = pa.table(consumer.poll_arrow(timeout=SECONDS))
        table.validate(full=True)
        assert table.num_rows > 0
        found += rows_of(table)
        stamps += table["timestamp"].cast(pa.int64()).to_pylist()
    assert found == expected
    assert all(time in (None, stamp) for time, stamp in zip(sent, stamps, strict=True))
    late = next((row for row, stamp in enumerate(stamps) if stamp * 1_000 >= 2**63), None)
    consumer.seek((topic, 0), 0)
    found, micros = [], []
    failure: DeserializationError | None = None
    while len(found) < len(expected) and failure is None:
        try:
            table = pa.table(consumer.poll_arrow(timeout=SECONDS, layout="spark"))
        except DeserializationError as problem:
            failure = problem
            continue
        table.validate(full=True)
        found += rows_of(table)
        micros += table["timestamp"].cast(pa.int64()).to_pylist()
    if failure is not None:
        assert failure.offset == late
        assert consumer.position((topic, 0)) == len(found)
        return "too late for Spark"
    assert late is None
    assert found == expected
    assert micros == [stamp * 1_000 for stamp in stamps]
    return "sent"

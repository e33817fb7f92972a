"""Keys and values become columns: the same rows as Spark's own functions make of the bytes, and poison as the options
say."""

from __future__ import annotations

import datetime as dt
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from kafkars import Producer

from tests.spark import registry as registries
from tests.spark.queries import Queries, rows
from tests.spark.registry import Registry, long, text

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.timeout(300)]

ORDER = {
    "type": "record",
    "name": "Order",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "what", "type": ["null", "string"], "default": None},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}, "default": 0},
        {"name": "state", "type": {"type": "enum", "name": "State", "symbols": ["NEW", "SENT"]}, "default": "NEW"},
    ],
}
OLD_ORDER = {"type": "record", "name": "Order", "fields": [{"name": "id", "type": "int"}]}
MILLISECONDS = 1_700_000_000_123
TYPE = "STRUCT<id: BIGINT, what: STRING, at: TIMESTAMP, state: STRING>"
COLUMNS = "id BIGINT, what STRING, at TIMESTAMP, `parts` ARRAY<INT>, inner STRUCT<deep: DECIMAL(10,2)>"


@pytest.fixture
def registry() -> Iterator[Registry]:
    with registries.running() as running:
        yield running


def send(queries: Queries, *values: bytes | None, keys: list[bytes | None] | None = None) -> str:
    topic = queries.broker.new_topic()
    with Producer(bootstrap_servers=queries.broker.bootstrap_servers) as producer:
        for number, value in enumerate(values):
            producer.send(topic, value, keys[number] if keys else None)
    return topic


def order(number: int, what: str | None, state: int) -> bytes:
    return long(number) + (long(0) if what is None else long(1) + text(what)) + long(MILLISECONDS) + long(state)


def test_text_and_json_are_what_sparks_own_functions_make_of_them(queries: Queries) -> None:
    documents = [
        {"id": 1, "what": "a", "at": "2026-11-22T10:00:00.5+01:00", "parts": [1, None, 3], "inner": {"deep": 1.25}},
        {"id": None, "what": "ü\n\\", "parts": [], "inner": None, "unknown": {"a": [1]}},
        {"what": 7, "inner": {}},
        {},
    ]
    topic = send(
        queries, *(json.dumps(each).encode() for each in documents), None, keys=[b"k", None, b"", b"\xc3\xa4", b"l"]
    )
    options = {"subscribe": topic, "key__format": "utf8", "value__format": "json", "value__schema": COLUMNS}
    found = queries.load(**options).selectExpr("key", "value", "offset")
    assert found.schema.simpleString() == (
        "struct<key:string,value:struct<id:bigint,what:string,at:timestamp,parts:array<int>,"
        "inner:struct<deep:decimal(10,2)>>,offset:bigint>"
    )
    raw = queries.load(subscribe=topic)
    own = f"from_json(CAST(value AS STRING), '{COLUMNS}', map('mode', 'FAILFAST')) AS value"
    assert rows(found) == rows(raw.selectExpr("CAST(key AS STRING) AS key", own, "offset"))
    flat = queries.load(**options, value__columns="flatten")
    assert flat.columns[:6] == ["key", "id", "what", "at", "parts", "inner"]
    assert rows(flat.select("id", "what", "offset")) == rows(found.select("value.id", "value.what", "offset"))
    stream = queries.stream(**options, startingOffsets="earliest")
    queries.run_available(stream.select("value.id", "offset"), "json")
    assert queries.rows_of("json") == rows(found.select("value.id", "offset"))


def test_a_schema_of_the_program_leaves_out_what_is_not_asked_for(queries: Queries) -> None:
    topic = send(queries, b'{"id": 1}', b"poison")
    options = {"subscribe": topic, "value__format": "json", "value__schema": "id BIGINT"}
    # What is not asked for is not decoded.
    assert rows(queries.load(schema="offset LONG", **options)) == [(0,), (1,)]
    flat = {**options, "value__columns": "flatten", "mode": "PERMISSIVE"}
    assert rows(queries.load(schema="id LONG", **flat)) == [(1,), (None,)]
    assert rows(queries.load(schema="value_corrupt BINARY", **flat)) == [(None,), (b"poison",)]


def test_poison_fails_the_query_or_becomes_null_beside_its_bytes(queries: Queries) -> None:
    values = [b'{"id": 1}', b'{"id": "x"}', b"{", None, b'{"id": 2}']
    topic = send(queries, *values, keys=[b"k", b"\xff", b"l", b"m", None])
    options = {"subscribe": topic, "key__format": "utf8", "value__format": "json", "value__schema": "id BIGINT"}
    permissive = queries.load(**options, mode="permissive").select(
        "offset", "key", "value.id", "key_corrupt", "value_corrupt"
    )
    assert rows(permissive) == [
        (0, "k", 1, None, None),
        (1, None, None, b"\xff", b'{"id": "x"}'),
        (2, "l", None, None, b"{"),
        (3, "m", None, None, None),
        (4, None, 2, None, None),
    ]
    with pytest.raises(Exception, match=rf"the key at {topic}-0, offset 1 .*key\.format=utf8.*mode=PERMISSIVE"):
        queries.load(**options).collect()
    with pytest.raises(Exception, match=rf"the value at {topic}-0, offset 1 .*value\.format=json"):
        queries.load(**{**options, "key__format": "raw"}).collect()
    # What lies behind the range is not looked at.
    ends = {**options, "endingOffsets": {topic: {"0": 1}}}
    assert rows(queries.load(**ends).select("value.id")) == [(1,)]


def test_avro_of_a_registry_with_two_versions_becomes_columns(queries: Queries, registry: Registry) -> None:
    topic = queries.broker.new_topic()
    old, new = registry.add(f"{topic}-value", OLD_ORDER, 7), registry.add(f"{topic}-value", ORDER, 4_000_000_000)
    key = registry.add(f"{topic}-key", '"string"', 3)
    address = queries.broker.bootstrap_servers
    with Producer(bootstrap_servers=address) as producer:
        for number in range(2_000):
            value = old + long(number) if number % 3 == 0 else new + order(number, f"n{number}", number % 2)
            producer.send(topic, value, key + text(f"k{number}"))
        producer.send(topic, None)
    options = {"subscribe": topic, "value__format": "avro", "schema__registry__url": registry.url}
    found = queries.load(**options, key__format="avro", value__columns="flatten")
    assert found.schema.simpleString().startswith(
        "struct<key:string,id:bigint,what:string,at:timestamp,state:string,topic:string"
    )
    # Python's own times, as Spark shows them: without a zone, in that of this process.
    then, epoch = (dt.datetime.fromtimestamp(each / 1_000) for each in (MILLISECONDS, 0))  # noqa: DTZ006
    expected: list[tuple[Any, ...]] = [
        (f"k{number}", number, None, epoch, "NEW")
        if number % 3 == 0
        else (f"k{number}", number, f"n{number}", then, ("NEW", "SENT")[number % 2])
        for number in range(2_000)
    ]
    assert rows(found.select("key", "id", "what", "at", "state")) == sorted([*expected, (None,) * 5], key=repr)
    stream = queries.stream(**options, startingOffsets="earliest", maxOffsetsPerTrigger="500")
    queries.run_available(stream.selectExpr("value.id", "offset"), "avro")
    assert [row[0] for row in sorted(queries.rows_of("avro"), key=lambda row: row[1])] == [*range(2_000), None]
    # A worker asks for a schema once, not once for each batch; Spark may use two workers.
    assert 1 <= registry.asked["/schemas/ids/7"] <= 8


def test_poison_of_avro(queries: Queries, registry: Registry) -> None:
    topic = queries.broker.new_topic()
    frame = registry.add(f"{topic}-value", OLD_ORDER, 1)
    registry.add("other", {"type": "record", "name": "Other", "fields": [{"name": "id", "type": "string"}]}, 2)
    registry.add("json", "{}", 3, schemaType="JSON")
    values = [
        frame + long(5),
        frame,
        frame + long(6) + b"x",
        b"\0\0\0\0\x02\0",
        b"\0\0\0\0\x03",
        b"\0\0\0\0\x09",
        b"{}",
    ]
    with Producer(bootstrap_servers=queries.broker.bootstrap_servers) as producer:
        for value in values:
            producer.send(topic, value)
    options = {"subscribe": topic, "value__format": "avro", "schema__registry__url": registry.url}
    found = queries.load(**options, mode="PERMISSIVE").select("offset", "value.id", "value_corrupt")
    assert rows(found) == [(0, 5, None), *((number, None, values[number]) for number in range(1, 7))]
    for number, reason in ((3, "schema 2: .*cannot be read"), (4, "JSON"), (5, "none of this id"), (6, "begins with")):
        start = {topic: {"0": number}}
        with pytest.raises(Exception, match=f"{topic}-0, offset {number} .*{reason}"):
            queries.load(**options, startingOffsets=start).collect()


def test_avro_without_framing(queries: Queries) -> None:
    topic = send(queries, long(1), long(-5))
    options = {"subscribe": topic, "value__format": "avro"}
    assert rows(queries.load(**options, value__schema=json.dumps(OLD_ORDER)).select("value.id")) == [(-5,), (1,)]
    assert rows(queries.load(**options, value__schema='"long"').select("value")) == [(-5,), (1,)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"value__format": "xml"}, "value.format: expected raw, utf8, json or avro"),
        ({"value__format": "json"}, "value.schema: missing"),
        ({"value__format": "json", "value__schema": "id BIGNUM"}, "value.schema: 'bignum' is no type"),
        ({"value__format": "json", "value__schema": "id BINARY"}, "value.schema: binary has no form in JSON"),
        ({"value__format": "avro", "value__schema": "{"}, "value.schema: it is no JSON"),
        (
            {"value__format": "json", "value__columns": "flatten", "value__schema": "offset INT"},
            "value.columns: with flatten there would be two columns offset",
        ),
        ({"value__format": "utf8", "mode": "DROPMALFORMED"}, "mode: expected"),
    ],
)
def test_wrong_options_are_told_by_name_before_a_job_starts(queries: Queries, options: Any, message: str) -> None:
    with pytest.raises(Exception, match=message):
        queries.load(subscribe="any", **options)


def test_a_registry_that_cannot_be_asked_is_told_before_a_job_starts(queries: Queries, registry: Registry) -> None:
    topic = send(queries, b"")
    options = {"subscribe": topic, "value__format": "avro", "schema__registry__url": registry.url}
    with pytest.raises(Exception, match=r"schema\.registry\.url: .*versions/latest answered 404"):
        queries.load(**options)
    registry.credentials = "Basic YTpi"
    registry.add(f"{topic}-value", OLD_ORDER, 1)
    with pytest.raises(Exception, match="answered 401"):
        queries.load(**options)
    registry.failures = 1
    allowed = queries.load(**options, schema__registry__basic__auth__user__info="a:b")
    assert allowed.select("value").schema.simpleString() == "struct<value:struct<id:int>>"


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
@pytest.mark.filterwarnings("ignore:Cannot infer the eval type")
def test_avro_columns_cost_less_than_a_python_function(queries: Queries, registry: Registry) -> None:
    """Ours beside a function of Python that does the least that it can; what reading alone costs is printed beside."""
    from pyspark.sql.functions import udf

    topic = queries.broker.new_topic()
    frame = registry.add(f"{topic}-value", ORDER, 1)
    with Producer(bootstrap_servers=queries.broker.bootstrap_servers, compression_type="lz4") as producer:
        producer.send_many(topic, [frame + order(number, "some text", 1) for number in range(200_000)])

    @udf("id BIGINT, what STRING, at BIGINT, state STRING")
    def decode(value: bytes) -> tuple[int, str | None, int, str]:
        at = 5

        def number() -> int:
            nonlocal at
            found = shift = 0
            while True:
                byte = value[at]
                at += 1
                found |= (byte & 0x7F) << shift
                shift += 7
                if byte < 0x80:
                    return (found >> 1) ^ -(found & 1)

        found = number()
        what = None
        if number() == 1:
            length = number()
            what, at = value[at : at + length].decode(), at + length
        return found, what, number(), ("NEW", "SENT")[number()]

    ours = queries.load(
        subscribe=topic, value__format="avro", schema__registry__url=registry.url, schema="value " + TYPE
    )
    raw = queries.load(subscribe=topic, schema="value BINARY")
    total = "sum(value.id) + sum(length(value.what)) + sum(length(value.state))"
    queries_of = {
        "nothing": lambda: raw.selectExpr("sum(length(value))"),
        "ours": lambda: ours.selectExpr(total),
        "python": lambda: raw.select(decode("value").alias("value")).selectExpr(total),
    }
    least = dict.fromkeys(queries_of, float("inf"))
    results: dict[str, Any] = {}
    for _ in range(3):
        for name, query in queries_of.items():
            began = time.monotonic()
            results[name] = query().collect()[0][0]
            least[name] = min(least[name], time.monotonic() - began)
    print(least)
    assert results["ours"] == results["python"]
    assert least["ours"] < least["python"], least

"""Arrow tables as records, without a Python object for each value."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import kafkars.aio
import pytest
from kafkars.errors import InvalidArgumentError, InvalidPartitionError, RecordTooLargeError

from tests.brokers import Broker
from tests.support.awaits import run
from tests.support.clients import Clients, numbers, read, values
from tests.support.waiting import SECONDS

pa: Any = pytest.importorskip("pyarrow")


def test_a_table_becomes_records(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=2)
    table = pa.table(
        {
            "k": pa.array([b"1", None, b"3"], pa.binary()),
            "v": pa.array(["a", "b", None], pa.string()),
            "t": pa.array([1, 2, 3], pa.timestamp("ms", "UTC")),
            "p": pa.array([1, 1, 1], pa.int64()),
            "h": pa.array([[("name", b"x"), ("other", None)], None, []], pa.map_(pa.string(), pa.binary())),
            "unused": [1.5, 2.5, 3.5],
        }
    )
    producer: Any = clients.producer()
    sent = producer.send_arrow(topic, table, value="v", key="k", headers="h", timestamp="t", partition="p")
    assert [(each.partition, each.offset) for each in sent.result(SECONDS)] == [(1, 0), (1, 1), (1, 2)]
    records = read(clients.consumer([(topic, 1)]), 3)
    assert [(record.key, record.value, record.timestamp) for record in records] == [
        (b"1", b"a", 1),
        (None, b"b", 2),
        (b"3", None, 3),
    ]
    assert [record.headers for record in records] == [(("name", b"x"), ("other", None)), (), ()]


@pytest.mark.parametrize(
    "kind", ["binary", "large_binary", "binary_view", "string", "large_string", "string_view", "fixed"]
)
def test_every_layout_of_bytes_can_be_sent(clients: Clients, topic: str, kind: str) -> None:
    arrow_type = pa.binary(3) if kind == "fixed" else getattr(pa, kind)()
    column = pa.array([b"abc", None, b"def"], pa.binary()).cast(pa.string()).to_pylist()
    array = pa.array(column if "string" in kind else [each and each.encode() for each in column], arrow_type)
    producer: Any = clients.producer()
    producer.send_arrow(topic, pa.record_batch({"value": array})).result(SECONDS)
    assert values(read(clients.consumer([(topic, 0)]), 3)) == [b"abc", None, b"def"]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_timestamps_of_every_unit_become_milliseconds(clients: Clients, topic: str, unit: str) -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
    table = pa.table({"value": [b"x", b"y"], "time": pa.array([moment, None], pa.timestamp(unit, "UTC"))})
    producer: Any = clients.producer()
    stored = producer.send_arrow(topic, table, timestamp="time").result(SECONDS)
    assert stored[0].timestamp == moment.timestamp() * 1_000
    # A null is the time of sending.
    assert stored[1].timestamp > moment.timestamp() * 1_000


def test_times_without_a_zone_are_refused_as_in_send(clients: Clients, topic: str) -> None:
    table = pa.table({"value": [b"x"], "time": pa.array([1_760_000_000], pa.timestamp("s"))})
    producer: Any = clients.producer()
    with pytest.raises(InvalidArgumentError, match=r'column "time" has no time zone.*such as UTC'):
        producer.send_arrow(topic, table, timestamp="time")
    # Nulls alone mean the time of sending.
    nothing = pa.table({"value": [b"y"], "time": pa.array([None], pa.timestamp("us"))})
    assert producer.send_arrow(topic, nothing, timestamp="time").result(SECONDS)[0].offset == 0


@pytest.mark.parametrize("kind", ["list", "large_list", "fixed_size_list"])
def test_every_list_of_headers_can_be_sent(clients: Clients, topic: str, kind: str) -> None:
    pair = pa.struct([("name", pa.dictionary(pa.int8(), pa.string())), ("value", pa.large_binary())])
    rows = [[{"name": "a", "value": str(row).encode()}, {"name": "b", "value": None}] for row in range(6)]
    if kind == "fixed_size_list":
        array = pa.array(rows, pa.list_(pair, 2))
        expected = rows
    else:
        expected = [rows[0], None, [], *rows[3:]]
        array = pa.array(expected, pa.list_(pair) if kind == "list" else pa.large_list(pair))
    producer: Any = clients.producer()
    table = pa.table({"value": numbers(6), "h": array})
    producer.send_arrow(topic, table.slice(1), headers="h").result(SECONDS)
    records = read(clients.consumer([(topic, 0)]), 5)
    meant = [tuple((each["name"], each["value"]) for each in row or ()) for row in expected[1:]]
    assert [record.headers for record in records] == meant


@pytest.mark.parametrize("items", [pa.string(), pa.binary(), pa.large_string()])
@pytest.mark.parametrize("index", [pa.int8(), pa.uint32(), pa.int64()])
def test_categories_can_be_sent(clients: Clients, topic: str, items: Any, index: Any) -> None:
    plain = pa.array([b"red", None, b"blue", b"red", b""], pa.binary()).cast(items)
    array = plain.dictionary_encode().cast(pa.dictionary(index, items))
    producer: Any = clients.producer()
    nothing = pa.DictionaryArray.from_arrays(pa.array([None] * 5, index), pa.array([], items))
    table = pa.table({"value": array, "key": nothing})
    producer.send_arrow(topic, table.slice(1), key="key").result(SECONDS)
    records = read(clients.consumer([(topic, 0)]), 4)
    assert [(record.key, record.value) for record in records] == [(None, each) for each in (None, b"blue", b"red", b"")]


def test_an_own_batch_goes_out_again_with_its_topic_as_key(clients: Clients, topic: str) -> None:
    producer: Any = clients.producer()
    producer.send(topic, b"one", headers=[("a", b"1")]).result(SECONDS)
    consumer: Any = clients.consumer([(topic, 0)])
    batch = consumer.poll_arrow(timeout=SECONDS)
    sent = producer.send_arrow(topic, batch, value="value", key="topic", headers="headers", timestamp="timestamp")
    sent.result(SECONDS)
    (again,) = read(consumer, 1)
    assert (again.key, again.value, again.headers) == (topic.encode(), b"one", (("a", b"1"),))


def test_several_batches_sliced_ones_and_lists_of_headers(clients: Clients, topic: str) -> None:
    headers = pa.list_(pa.struct([("name", pa.string()), ("value", pa.string())]))
    data = {
        "value": numbers(100),
        "h": pa.array([[{"name": "n", "value": str(number)}] for number in range(100)], headers),
    }
    table = pa.concat_tables([pa.table(data).slice(10, 20), pa.table(data).slice(50, 5)])
    producer: Any = clients.producer()
    sent = producer.send_arrow(topic, table, headers="h")
    assert len(sent) == 25
    sent.result(SECONDS)
    records = read(clients.consumer([(topic, 0)]), 25)
    assert values(records) == [*numbers(10, 30), *numbers(50, 55)]
    assert [record.headers for record in records] == [(("n", value),) for value in values(records)]


def test_a_reader_is_read_batch_by_batch(clients: Clients, topic: str) -> None:
    schema = pa.schema([("value", pa.binary())])
    batches = (pa.record_batch({"value": [b"%d" % number] * 10}, schema) for number in range(5))
    producer: Any = clients.producer()
    stored = producer.send_arrow(topic, pa.RecordBatchReader.from_batches(schema, batches)).result(SECONDS)
    assert [each.offset for each in stored] == list(range(50))


def test_keys_choose_partitions_as_those_of_send_do(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=8)
    keys = numbers(20)
    producer: Any = clients.producer()
    one_by_one = [producer.send(topic, None, key).result(SECONDS).partition for key in keys]
    table = pa.table({"key": pa.array(keys, pa.binary())})
    stored = producer.send_arrow(topic, table, value=None, key="key").result(SECONDS)
    assert [each.partition for each in stored] == one_by_one


def test_a_partition_function_is_asked_for_each(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=3)
    producer: Any = clients.producer(partitioner=lambda key, count: int(key) % count)
    table = pa.table({"key": pa.array(numbers(6), pa.string()), "p": pa.array([None, 2] * 3, pa.int32())})
    stored = producer.send_arrow(topic, table, value=None, key="key", partition="p").result(SECONDS)
    assert [each.partition for each in stored] == [0, 2, 2, 2, 1, 2]


PAIRS: Any = pa.list_(pa.struct([("name", pa.string()), ("value", pa.binary())]))


def test_only_headers_that_belong_to_a_row_need_names(clients: Clients, topic: str) -> None:
    headers = pa.array([[{"name": None, "value": b"x"}], [{"name": "n", "value": b"y"}], [None]], PAIRS)
    table = pa.table({"value": numbers(3), "h": headers}).slice(1, 1)
    producer: Any = clients.producer()
    producer.send_arrow(topic, table, headers="h").result(SECONDS)
    assert [record.headers for record in read(clients.consumer([(topic, 0)]), 1)] == [(("n", b"y"),)]


def test_an_error_counts_the_rows_of_the_table(clients: Clients, topic: str) -> None:
    time = [pa.array(column, pa.uint64()) for column in ([1, 2, 3], [4, 2**64 - 1])]
    table = pa.concat_tables(
        [pa.table({"value": numbers(len(column)), "t": column}) for column in time],
    )
    producer: Any = clients.producer()
    with pytest.raises(InvalidArgumentError, match=f'timestamp: {2**64 - 1} in row 4 of column "t"'):
        producer.send_arrow(topic, table, timestamp="t")
    # The batches before it were not sent, either.
    assert producer.flush(SECONDS) == 0
    assert clients.consumer([(topic, 0)]).end_offsets([(topic, 0)])[(topic, 0)] == 0


def test_another_column_may_have_the_name_of_one_that_is_not_sent(clients: Clients, topic: str) -> None:
    table = pa.Table.from_arrays([pa.array([b"x"]), pa.array([1]), pa.array([2])], ["value", "a", "a"])
    producer: Any = clients.producer()
    assert producer.send_arrow(topic, table).result(SECONDS)[0].offset == 0


WRONG: dict[str, tuple[Any, Any, type[Exception], str]] = {
    "no column": ({"v": [b"x"]}, {}, InvalidArgumentError, 'value: there is no column "value"; the table has v'),
    "type": ({"value": [1.5]}, {}, InvalidArgumentError, "value.*Float64.*binary or text"),
    "time": ({"value": [b"x"], "t": ["now"]}, {"timestamp": "t"}, InvalidArgumentError, "timestamp.*Utf8"),
    "headers": ({"value": [b"x"], "h": [1]}, {"headers": "h"}, InvalidArgumentError, "headers.*Int64"),
    "two of one name": (
        pa.Table.from_arrays([pa.array([b"x"]), pa.array([b"y"])], ["value", "value"]),
        {},
        InvalidArgumentError,
        'value: the table has 2 columns named "value"',
    ),
    "two keys": (
        pa.Table.from_arrays([pa.array([b"x"]), pa.array([1]), pa.array(["y"])], ["value", "k", "k"]),
        {"key": "k"},
        InvalidArgumentError,
        'key: the table has 2 columns named "k"',
    ),
    "seconds": (
        {"value": [b"x", b"y"], "t": pa.array([0, 2**61], pa.timestamp("s", "UTC"))},
        {"timestamp": "t"},
        InvalidArgumentError,
        f'timestamp: {2**61} in row 1 of column "t" is out of range',
    ),
    "early seconds": (
        {"value": [b"x"], "t": pa.array([-(2**61)], pa.timestamp("s", "UTC"))},
        {"timestamp": "t"},
        InvalidArgumentError,
        f'timestamp: -{2**61} in row 0 of column "t" is out of range',
    ),
    "unsigned time": (
        {"value": [b"x"], "t": pa.array([2**63], pa.uint64())},
        {"timestamp": "t"},
        InvalidArgumentError,
        f'timestamp: {2**63} in row 0 of column "t" is out of range',
    ),
    "unsigned partition": (
        {"value": [b"x"], "p": pa.array([2**64 - 1], pa.uint64())},
        {"partition": "p"},
        InvalidArgumentError,
        f'partition: {2**64 - 1} in row 0 of column "p" is out of range',
    ),
    "header without name": (
        {"value": [b"x", b"y"], "h": pa.array([[], [{"name": None, "value": b"z"}]], PAIRS)},
        {"headers": "h"},
        InvalidArgumentError,
        'headers: row 1 of column "h" has a header whose name is null',
    ),
    "null header": (
        {"value": [b"x"], "h": pa.array([[None]], PAIRS)},
        {"headers": "h"},
        InvalidArgumentError,
        'headers: row 0 of column "h" has a header whose name is null',
    ),
    "partition": ({"value": [b"x"], "p": [2**40]}, {"partition": "p"}, InvalidArgumentError, "partition.*out of range"),
    "unknown partition": ({"value": [b"x", b"y"], "p": [0, 7]}, {"partition": "p"}, InvalidPartitionError, "7"),
    "negative time": ({"value": [b"x", b"y"], "t": [0, -1]}, {"timestamp": "t"}, ValueError, "-1"),
    "too large": ({"value": [b"x", bytes(2_000_000)]}, {}, RecordTooLargeError, "max_request_size"),
}


@pytest.mark.parametrize("case", WRONG)
def test_where_something_is_wrong_nothing_of_the_batch_is_sent(clients: Clients, topic: str, case: str) -> None:
    columns, named, error, told = WRONG[case]
    producer: Any = clients.producer()
    producer.partitions_for(topic)
    with pytest.raises(error, match=told):
        producer.send_arrow(topic, columns if isinstance(columns, pa.Table) else pa.table(columns), **named)
    assert producer.send(topic, b"value").result(SECONDS).offset == 0


@pytest.mark.parametrize("data", [5, b"bytes", [b"value"], {"value": [1]}])
def test_what_is_no_table_is_told(clients: Clients, topic: str, data: object) -> None:
    producer: Any = clients.producer()
    with pytest.raises(TypeError, match="__arrow_c_stream__"):
        producer.send_arrow(topic, data)


def test_a_stream_that_fails_half_way_says_what_was_sent(clients: Clients, topic: str) -> None:
    schema = pa.schema([("value", pa.binary())])

    def batches() -> Any:
        yield pa.record_batch({"value": [b"0", b"1"]}, schema)
        raise ZeroDivisionError

    producer: Any = clients.producer()
    reader = pa.RecordBatchReader.from_batches(schema, batches())
    with pytest.raises(ValueError, match="stream failed"):
        producer.send_arrow(topic, reader)
    assert producer.flush(SECONDS) == 0


def test_asyncio_awaits_the_metadata_of_all(broker: Broker, topic: str) -> None:
    async def test() -> None:
        async with kafkars.aio.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            table = pa.table({"value": numbers(1_000)})
            assert [each.offset for each in await producer.send_arrow(topic, table)] == list(range(1_000))
            handle = await producer.enqueue_arrow(topic, table)
            assert [each.offset for each in await handle] == list(range(1_000, 2_000))

    run(test())


HEADERS = pa.list_(pa.struct([("name", pa.string()), ("value", pa.binary())]))

# A column whose third row cannot be sent.
WRONG_ROWS: dict[str, tuple[list[object], Any]] = {
    "partition": ([0, 0, 2**40], pa.int64()),
    "timestamp": ([1, 2, 2**63], pa.uint64()),
    "headers": ([[], [], [{"name": None, "value": b""}]], HEADERS),
}


def test_no_row_of_a_table_in_chunks_is_sent_if_one_cannot_be(clients: Clients, topic: str) -> None:
    rows = [pa.table({"value": [b"a", b"b"], "p": [0, where]}) for where in (0, 0, 99)]
    producer: Any = clients.producer()
    producer.partitions_for(topic)
    with pytest.raises(InvalidPartitionError) as caught:
        producer.send_arrow(topic, pa.concat_tables(rows), partition="p")
    assert (caught.value.index, caught.value.sent) == (5, None)
    assert producer.flush(SECONDS) == 0
    producer.send_arrow(topic, pa.concat_tables(rows[:2]), partition="p").result(SECONDS)
    assert values(read(clients.consumer([(topic, 0)]), 4)) == [b"a", b"b", b"a", b"b"]


@pytest.mark.parametrize("form", ["one chunk", "three chunks", "stream"])
@pytest.mark.parametrize("role", WRONG_ROWS)
def test_an_error_names_the_row_and_has_what_was_sent(clients: Clients, role: str, form: str) -> None:
    topic = clients.broker.new_topic()
    column, kind = WRONG_ROWS[role]
    rows = [pa.table({"value": [b"x"], role: pa.array([each], kind)}) for each in column]
    table = pa.concat_tables(rows) if form != "one chunk" else pa.concat_tables(rows).combine_chunks()
    producer: Any = clients.producer()
    producer.send(topic, b"first").result(SECONDS)
    with pytest.raises(InvalidArgumentError) as caught:
        producer.send_arrow(topic, table.to_reader() if form == "stream" else table, **{role: role})
    assert caught.value.index == 2
    consumer = clients.consumer([(topic, 0)])
    if form != "stream":
        # A table is checked in full first.
        assert caught.value.sent is None
        assert producer.flush(SECONDS) == 0
        assert consumer.end_offsets([(topic, 0)])[(topic, 0)] == 1
        return
    assert len(caught.value.sent) == 2
    assert producer.flush(SECONDS) == 0
    assert consumer.end_offsets([(topic, 0)])[(topic, 0)] == 3

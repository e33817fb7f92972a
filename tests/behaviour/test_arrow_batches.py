"""Records that are read as Arrow columns: every column, every reader of Arrow, nothing lost by a wrong name."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import kafkars.aio
import pytest
from kafkars import ArrowBatch, Consumer, Producer
from kafkars._times import Milliseconds
from kafkars.errors import DeserializationError, InvalidArgumentError
from kafkars.testing import EmbeddedBroker

from tests.support.clients import Clients, numbers
from tests.support.waiting import SECONDS

if TYPE_CHECKING:
    from tests.brokers import Broker

pa: Any = pytest.importorskip("pyarrow")


def columns_of(consumer: Any, count: int, **how: Any) -> Any:
    """The next `count` records as one table."""
    tables: list[Any] = []
    while sum(map(len, tables)) < count:
        batch = consumer.poll_arrow(timeout=SECONDS, **how)
        assert len(batch) > 0, f"{sum(map(len, tables))} of {count} records"
        tables.append(pa.table(batch))
    return pa.concat_tables(tables)


def test_every_part_of_a_record_has_a_column(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=2)
    producer: Any = clients.producer()
    sent = [
        producer.send(
            topic, b"v", key=b"k", partition=1, timestamp=1_700_000_000_123, headers=[("a", b"1"), ("b", None)]
        ),
        producer.send(topic, None, key=b"gone", partition=1, timestamp=5),
        producer.send(topic, b"", partition=1, timestamp=6),
    ]
    assert [each.result(SECONDS).offset for each in sent] == [0, 1, 2]
    table = columns_of(clients.consumer([(topic, 1)]), 3)
    assert table.column_names == [
        "key",
        "value",
        "topic",
        "partition",
        "offset",
        "timestamp",
        "timestampType",
        "headers",
    ]
    assert table["key"].to_pylist() == [b"k", b"gone", None]
    assert table["value"].to_pylist() == [b"v", None, b""]
    assert table["topic"].to_pylist() == [topic] * 3
    assert table["partition"].to_pylist() == [1, 1, 1]
    assert table["offset"].to_pylist() == [0, 1, 2]
    assert table["timestamp"].cast(pa.int64()).to_pylist() == [1_700_000_000_123, 5, 6]
    assert table["timestampType"].to_pylist() == [0, 0, 0]
    assert table["headers"].to_pylist() == [[{"key": "a", "value": b"1"}, {"key": "b", "value": None}], [], []]
    assert table.schema == pa.schema(
        [
            pa.field("key", pa.binary()),
            pa.field("value", pa.binary()),
            pa.field("topic", pa.dictionary(pa.int32(), pa.string()), nullable=False),
            pa.field("partition", pa.int32(), nullable=False),
            pa.field("offset", pa.int64(), nullable=False),
            pa.field("timestamp", pa.timestamp("ms", "UTC")),
            pa.field("timestampType", pa.int32(), nullable=False),
            pa.field(
                "headers",
                pa.list_(
                    pa.field(
                        "item",
                        pa.struct([pa.field("key", pa.string(), nullable=False), pa.field("value", pa.binary())]),
                        nullable=False,
                    )
                ),
                nullable=False,
            ),
        ]
    )


SPARK: Any = pa.schema(
    [
        pa.field("key", pa.binary()),
        pa.field("value", pa.binary()),
        pa.field("topic", pa.string()),
        pa.field("partition", pa.int32()),
        pa.field("offset", pa.int64()),
        pa.field("timestamp", pa.timestamp("us", "UTC")),
        pa.field("timestampType", pa.int32()),
        pa.field(
            "headers",
            pa.list_(pa.field("element", pa.struct([pa.field("key", pa.string()), pa.field("value", pa.binary())]))),
        ),
    ]
)
"""What `pyspark.sql.pandas.types.to_arrow_schema` makes of the schema of Spark's Kafka source."""


def test_the_layout_of_spark_is_to_the_letter(clients: Clients) -> None:
    topics = sorted(clients.broker.new_topic(partitions=2) for _ in range(2))
    producer: Any = clients.producer()
    for topic in topics:
        for partition in range(2):
            producer.send(
                topic,
                b"v",
                key=b"k",
                partition=partition,
                timestamp=1_700_000_000_123,
                headers=[("a", b"1"), ("b", None)],
            ).result(SECONDS)
            producer.send(topic, None, partition=partition, timestamp=0).result(SECONDS)
    consumer = clients.consumer([(topic, partition) for topic in topics for partition in range(2)])
    table = columns_of(consumer, 8, layout="spark")
    assert table.schema.equals(SPARK, check_metadata=True)
    table.validate(full=True)
    rows = table.sort_by([("topic", "ascending"), ("partition", "ascending"), ("offset", "ascending")])
    assert rows["topic"].to_pylist() == [topic for topic in topics for _ in range(4)]
    assert rows["partition"].to_pylist() == [0, 0, 1, 1] * 2
    assert rows["timestamp"].cast(pa.int64()).to_pylist() == [1_700_000_000_123_000, 0] * 4
    assert rows["headers"].to_pylist() == [[{"key": "a", "value": b"1"}, {"key": "b", "value": None}], None] * 4


def test_the_layout_of_spark_has_only_the_columns_named(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(3))
    table = columns_of(clients.consumer([(topic, 0)]), 3, columns=["value", "topic"], layout="spark")
    assert table.schema.equals(pa.schema([SPARK.field("value"), SPARK.field("topic")]))
    assert table.to_pydict() == {"value": numbers(3), "topic": [topic] * 3}


def test_a_batch_without_rows_has_the_schema_of_the_layout(clients: Clients, topic: str) -> None:
    batch: Any = clients.consumer([(topic, 0)]).poll_arrow(timeout=0, layout="spark")
    assert pa.table(batch).schema.equals(SPARK)


def test_a_timestamp_that_does_not_fit_is_named_and_loses_nothing(clients: Clients) -> None:
    # Kafka takes any timestamp before 3.6, which brought the setting, and refuses those of the future without it since.
    options = getattr(clients.broker.handle, "options", None)
    takes_any = options is not None and options.version.startswith("2.")
    settings = {} if takes_any else {"message.timestamp.after.max.ms": str(2**63 - 1)}
    topic = clients.broker.new_topic(settings=settings)
    nanoseconds = 1_700_000_000_123_000_000
    producer: Any = clients.producer()
    for number, timestamp in enumerate([5, nanoseconds, 6]):
        # A plain number that looks like another unit is refused.
        producer.send(topic, str(number).encode(), timestamp=Milliseconds(timestamp)).result(SECONDS)
    consumer: Any = clients.consumer([(topic, 0)])
    for _ in range(2):
        with pytest.raises(DeserializationError, match=f"the timestamp {nanoseconds} ms, which is too large") as caught:
            # The first may come alone.
            while consumer.poll_arrow(1, timeout=SECONDS, layout="spark"):
                pass
        assert (caught.value.topic, caught.value.partition, caught.value.offset) == (topic, 0, 1)
    assert consumer.position((topic, 0)) == 1
    table = columns_of(consumer, 2)
    assert table["timestamp"].cast(pa.int64()).to_pylist() == [nanoseconds, 6]
    consumer.seek((topic, 0), 0)
    assert columns_of(consumer, 3, columns=["value"], layout="spark")["value"].to_pylist() == numbers(3)


def test_a_wrong_layout_takes_nothing(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(2))
    consumer: Any = clients.consumer([(topic, 0)])
    with pytest.raises(InvalidArgumentError, match='layout: "Spark" is none; there are "native" and "spark"'):
        consumer.poll_arrow(timeout=SECONDS, layout="Spark")
    assert columns_of(consumer, 2)["value"].to_pylist() == numbers(2)


def test_topics_and_partitions_are_told_apart(clients: Clients) -> None:
    topics = sorted(clients.broker.new_topic(partitions=2) for _ in range(2))
    for topic in topics:
        for partition in range(2):
            clients.fill(topic, range(20), partition=partition)
    table = columns_of(clients.consumer([(topic, partition) for topic in topics for partition in range(2)]), 80)
    seen = sorted(zip(*(table[name].to_pylist() for name in ("topic", "partition", "offset")), strict=True))
    assert seen == [(topic, partition, offset) for topic in topics for partition in range(2) for offset in range(20)]


def test_only_the_columns_named_are_made(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(3))
    table = columns_of(clients.consumer([(topic, 0)]), 3, columns=["offset", "value", "offset"])
    assert table.to_pydict() == {"offset": [0, 1, 2], "value": numbers(3)}


def test_no_column_at_all_still_counts(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(3))
    batch: Any = clients.consumer([(topic, 0)]).poll_arrow(timeout=SECONDS, columns=[])
    assert (len(batch), batch.num_rows, batch.column_names) == (3, 3, [])


def test_a_wrong_name_takes_nothing(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(2))
    consumer: Any = clients.consumer([(topic, 0)])
    with pytest.raises(InvalidArgumentError, match='"values" is no column of records; there are key, value, topic'):
        consumer.poll_arrow(timeout=SECONDS, columns=["values"])
    assert columns_of(consumer, 2)["value"].to_pylist() == numbers(2)


def test_nothing_there_is_a_batch_without_rows(clients: Clients, topic: str) -> None:
    batch: Any = clients.consumer([(topic, 0)]).poll_arrow(timeout=0)
    assert len(batch) == 0
    assert pa.table(batch).num_rows == 0
    assert pa.record_batch(batch).schema.names[:2] == ["key", "value"]


def test_a_record_batch_is_taken_by_arrow_itself(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(10))
    batch: Any = clients.consumer([(topic, 0)], max_poll_records=10).poll_batch(timeout=SECONDS)
    some = batch[2:5]
    assert pa.record_batch(some)["value"].to_pylist() == numbers(2, 5)
    assert pa.table(some)["offset"].to_pylist() == [2, 3, 4]
    assert isinstance(some.to_arrow(), ArrowBatch)
    assert repr(some.to_arrow(["key"])) == "ArrowBatch(3 records: key)"
    assert some.to_arrow().nbytes > 0


def test_columns_outlive_the_consumer(broker: Broker) -> None:
    topic = broker.new_topic()
    clients = Clients(broker, kafkars)
    clients.fill(topic, ["x" * 1000] * 50)
    consumer: Any = clients.consumer([(topic, 0)])
    table = columns_of(consumer, 50)
    clients.close()
    del consumer
    assert table["value"].to_pylist() == [b"x" * 1000] * 50


def test_what_was_read_can_be_sent_again(clients: Clients) -> None:
    source, target = clients.broker.new_topic(), clients.broker.new_topic()
    producer: Any = clients.producer()
    producer.send(source, b"1", key=b"a", headers=[("h", b"x")], timestamp=17).result(SECONDS)
    producer.send(source, None, key=b"b", timestamp=18).result(SECONDS)
    table = columns_of(clients.consumer([(source, 0)]), 2)
    producer.send_arrow(target, table, value="value", key="key", headers="headers", timestamp="timestamp").result(
        SECONDS
    )
    again = columns_of(clients.consumer([(target, 0)]), 2)
    for name in ("key", "value", "headers", "timestamp"):
        assert again[name].to_pylist() == table[name].to_pylist()


def test_iteration_ends_with_the_consumer() -> None:
    with EmbeddedBroker() as broker, Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        broker.create_topic("t")
        for number in range(5):
            producer.send("t", str(number).encode()).result(SECONDS)
        consumer: Any = Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest")
        consumer.assign([("t", 0)])
        seen: list[bytes] = []
        for batch in consumer.arrow_batches(2, columns=["value"]):
            seen += pa.table(batch)["value"].to_pylist()
            if len(seen) == 5:
                threading.Thread(target=consumer.close).start()
        assert seen == numbers(5)


def test_asyncio_iteration_ends_with_the_consumer() -> None:
    async def main() -> list[bytes]:
        seen: list[bytes] = []
        async with kafkars.aio.Consumer(
            bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest"
        ) as consumer:
            consumer.assign([("t", 0)])
            first = await consumer.poll_arrow(2, timeout=SECONDS, columns=["value"])
            seen += pa.table(first)["value"].to_pylist()
            closing = None
            async for batch in consumer.arrow_batches(columns=["value"]):
                seen += pa.table(batch)["value"].to_pylist()
                if len(seen) == 5:
                    closing = asyncio.ensure_future(consumer.close())
            assert closing is not None
            await closing
        return seen

    with EmbeddedBroker() as broker, Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        broker.create_topic("t")
        for number in range(5):
            producer.send("t", str(number).encode()).result(SECONDS)
        assert asyncio.run(main()) == numbers(5)


@pytest.mark.parametrize("library", ["polars", "pandas", "duckdb"])
def test_other_libraries_take_the_columns(clients: Clients, topic: str, library: str) -> None:
    module: Any = pytest.importorskip(library)
    clients.fill(topic, range(4))
    batch: Any = clients.consumer([(topic, 0)]).poll_arrow(4, timeout=SECONDS)
    expected = list(zip(range(len(batch)), numbers(len(batch)), strict=True))
    if library == "polars":
        found = module.DataFrame(batch).select("offset", "value").rows()
    elif library == "pandas":
        taken = getattr(module.DataFrame, "from_arrow", lambda data: pa.table(data).to_pandas())
        frame = taken(batch)
        found = list(zip(frame["offset"].tolist(), frame["value"].tolist(), strict=True))
    else:
        found = module.sql('select "offset", "value" from batch order by "offset"').fetchall()
    assert found == expected

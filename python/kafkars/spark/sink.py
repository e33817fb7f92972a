"""The sink: it sends the rows of a task as records, and the task succeeds when all of them are acknowledged."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamArrowWriter, WriterCommitMessage
from pyspark.sql.types import BinaryType, IntegerType, StringType, StructType

from kafkars.config.producer import ProducerConfig
from kafkars.errors import ConfigError, InvalidArgumentError, KafkaError
from kafkars.producer import Producer
from kafkars.spark import client_settings
from kafkars.spark import schema as columns_of_spark
from kafkars.spark.marks import Digest, Mark, MicroBatchTask, check_shape
from kafkars.spark.options import SinkOptions
from kafkars.spark.processes import spare_modules

TYPES = {
    "topic": (StringType(),),
    "key": (StringType(), BinaryType()),
    "value": (StringType(), BinaryType()),
    "headers": (columns_of_spark.HEADERS,),
    "partition": (IntegerType(),),
}
"""The columns that are written; others are left out, as in Spark's own sink."""

UNCONFIRMED = 8
"""Arrow batches that may be under way before the first of them must be acknowledged."""

TRANSACTION_TIMEOUT_MS = 600_000
"""How long a task may take with exactly-once, unless `kafka.transaction.timeout.ms` says otherwise."""


def check_schema(schema: StructType, topic: str | None) -> None:
    """Refuses rows that cannot become records, before a job starts.

    Raises:
        ConfigError: A column is missing or of the wrong type; the message names it.
    """
    types = {field.name: field.dataType for field in schema.fields}
    if "value" not in types:
        raise ConfigError("value: the rows have no such column, and every record needs one (null is a tombstone)")
    if topic is None and "topic" not in types:
        raise ConfigError("topic: neither the option nor a column of this name says where rows go")
    for name, kinds in TYPES.items():
        if name == "topic" and topic is not None:
            continue  # The option overrides the column, whatever that holds.
        if name in types and not any(columns_of_spark.same(types[name], kind) for kind in kinds):
            wanted = " or ".join(kind.simpleString() for kind in kinds)
            raise ConfigError(f"{name}: the column is {types[name].simpleString()}, and must be {wanted}")


@dataclass
class Written(WriterCommitMessage):
    """The message of a finished task to the driver."""

    rows: int
    skipped: bool = False
    """Whether the rows had been written by an earlier attempt."""
    began: str | None = None
    """The query, if this was the worker's first task of the query's run, with exactly-once; None otherwise."""


class BatchWriter(DataSourceArrowWriter):
    """Writes at least once: a task that is tried again writes its rows again."""

    def __init__(self, options: SinkOptions, schema: StructType) -> None:
        check_schema(schema, options.topic)
        self.options = options

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        """Writes the rows of one task."""
        spare_modules()
        return Written(write_through_kept(self.options, iterator))


class StreamWriter(DataSourceStreamArrowWriter):
    """Writes at least once, or exactly once: then one transaction has the rows of a task and a mark that they are
    written.
    """

    def __init__(self, options: SinkOptions, schema: StructType) -> None:
        check_schema(schema, options.topic)
        if options.exactly_once and options.marks_topic is None:
            raise ConfigError(
                "kafkars.marks.topic: exactly-once without the option topic needs a topic to keep marks of progress for "
                "(no record is written there)"
            )
        self.options = options

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        """Writes the rows of one task."""
        spare_modules()
        if not self.options.exactly_once:
            return Written(write_through_kept(self.options, iterator))
        return self.write_once(iterator, MicroBatchTask.of_this_task())

    def write_once(self, iterator: Iterator[Any], batch: MicroBatchTask) -> WriterCommitMessage:
        """Writes the rows of a task in one transaction, unless an earlier attempt has done so."""
        options = self.options
        began = None if batch.run in _runs else batch.query
        name = f"{options.prefix}-{batch.query}-{batch.task}"
        mark = Mark(options, name)
        with new_producer(options, transactional_id=name) as producer:
            # This fences an earlier attempt, which can write nothing from here on, and aborts what it had not
            # committed.
            producer.init_transactions()
            if mark.is_past(batch):
                return Written(mark.compare(batch, records(options, iterator)), skipped=True, began=began)
            digest = Digest()
            producer.begin_transaction()
            try:
                rows = send_all(lambda *_: producer, options, iterator, digest)
                producer.send_offsets_to_transaction(*mark.offsets(batch, digest))
                self.commit_transaction(producer, batch)
            except BaseException:
                abort(producer)
                raise
        _runs.add(batch.run)
        return Written(rows, began=began)

    def commit_transaction(self, producer: Producer[Any, Any], batch: MicroBatchTask) -> None:
        """Commits the rows and the mark."""
        del batch
        producer.commit_transaction()

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803  Spark's name
        """Called when all tasks have succeeded; their records are committed already.

        Raises:
            ReplayDiffersError: An earlier attempt at this batch had more tasks, and some of them had written, too.
        """
        # Only the first batch of a run can be a replay.
        queries = {each.began for each in messages if isinstance(each, Written) and each.began is not None}
        for query in queries:
            check_shape(self.options, query, batchId, len(messages))

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803  Spark's name
        """Called when a task has failed. Records of other tasks stay; Spark tries the batch again."""


def new_producer(options: SinkOptions, **more: Any) -> Producer[Any, Any]:
    """Makes a producer with the settings of the options."""
    settings: dict[str, Any] = {"client_id": "kafkars-spark", **client_settings.part(options.settings, ProducerConfig)}
    if "transactional_id" in more:
        settings.setdefault("transaction_timeout_ms", TRANSACTION_TIMEOUT_MS)
    return Producer(client_settings.make(ProducerConfig, {**settings, **more}))


_runs: set[str] = set()
"""Runs of queries that have written a batch in this worker."""

_kept: dict[tuple[tuple[str, str], ...], Producer[Any, Any]] = {}
"""The producer that is kept for the worker's next task, by settings. A worker runs one task at a time."""


def write_through_kept(options: SinkOptions, iterator: Iterator[Any]) -> int:
    """Writes all rows by a producer that is kept for the next task if nothing goes wrong."""
    key = tuple(sorted(options.settings.items()))
    kept = _kept.pop(key, None)
    producer = kept or new_producer(options)

    def choose(topic: str, table: Any) -> Producer[Any, Any]:
        nonlocal kept, producer
        if kept is not None and not knows_partitions(kept, topic, table):
            # Partitions may have been added since its last metadata; a new producer fetches them first.
            kept = None
            producer.close()
            producer = new_producer(options)
        return producer

    try:
        rows = send_all(choose, options, iterator)
    except BaseException:
        producer.purge()
        producer.close(0)
        raise
    for other in _kept.values():
        other.close(0)
    _kept.clear()
    _kept[key] = producer
    return rows


def knows_partitions(producer: Producer[Any, Any], topic: str, table: Any) -> bool:
    """True if the producer's metadata has all partitions that rows name."""
    if "partition" not in table.schema.names:
        return True
    import pyarrow.compute as pc  # noqa: PLC0415  as below

    highest = pc.max(table.column("partition")).as_py()
    return highest is None or highest < len(producer.partitions_for(topic))


def send_all(
    choose: Callable[[str, Any], Producer[Any, Any]],
    options: SinkOptions,
    iterator: Iterator[Any],
    digest: Digest | None = None,
) -> int:
    """Sends all rows and waits until each is acknowledged.

    Args:
        choose: Returns the producer for an Arrow batch of a topic. A producer that it has replaced is closed.
        options: The options of the sink.
        iterator: The Arrow batches of a task.
        digest: If given, the rows are added to it.

    Returns:
        The number of rows.

    Raises:
        KafkaError: A row was not stored.
    """
    rows = 0
    under_way: deque[Any] = deque()
    producer: Producer[Any, Any] | None = None
    for topic, table in records(options, iterator):
        if digest is not None:
            digest.add(topic, table)
        rows += table.num_rows
        names = table.schema.names
        roles: dict[str, Any] = {role: role for role in ("key", "headers", "partition") if role in names}
        producer = choose(topic, table)
        under_way.append(producer.send_arrow(topic, table, value="value", **roles))
        while len(under_way) > UNCONFIRMED:
            confirm(under_way.popleft())
    if producer is not None:
        producer.flush()
    for deliveries in under_way:
        confirm(deliveries)
    return rows


def confirm(deliveries: Any) -> None:
    """Waits for one Arrow batch and raises the first failure of a row."""
    failures: dict[int, KafkaError] = deliveries.failures()
    if failures:
        raise failures[min(failures)]


def records(options: SinkOptions, iterator: Iterator[Any]) -> Iterator[tuple[str, Any]]:
    """Yields the rows by topic, as Arrow batches with the columns that are written.

    Raises:
        InvalidArgumentError: A row names no topic.
    """
    import pyarrow.compute as pc  # noqa: PLC0415  executors have it, `import kafkars.spark` does not need it

    for batch in iterator:
        written = batch.select([name for name in TYPES if name in batch.schema.names and name != "topic"])
        if options.topic is not None:
            if batch.num_rows:
                yield options.topic, written
            continue
        topics = batch.column(batch.schema.get_field_index("topic"))
        for topic in pc.unique(topics).to_pylist():
            if topic is None:
                raise InvalidArgumentError("topic: a row has null there; the option topic says where such rows go")
            yield topic, written.filter(pc.equal(topics, topic))


def abort(producer: Producer[Any, Any]) -> None:
    """Aborts the transaction of a failed task. An error of this is dropped: that of the task is to be raised."""
    try:
        producer.abort_transaction()
    except KafkaError:
        # The init_transactions() of the next attempt aborts the transaction.
        producer.close(0)

"""Streams give what Spark's own connector gives, and their checkpoints are its checkpoints."""

from __future__ import annotations

from typing import Any

import pytest
from kafkars import Producer
from kafkars.admin import Admin

from tests.spark.queries import OURS, Queries, finish, offsets
from tests.spark.session import running
from tests.support.waiting import SECONDS

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.timeout(300)]


def send(queries: Queries, topic: str, *counts: int) -> None:
    """So many more records to each partition."""
    with Producer(bootstrap_servers=queries.broker.bootstrap_servers) as producer:
        for partition, count in enumerate(counts):
            values = [b"%d" % number for number in range(count)]
            producer.send_many(topic, values, partitions=partition).result(SECONDS)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"maxOffsetsPerTrigger": "35"},
        {"minPartitions": "5", "includeHeaders": "true"},
        {"maxOffsetsPerTrigger": "50", "maxRecordsPerPartition": "10"},
        {"startingTimestamp": "1", "startingOffsetsByTimestampStrategy": "latest", "minOffsetsPerTrigger": "20"},
    ],
    ids=repr,
)
def test_the_same_rows_and_the_same_batches_as_the_connector(
    queries: Queries, oracle: str, options: dict[str, str]
) -> None:
    topic = queries.broker.new_topic(3)
    send(queries, topic, 100, 3, 0)
    common = {"subscribe": topic, "startingOffsets": "earliest", **options}
    for form in (OURS, oracle):
        queries.run_available(queries.stream(form, **common), form)
    assert queries.rows_of(OURS) == queries.rows_of(oracle)
    assert len(queries.rows_of(OURS)) == 103
    assert queries.checkpoint(OURS) == queries.checkpoint(oracle)
    # What comes later is read by a second run, from the checkpoint.
    send(queries, topic, 10, 10, 10)
    for form in (OURS, oracle):
        queries.run_available(queries.stream(form, **common), form)
    assert queries.rows_of(OURS) == queries.rows_of(oracle)
    assert len(queries.rows_of(OURS)) == 133
    assert queries.checkpoint(OURS) == queries.checkpoint(oracle)


def test_a_new_query_begins_at_the_end_unless_told_otherwise(queries: Queries) -> None:
    topic = queries.broker.new_topic(1)
    send(queries, topic, 5)
    stream = queries.stream(subscribe=topic)
    queries.run_available(stream, "latest")
    assert queries.rows_of("latest") == []
    send(queries, topic, 3)
    queries.run_available(queries.stream(subscribe=topic), "latest")
    assert offsets(queries.rows_of("latest")) == [5, 6, 7]


def test_a_query_moves_between_the_connectors_on_its_checkpoint(queries: Queries, oracle: str) -> None:
    topic = queries.broker.new_topic(2)
    for form in (oracle, OURS, oracle, OURS):
        send(queries, topic, 20, 7)
        stream = queries.stream(form, subscribe=topic, startingOffsets="earliest", maxOffsetsPerTrigger="9")
        queries.run_available(stream, "moved")
    found = queries.rows_of("moved")
    assert sorted((row[3], row[4]) for row in found) == [(0, each) for each in range(80)] + [
        (1, each) for each in range(28)
    ]


@pytest.mark.parametrize("how", ["partitions", "topics"])
def test_what_appears_while_a_stream_runs_is_read_from_its_beginning(queries: Queries, how: str) -> None:
    topic = queries.broker.new_topic(1, name=f"spark-{how}")
    chosen = {"subscribe": topic} if how == "partitions" else {"subscribePattern": f"{topic}.*"}
    send(queries, topic, 5)
    stream = queries.stream(**chosen, startingOffsets="latest", **{"kafka.metadata.max.age.ms": "200"})
    queries.run_available(stream, "grown")
    with Admin(bootstrap_servers=queries.broker.bootstrap_servers) as admin:
        if how == "partitions":
            admin.create_partitions({topic: 2})
        else:
            queries.broker.new_topic(1, name=f"{topic}-more")
            other = next(name for name in admin.list_topics() if name.startswith(f"{topic}-more"))
    if how == "partitions":
        send(queries, topic, 2, 4)
    else:
        send(queries, topic, 2)
        send(queries, other, 4)
    queries.run_available(queries.stream(**chosen), "grown")
    found = queries.rows_of("grown")
    old = [row for row in found if (row[2], row[3]) == (topic, 0)]
    assert offsets(old) == [5, 6]
    assert offsets(row for row in found if row not in old) == [0, 1, 2, 3]


@pytest.mark.parametrize("fail", ["true", "false"])
@pytest.mark.parametrize("loss", ["retention", "recreated"])
def test_records_that_vanish_under_a_stream(queries: Queries, loss: str, fail: str) -> None:
    topic = queries.broker.new_topic(1)
    send(queries, topic, 10)
    options = {"subscribe": topic, "startingOffsets": "earliest", "failOnDataLoss": fail}
    queries.run_available(queries.stream(**options), "loss")
    with Admin(bootstrap_servers=queries.broker.bootstrap_servers) as admin:
        if loss == "retention":
            send(queries, topic, 10)
            admin.delete_records({(topic, 0): 15})
        else:
            admin.delete_topics([topic])
            queries.broker.handle.create_topic(topic)
            send(queries, topic, 4)
    # A consumer that a worker has kept may have fetched what is gone now: another setting makes another one.
    options["kafka.client.id"] = "later"
    if fail == "true":
        with pytest.raises(Exception, match="failOnDataLoss"):
            queries.run_available(queries.stream(**options), "loss")
        return
    queries.run_available(queries.stream(**options), "loss")
    if loss == "retention":
        assert offsets(queries.rows_of("loss")) == [*range(10), *range(15, 20)]
    else:
        # What is there again is read from where the topic ended when the loss was seen.
        send(queries, topic, 3)
        queries.run_available(queries.stream(**options), "loss")
        assert offsets(queries.rows_of("loss")) == sorted([*range(10), 4, 5, 6])


@pytest.mark.parametrize("option", ["kafkars.commit.group", "kafka.group.id"])
def test_a_group_shows_how_far_the_stream_is(queries: Queries, option: str) -> None:
    topic = queries.broker.new_topic(2)
    send(queries, topic, 10, 20)
    group = f"lag of {topic}"
    options = {"subscribe": topic, "startingOffsets": "earliest", "maxOffsetsPerTrigger": "12", option: group}
    queries.run_available(queries.stream(**options), "lag")
    with Admin(bootstrap_servers=queries.broker.bootstrap_servers) as admin:
        committed = admin.list_group_offsets([group])[group]
        assert {each.partition: found.offset for each, found in committed.items()} == {0: 10, 1: 20}
    # A batch query may begin there.
    send(queries, topic, 1, 2)
    frame = queries.load(subscribe=topic, startingOffsets="committed", **{"kafkars.commit.group": group})
    assert frame.count() == 3


def test_an_idle_query_has_no_lag_after_its_next_trigger(queries: Queries) -> None:
    topic = queries.broker.new_topic(1)
    group = f"idle {topic}"
    stream = queries.stream(subscribe=topic, startingOffsets="earliest", **{"kafkars.commit.group": group})
    writer = stream.writeStream.format("noop").trigger(processingTime="100 milliseconds")
    writer = writer.option("checkpointLocation", str(queries.folder / "idle"))
    query = writer.start()
    try:
        with Admin(bootstrap_servers=queries.broker.bootstrap_servers) as admin:
            for count in (5, 9):
                send(queries, topic, count)

                def caught_up(total: int = 5 if count == 5 else 14) -> bool:
                    nonlocal query
                    query = running(writer.start, query)
                    found = admin.list_group_offsets([group])[group]
                    return [each.offset for each in found.values()] == [total]

                from tests.support.waiting import eventually

                eventually(caught_up, "the group's offset is the end", 60)
    finally:
        query.stop()


def test_progress_tells_start_end_and_latest(queries: Queries) -> None:
    topic = queries.broker.new_topic(1)
    send(queries, topic, 10)
    stream = queries.stream(subscribe=topic, startingOffsets="earliest", maxOffsetsPerTrigger="4")
    query = queries.run_available(stream, "progress")
    first: Any = query.recentProgress[0]["sources"][0]
    import json

    assert json.loads(first["endOffset"]) == {topic: {"0": 4}}
    assert json.loads(first["latestOffset"]) == {topic: {"0": 10}}
    assert first["numInputRows"] == 4


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"endingOffsets": "latest"}, "endingOffsets"),
        ({"maxOffsetsPerTrigger": "x"}, "maxOffsetsPerTrigger"),
        ({"startingOffsets": {"other": {"0": 1}}}, "startingOffsets"),
        ({"kafka.enable.auto.commit": "true"}, "kafka.enable.auto.commit"),
    ],
)
def test_what_is_wrong_ends_the_stream_before_a_batch(queries: Queries, options: Any, named: str) -> None:
    topic = queries.broker.new_topic(1)
    with pytest.raises(Exception, match=named.replace(".", r"\.")):
        writer = queries.stream(subscribe=topic, **options).writeStream.format("noop").trigger(availableNow=True)
        finish(writer.option("checkpointLocation", str(queries.folder / "refused")).start)

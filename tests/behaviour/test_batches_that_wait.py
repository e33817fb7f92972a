"""Batches that wait for their topic or for room are on their way like records that wait: every call sees them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import kafkars.aio
import pytest
from kafkars.errors import ClosedError, PurgedError, TransactionAbortedError
from kafkars.testing import EmbeddedBroker
from kafkars.testing.faults import Fault

from tests.support.awaits import run
from tests.support.clients import Clients, read, values
from tests.support.waiting import SECONDS, eventually


@pytest.fixture
def embedded() -> Iterator[EmbeddedBroker]:
    """One node, and a topic that it is slow to tell of."""
    with EmbeddedBroker(topics={"known": 1, "slow": 1}) as broker:
        yield broker


@pytest.fixture
def clients(embedded: EmbeddedBroker, client_api: Any) -> Iterator[Clients]:
    """Clients of both flavours on that node."""
    broker: Any = embedded
    made = Clients(broker, client_api)
    yield made
    made.close()


def slowly(broker: EmbeddedBroker, seconds: float = 0.5) -> Fault:
    return broker.intercept("Metadata", "delay", seconds=seconds, when=lambda request: "slow" in str(request.body))


def batch_of(producer: Any, *records: bytes) -> Any:
    batch = producer.create_batch()
    for record in records:
        assert batch.append(record) is not None
    return batch


def committed(clients: Clients, topic: str, last: bytes) -> list[bytes]:
    """What is read with `read_committed` up to a record that is sent now."""
    clients.producer().send(topic, last).result(SECONDS)
    consumer = clients.consumer([(topic, 0)], isolation_level="read_committed")
    seen: list[bytes] = []
    while not seen or seen[-1] != last:
        seen += values(read(consumer, 1))
    return seen[:-1]


def test_a_batch_of_an_aborted_transaction_is_not_in_the_next_one(clients: Clients, embedded: EmbeddedBroker) -> None:
    producer: Any = clients.producer(transactional_id="id")
    producer.init_transactions(SECONDS)
    with slowly(embedded):
        producer.begin_transaction()
        sent = producer.send_batch(batch_of(producer, b"aborted"), "slow", partition=0)
        producer.abort_transaction(SECONDS)
        producer.begin_transaction()
        producer.partitions_for("slow")
        producer.send("known", b"next").result(SECONDS)
        producer.commit_transaction(SECONDS)
    # Once its topic is known the batch may be on its way before the abort: stored then, and aborted there.
    with suppress(TransactionAbortedError):
        assert sent.result(SECONDS).offset == 0
    assert committed(clients, "slow", b"last") == []
    assert committed(clients, "known", b"last") == [b"next"]


def test_a_batch_whose_topic_does_not_come_spoils_no_later_transaction(embedded: EmbeddedBroker) -> None:
    async def test() -> None:
        settings = {"bootstrap_servers": embedded.bootstrap_servers, "transactional_id": "id", "max_block_ms": 1_000}
        async with kafkars.aio.Producer(**settings) as producer:
            await producer.init_transactions(SECONDS)
            await producer.partitions_for("known", timeout=SECONDS)
            with slowly(embedded, 5):
                await producer.begin_transaction()
                sent = producer.send_batch(batch_of(producer, b"aborted"), "slow", partition=0)
                await producer.abort_transaction(SECONDS)
                await producer.begin_transaction()
                await producer.send("known", b"next")
                # As long as the batch would have waited.
                with pytest.raises(kafkars.KafkaError):
                    await producer.partitions_for("slow")
                await producer.commit_transaction(SECONDS)
                with pytest.raises(kafkars.KafkaError, match="abort"):
                    await sent

    run(test())


def test_a_commit_waits_for_a_batch(clients: Clients, embedded: EmbeddedBroker) -> None:
    producer: Any = clients.producer(transactional_id="id")
    producer.init_transactions(SECONDS)
    with slowly(embedded):
        producer.begin_transaction()
        sent = producer.send_batch(batch_of(producer, b"0", b"1"), "slow", partition=0)
        producer.commit_transaction(SECONDS)
    assert sent.done()
    assert sent.result(SECONDS).offset == 0
    assert committed(clients, "slow", b"last") == [b"0", b"1"]


def test_flush_waits_for_a_batch(clients: Clients, embedded: EmbeddedBroker) -> None:
    producer: Any = clients.producer()
    with slowly(embedded):
        sent = producer.send_batch(batch_of(producer, b"0", b"1"), "slow", partition=0)
        assert producer.flush(SECONDS) == 0
    assert sent.done()
    assert embedded.offsets("slow", 0)[1] == 2


def test_leaving_the_block_stores_a_batch(clients: Clients, embedded: EmbeddedBroker) -> None:
    with clients.producer() as producer, slowly(embedded):
        made: Any = producer
        made.send_batch(batch_of(made, b"0", b"1"), "slow", partition=0)
        made.__exit__(None, None, None)
        assert embedded.offsets("slow", 0)[1] == 2


def test_purge_gives_a_batch_up(embedded: EmbeddedBroker) -> None:
    async def test() -> None:
        async with kafkars.aio.Producer(bootstrap_servers=embedded.bootstrap_servers) as producer:
            await producer.partitions_for("known")
            # Nobody hears of the other topic until it goes on.
            embedded.pause_node(1)
            sent = producer.send_batch(batch_of(producer, b"0", b"1"), "slow", partition=0)
            assert await producer.flush(0.01) == len(producer) == 2
            assert producer.purge() == 2
            assert len(producer) == 0
            with pytest.raises(PurgedError):
                await sent
            embedded.resume_node(1)
            await producer.partitions_for("slow")
            assert await producer.flush(SECONDS) == 0
        assert embedded.offsets("slow", 0)[1] == 0

    run(test())


def test_close_says_that_a_batch_was_given_up(embedded: EmbeddedBroker) -> None:
    async def test() -> None:
        producer = kafkars.aio.Producer(bootstrap_servers=embedded.bootstrap_servers)
        with slowly(embedded, 2):
            sent = producer.send_batch(batch_of(producer, b"0", b"1"), "slow", partition=0)
            assert await producer.close(0.1) == 2
            with pytest.raises(ClosedError):
                await sent

    run(test())


def test_nothing_overtakes_a_batch_that_waits_for_room(clients: Clients, embedded: EmbeddedBroker) -> None:
    settings = {"buffer_memory": 65_536, "max_request_size": 60_000, "batch_size": 32_768, "linger_ms": 0}
    producer: Any = clients.producer(**settings)
    producer.send("known", b"known").result(SECONDS)
    with embedded.intercept("Produce", "delay", seconds=0.5, times=1) as slow:
        first = producer.send("known", bytes(50_000))
        eventually(lambda: slow.hits, "the first is on its way")
        batch = batch_of(producer)
        while batch.append(b"batch" * 200) is not None:
            pass
        waits = producer.send_batch(batch, "known", partition=0)
        later = producer.send("known", b"later", partition=0)
        assert first.result(SECONDS).offset == 1
        assert waits.result(SECONDS).offset == 2
        assert later.result(SECONDS).offset == 2 + len(batch)


def test_records_and_batches_behind_a_partition_function_keep_their_order(embedded: EmbeddedBroker) -> None:
    async def test() -> None:
        settings = {"bootstrap_servers": embedded.bootstrap_servers, "partitioner": lambda _key, _count: 0}
        async with kafkars.aio.Producer(**settings) as producer:
            with slowly(embedded):
                first = producer.send("slow", b"0")
                batch = producer.send_batch(batch_of(producer, b"1", b"2"), "slow", partition=0)
                last = producer.send("slow", b"3", partition=0)
                assert len(producer) == 4
                # Behind the others, whatever is awaited first.
                assert (await last).offset == 3
            assert ((await first).offset, (await batch).offset) == (0, 1)

    run(test())

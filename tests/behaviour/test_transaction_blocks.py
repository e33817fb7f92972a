"""Transactions as `with` and `async with` blocks."""

from __future__ import annotations

import asyncio
import itertools
import os

import kafkars
import kafkars.aio
import pytest
from kafkars.errors import MessageTooLargeError, TransactionFailedError

from tests.brokers import Broker
from tests.support.awaits import run
from tests.support.waiting import SECONDS

NAMES = itertools.count(1)


def settings(broker: Broker) -> dict[str, str]:
    return {
        "bootstrap_servers": broker.bootstrap_servers,
        "transactional_id": f"transaction-blocks-{os.getpid()}-{next(NAMES)}",
    }


def read_committed(broker: Broker, topic: str, count: int) -> list[bytes | None]:
    with kafkars.Consumer(
        bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest", isolation_level="read_committed"
    ) as consumer:
        consumer.assign([(topic, 0)])
        found: list[bytes | None] = []
        while len(found) < count:
            record = consumer.poll(SECONDS)
            assert record is not None, f"{len(found)} of {count} records"
            found.append(record.value)
        return found


class OwnError(Exception):
    pass


def test_a_block_commits_and_one_that_raises_aborts(broker: Broker, topic: str) -> None:
    with kafkars.Producer(**settings(broker)) as producer:
        producer.init_transactions(SECONDS)
        with producer.transaction():
            producer.send(topic, b"1")
        with pytest.raises(OwnError), producer.transaction():
            producer.send(topic, b"2").result(SECONDS)
            raise OwnError
        assert not producer.in_transaction
        with producer.transaction():
            producer.send(topic, b"3")
    assert read_committed(broker, topic, 2) == [b"1", b"3"]


def test_a_block_may_be_ended_by_hand(broker: Broker, topic: str) -> None:
    with kafkars.Producer(**settings(broker)) as producer:
        producer.init_transactions(SECONDS)
        with producer.transaction():
            producer.send(topic, b"1").result(SECONDS)
            producer.abort_transaction(SECONDS)
        with producer.transaction():
            producer.send(topic, b"2")
            producer.commit_transaction(SECONDS)
    assert read_committed(broker, topic, 1) == [b"2"]


def test_a_block_whose_record_is_refused_is_aborted_and_says_why(broker: Broker, topic: str) -> None:
    small = broker.new_topic(settings={"max.message.bytes": "1000"})
    with kafkars.Producer(**settings(broker)) as producer:
        producer.init_transactions(SECONDS)
        with pytest.raises(TransactionFailedError) as caught, producer.transaction():
            producer.send(topic, b"1")
            producer.send(small, bytes(5_000))
        assert isinstance(caught.value.__cause__, MessageTooLargeError)
        assert caught.value.abortable
        assert not caught.value.fatal
        with producer.transaction():
            producer.send(topic, b"2")
    assert read_committed(broker, topic, 1) == [b"2"]


def test_asyncio_blocks_commit_abort_and_survive_cancelling(broker: Broker, topic: str) -> None:
    async def test() -> None:
        async with kafkars.aio.Producer(**settings(broker)) as producer:
            await producer.init_transactions(SECONDS)
            async with producer.transaction():
                await producer.send(topic, b"1")
            with pytest.raises(OwnError):
                async with producer.transaction():
                    await producer.send(topic, b"2")
                    raise OwnError

            async def wait_inside() -> None:
                async with producer.transaction():
                    await producer.send(topic, b"3")
                    inside.set()
                    await asyncio.Event().wait()

            inside = asyncio.Event()
            task = asyncio.create_task(wait_inside())
            await inside.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert not producer.in_transaction
            async with producer.transaction():
                producer.send_nowait(topic, b"4")

    run(test())
    assert read_committed(broker, topic, 2) == [b"1", b"4"]

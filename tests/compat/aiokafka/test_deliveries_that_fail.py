"""What a delivery fails with when `request_timeout_ms` is over, and whether it goes on until then."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker
from tests.compat.aiokafka.conftest import LIBRARIES
from tests.support.aiokafka_library import Library, Run
from tests.support.waiting import SECONDS


@pytest.mark.parametrize(
    ("fault", "name"),
    [
        ("NOT_ENOUGH_REPLICAS", "NotEnoughReplicasError"),
        ("NOT_LEADER_OR_FOLLOWER", "NotLeaderForPartitionError"),
        ("REQUEST_TIMED_OUT", "RequestTimedOutError"),
        ("drop", "RequestTimedOutError"),
    ],
)
def test_a_delivery_fails_with_what_its_last_try_has_met(embedded: Library, run: Run, fault: str, name: str) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.producer(request_timeout_ms=1000) as producer:
            await producer.partitions_for(topic)
            with embedded.broker.handle.intercept("Produce", fault):
                with pytest.raises(getattr(embedded.errors, name)) as raised:
                    await producer.send_and_wait(topic, b"value")
                assert raised.value.retriable

    run(test)


def test_records_behind_one_that_fails_fail_with_the_same(face: Library, run: Run) -> None:
    """The original takes none of them while the first is on its way."""
    topic = face.broker.new_topic()

    async def test() -> None:
        async with face.producer(request_timeout_ms=3000, max_batch_size=1) as producer:
            await producer.partitions_for(topic)
            with face.broker.handle.intercept("Produce", "NOT_ENOUGH_REPLICAS"):
                sent = [await producer.send(topic, b"value") for _ in range(5)]
                outcomes = await asyncio.gather(*sent, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [face.errors.NotEnoughReplicasError] * 5

    run(test)


def test_a_record_is_tried_until_its_time_is_over(embedded: Library, run: Run) -> None:
    """Pauses that grow would leave no time for as many tries."""
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.producer(request_timeout_ms=6000) as producer:
            await producer.partitions_for(topic)
            with embedded.broker.handle.intercept("Produce", "NOT_ENOUGH_REPLICAS", times=12):
                assert (await producer.send_and_wait(topic, b"value")).offset == 0

    run(test)


@pytest.mark.parametrize(("name", "acks"), [("aiokafka", 1), ("face", 1), ("face", 0)])
def test_the_only_broker_is_gone(run: Run, name: str, acks: int) -> None:
    """Without acknowledgements the original often ends its sender with an unexpected error there."""
    broker = EmbeddedBroker(topics={"topic": 1})
    library = Library(LIBRARIES[name], Broker("embedded", broker))

    async def test() -> None:
        with broker:
            producer = library.producer(request_timeout_ms=1000, acks=acks)
            await producer.start()
            await producer.send_and_wait("topic", b"value")
        with pytest.raises(library.errors.NodeNotReadyError) as raised:
            # Without acknowledgements what was written to a connection that has ended counts as sent.
            while True:
                await producer.send_and_wait("topic", b"value")
        assert raised.value.retriable
        await producer.stop()

    run(test)


@pytest.mark.parametrize("sends", ["send", "send_batch"])
def test_a_failure_that_nobody_looks_at_reaches_the_handler_of_the_loop(
    embedded: Library, run: Run, sends: str
) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        reports: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, report: reports.append(report))
        async with embedded.producer() as producer:
            with embedded.broker.handle.intercept("Produce", "INVALID_TIMESTAMP"):
                if sends == "send":
                    future = await producer.send(topic, b"value")
                else:
                    batch = producer.create_batch()
                    batch.append(key=None, value=b"value", timestamp=None)
                    future = await producer.send_batch(batch, topic, partition=0)
                await asyncio.wait_for(producer.flush(), SECONDS)
                assert future.done()
                del future
                gc.collect()
        # What the original has of the records of a batch is gone a step of the loop later.
        await asyncio.sleep(0)
        gc.collect()
        assert reports
        assert reports[0]["message"] == "Future exception was never retrieved"
        assert isinstance(reports[0]["exception"], embedded.errors.InvalidTimestampError)
        assert isinstance(reports[0]["future"], asyncio.Future)

    run(test)


@pytest.mark.parametrize("way", ["kept", "waited for", "with a callback", "of a batch", "thrown away"])
def test_what_an_abort_has_not_sent_is_no_failure_that_nobody_has_looked_at(
    embedded: Library, run: Run, caplog: pytest.LogCaptureFixture, way: str
) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        reports: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, report: reports.append(report))
        async with embedded.producer(transactional_id=embedded.group(), linger_ms=1000) as producer:
            await producer.begin_transaction()
            if way == "of a batch":
                batch = producer.create_batch()
                batch.append(key=None, value=b"value", timestamp=None)
                futures = [await producer.send_batch(batch, topic, partition=0)]
            else:
                futures = [await producer.send(topic, b"value") for _ in range(3)]
            waiting = [asyncio.ensure_future(asyncio.wait(futures))] if way == "waited for" else []
            if way == "with a callback":
                for future in futures:
                    future.add_done_callback(lambda _: None)
            if way == "thrown away":
                futures.clear()
            await producer.abort_transaction()
            while waiting:
                await waiting.pop()
            assert all(future.done() for future in futures)
            futures.clear()
            future = None
            gc.collect()
            await asyncio.sleep(0)
        assert not reports

    run(test)
    assert not [line for line in caplog.messages if topic in line]

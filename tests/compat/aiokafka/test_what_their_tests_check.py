"""What the tests of aiokafka itself check, beyond classes of errors and results."""

from __future__ import annotations

import asyncio
import unittest
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run
from tests.support.waiting import until

SETTINGS: dict[str, tuple[dict[str, Any], str]] = {
    "security_protocol": ({"security_protocol": "SOME"}, "`security_protocol` should be SSL or PLAINTEXT"),
    "without a user": (
        {"security_protocol": "SASL_PLAINTEXT"},
        "sasl_plain_username and sasl_plain_password required for PLAIN sasl",
    ),
}


@pytest.mark.parametrize("client", ["consumer", "producer"])
@pytest.mark.parametrize("case", SETTINGS)
def test_texts_of_settings_that_are_refused(embedded: Library, run: Run, client: str, case: str) -> None:
    settings, text = SETTINGS[case]

    async def test() -> None:
        with pytest.raises(ValueError, match=text):
            getattr(embedded, client)(**settings)

    run(test)


def test_the_text_of_an_isolation_level_that_is_refused(embedded: Library, run: Run) -> None:
    async def test() -> None:
        consumer = embedded.consumer(isolation_level="READ_CCC")
        with pytest.raises(ValueError, match="Incorrect isolation level READ_CCC"):
            await consumer.start()
        await consumer.stop()

    run(test)


async def started(library: Library, topic: str) -> Any:
    consumer = library.consumer(topic, group_id=library.group())
    await consumer.start()
    return consumer


async def stopped(library: Library, consumer: Any) -> None:
    try:
        await consumer.stop()
    except (library.errors.KafkaError, AssertionError):
        # The original fails by its own fetcher at times, where its subscription has changed just before.
        assert not library.is_face
        await consumer._client.close()


def test_texts_of_commits_that_are_refused(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()
    here, elsewhere = embedded.partition(topic), embedded.partition(topic, 7)
    refused: list[tuple[Any, type[Exception], str]] = [
        ({topic: 1}, TypeError, "Key should be TopicPartition instance"),
        ({here: (0, 1000)}, TypeError, "Metadata should be a string"),
        ({here: (0, b"bytes")}, TypeError, "Metadata should be a string"),
        ({elsewhere: 1}, embedded.errors.IllegalStateError, "Partition TopicPartition.* is not assigned"),
    ]

    async def test() -> None:
        consumer = await started(embedded, topic)
        for offsets, error, text in refused:
            with pytest.raises(error, match=text):
                await consumer.commit(offsets)
        consumer.unsubscribe()
        with pytest.raises(embedded.errors.IllegalStateError, match="Not subscribed to any topics"):
            await consumer.commit({here: 1})
        await stopped(embedded, consumer)

    run(test)


def test_the_text_of_a_commit_before_there_are_partitions(embedded: Library, run: Run) -> None:
    first, second = embedded.broker.new_topic(), embedded.broker.new_topic()

    async def test() -> None:
        consumer = await started(embedded, first)
        consumer.subscribe([second])
        with pytest.raises(embedded.errors.IllegalStateError, match="No partitions assigned"):
            await consumer.commit({embedded.partition(first): 1})
        await stopped(embedded, consumer)

    run(test)


def ends(client: Any) -> list[Callable[[], Any]]:
    """What may be called once the group has failed."""

    async def unsubscribe() -> None:
        client.unsubscribe()

    return [unsubscribe, client.stop]


def test_frames_of_an_error_may_be_cleared(library: Library, run: Run) -> None:
    """`assertRaises()` does it: one of them was of a task that goes on, which ended then."""
    case = unittest.TestCase()

    async def test() -> None:
        consumer = library.consumer(
            library.broker.new_topic(), group_id=library.group(), session_timeout_ms=200, heartbeat_interval_ms=100
        )
        with case.assertRaises(library.errors.InvalidSessionTimeoutError):  # noqa: PT027  it clears frames
            await consumer.start()
        for end in ends(consumer):
            await asyncio.wait_for(end(), 10)

    run(test)


@pytest.mark.parametrize("end", ["commit_transaction", "abort_transaction"])
def test_who_is_cancelled_at_the_end_of_an_empty_transaction_hears_of_it(library: Library, run: Run, end: str) -> None:
    async def test() -> None:
        async with library.producer(transactional_id=library.group()) as producer:
            await producer.begin_transaction()
            ending = asyncio.ensure_future(getattr(producer, end)())
            await asyncio.sleep(0)
            ending.cancel()
            with pytest.raises(asyncio.CancelledError):
                await ending
            await until(lambda: producer._txn_manager.state.name == "READY")
            async with producer.transaction():
                await producer.send_and_wait(library.broker.new_topic(), b"value")

    run(test)


def test_a_broker_that_is_not_there_is_named_before_the_request(embedded: Library, run: Run) -> None:
    async def test() -> None:
        client = embedded.module("client").AIOKafkaClient(bootstrap_servers=embedded.broker.bootstrap_servers)
        await client.bootstrap()
        try:
            with pytest.raises(embedded.errors.NodeNotReadyError):
                await client.send(77, None)
        finally:
            await client.close()

    run(test)

"""What brokers refuse, as the program sees it: the same errors with both libraries."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.aiokafka_library import Library, Run


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("GROUP_AUTHORIZATION_FAILED", "GroupAuthorizationFailedError"),
        ("INVALID_SESSION_TIMEOUT", "InvalidSessionTimeoutError"),
    ],
)
def test_a_group_that_refuses_the_member(embedded: Library, run: Run, code: str, name: str) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        group = embedded.group()
        consumer = embedded.consumer(topic, group_id=group)
        with embedded.broker.handle.intercept("JoinGroup", code), pytest.raises(getattr(embedded.errors, name)):
            await consumer.start()
        await consumer.stop()

    run(test)


def test_a_group_that_refuses_the_member_later(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        consumer = embedded.consumer(topic, group_id=embedded.group(), heartbeat_interval_ms=100)
        await consumer.start()
        waiting = asyncio.ensure_future(consumer.getone())
        with (
            embedded.broker.handle.intercept("Heartbeat", "REBALANCE_IN_PROGRESS"),
            embedded.broker.handle.intercept("JoinGroup", "GROUP_AUTHORIZATION_FAILED"),
            pytest.raises(embedded.errors.GroupAuthorizationFailedError),
        ):
            await waiting
        await consumer.stop()

    run(test)


def test_a_commit_after_the_group_went_on_without_the_member(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        await embedded.fill(topic, 1)
        async with embedded.consumer(topic, group_id=embedded.group(), enable_auto_commit=False) as consumer:
            await consumer.getone()
            with (
                embedded.broker.handle.intercept("OffsetCommit", "UNKNOWN_MEMBER_ID"),
                pytest.raises(embedded.errors.CommitFailedError),
            ):
                await consumer.commit()

    run(test)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("TOPIC_AUTHORIZATION_FAILED", "TopicAuthorizationFailedError"),
        ("MESSAGE_TOO_LARGE", "MessageSizeTooLargeError"),
        ("INVALID_RECORD", None),
    ],
)
def test_a_record_that_is_refused(embedded: Library, run: Run, code: str, name: str | None) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        expected = embedded.errors.KafkaError if name is None else getattr(embedded.errors, name)
        async with embedded.producer() as producer:
            with embedded.broker.handle.intercept("Produce", code):
                future = await producer.send(topic, b"value")
                with pytest.raises(expected):
                    await future
            assert (await producer.send_and_wait(topic, b"value")).offset == 0

    run(test)


def test_a_record_nobody_acknowledges_in_time(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.producer(request_timeout_ms=300) as producer:
            await producer.partitions_for(topic)
            with embedded.broker.handle.intercept("Produce", "NOT_ENOUGH_REPLICAS"):
                future = await producer.send(topic, b"value")
                with pytest.raises((embedded.errors.KafkaTimeoutError, embedded.errors.NotEnoughReplicasError)):
                    await future

    run(test)


def test_a_failure_that_passes_is_not_seen(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.producer() as producer:
            with embedded.broker.handle.intercept("Produce", "NOT_LEADER_OR_FOLLOWER", times=2):
                futures = [await producer.send(topic, b"%d" % number) for number in range(10)]
                assert [(await future).offset for future in futures] == list(range(10))
        async with embedded.consumer(topic) as consumer:
            assert [(await consumer.getone()).value for _ in range(10)] == [b"%d" % number for number in range(10)]

    run(test)


def test_a_topic_nobody_may_read(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.consumer() as consumer:
            consumer.assign([embedded.partition(topic)])
            with (
                embedded.broker.handle.intercept("Fetch", "TOPIC_AUTHORIZATION_FAILED"),
                pytest.raises(embedded.errors.TopicAuthorizationFailedError),
            ):
                await consumer.getone()

    run(test)

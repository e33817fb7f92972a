"""Use after close: every call that needs the cluster says `ClosedError`, calls that only look back go on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import kafkars.aio
import pytest
from kafkars import TopicPartition
from kafkars.errors import ClosedError

from tests.brokers import Broker
from tests.support.leftovers import assert_no_more_than, belongings
from tests.support.waiting import SECONDS, Stopwatch

pytestmark = pytest.mark.usefixtures("nothing_left")

PLACE = TopicPartition("topic", 0)

GROUP = kafkars.ConsumerGroupMetadata("group")


def begin(block: Any) -> None:
    """Enters the block of a transaction, whichever flavour it has; leaves it where that works."""
    if isinstance(block, kafkars.Transaction):
        with block:
            return

    async def main() -> None:
        async with block:
            return

    asyncio.run(main())


def filled() -> kafkars.BatchBuilder:
    """A batch with a record, of another producer."""
    with kafkars.Producer(bootstrap_servers="localhost:9092") as other:
        batch = other.create_batch()
    batch.append(b"value")
    return batch


# Every public method, and what it is called with after `close()`. None: it works, since it only looks back.
PRODUCER_METHODS: dict[str, Callable[[Any], object] | None] = {
    "send": lambda producer: producer.send("topic", b"value").result(SECONDS),
    "send_nowait": lambda producer: producer.send_nowait("topic", b"value"),
    "enqueue": lambda producer: producer.enqueue("topic", b"value"),
    "send_many": lambda producer: producer.send_many("topic", [b"value"]),
    "enqueue_many": lambda producer: producer.enqueue_many("topic", [b"value"]),
    "send_arrow": lambda producer: producer.send_arrow("topic", object()),
    "enqueue_arrow": lambda producer: producer.enqueue_arrow("topic", object()),
    "create_batch": lambda producer: producer.create_batch(),
    "send_batch": lambda producer: producer.send_batch(filled(), "topic", partition=0).result(SECONDS),
    "partitions_for": lambda producer: producer.partitions_for("topic"),
    "purge": None,
    "init_transactions": lambda producer: producer.init_transactions(),
    "begin_transaction": lambda producer: producer.begin_transaction(),
    "commit_transaction": lambda producer: producer.commit_transaction(),
    "abort_transaction": lambda producer: producer.abort_transaction(),
    "send_offsets_to_transaction": lambda producer: producer.send_offsets_to_transaction({PLACE: 1}, GROUP),
    "transaction": lambda producer: begin(producer.transaction()),
    "in_transaction": None,
    "poll": None,
    "flush": None,
    "close": None,
    "metrics": None,
    "closed": None,
}
CONSUMER_METHODS: dict[str, Callable[[Any], object] | None] = {
    "poll": lambda consumer: consumer.poll(SECONDS),
    "poll_batch": lambda consumer: consumer.poll_batch(timeout=SECONDS),
    "poll_arrow": lambda consumer: consumer.poll_arrow(timeout=SECONDS),
    "arrow_batches": None,  # ends, as every iteration of a closed consumer does
    "read_until_end": None,  # fails when it is iterated (test_read_until_end.py)
    "assign": lambda consumer: consumer.assign([PLACE]),
    "unassign": lambda consumer: consumer.unassign(),
    "seek": lambda consumer: consumer.seek(PLACE, 0),
    "seek_to_beginning": lambda consumer: consumer.seek_to_beginning(),
    "seek_to_end": lambda consumer: consumer.seek_to_end([PLACE]),
    "seek_to_timestamp": lambda consumer: consumer.seek_to_timestamp(0),
    "pause": lambda consumer: consumer.pause(),
    "resume": lambda consumer: consumer.resume([PLACE]),
    "position": lambda consumer: consumer.position(PLACE),
    "beginning_offsets": lambda consumer: consumer.beginning_offsets([PLACE]),
    "end_offsets": lambda consumer: consumer.end_offsets([PLACE]),
    "offsets_for_times": lambda consumer: consumer.offsets_for_times({PLACE: 0}),
    "watermarks": lambda consumer: consumer.watermarks(PLACE),
    "lag": lambda consumer: consumer.lag(PLACE),
    "partitions_for": lambda consumer: consumer.partitions_for("topic"),
    "topics": lambda consumer: consumer.topics(),
    "lags": lambda consumer: consumer.lags(),
    "incremental_assign": lambda consumer: consumer.incremental_assign([PLACE]),
    "incremental_unassign": lambda consumer: consumer.incremental_unassign([PLACE]),
    "subscribe": lambda consumer: consumer.subscribe(["topic"]),
    "unsubscribe": lambda consumer: consumer.unsubscribe(),
    "enforce_rebalance": lambda consumer: consumer.enforce_rebalance(),
    "group_metadata": lambda consumer: consumer.group_metadata(),
    "commit": lambda consumer: consumer.commit({PLACE: 1}),
    "commit_async": lambda consumer: consumer.commit_async({PLACE: 1}),
    "committed": lambda consumer: consumer.committed([PLACE]),
    "subscription": None,
    "health": None,
    "memory_usage": None,
    "assignment": None,
    "paused": None,
    "close": None,
    "metrics": None,
    "closed": None,
}


def public(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


@pytest.mark.parametrize(
    ("kinds", "methods"),
    [
        ((kafkars.Producer, kafkars.aio.Producer), PRODUCER_METHODS),
        ((kafkars.Consumer, kafkars.aio.Consumer), CONSUMER_METHODS),
    ],
)
def test_every_public_method_is_tested_here(kinds: tuple[type, type], methods: dict[str, object]) -> None:
    assert public(kinds[0]) | public(kinds[1]) == set(methods)


@pytest.mark.parametrize("method", PRODUCER_METHODS)
def test_a_closed_producer_says_so(client_api: Any, broker: Broker, method: str) -> None:
    producer = client_api.Producer(bootstrap_servers=broker.bootstrap_servers, transactional_id=f"closed-{method}")
    if not hasattr(producer, method):
        pytest.skip("the other flavour has it")
    producer.close()
    assert_says_closed(producer, method, PRODUCER_METHODS[method])


@pytest.mark.parametrize("method", CONSUMER_METHODS)
def test_a_closed_consumer_says_so(client_api: Any, broker: Broker, topic: str, method: str) -> None:
    consumer = client_api.Consumer(bootstrap_servers=broker.bootstrap_servers)
    consumer.assign([(topic, 0)])
    consumer.close()
    assert_says_closed(consumer, method, CONSUMER_METHODS[method])


def assert_says_closed(client: Any, method: str, call: Callable[[Any], object] | None) -> None:
    with Stopwatch() as watch:
        if call is not None:
            with pytest.raises(ClosedError, match="closed") as caught:
                call(client)
            assert caught.value.fatal
        elif method == "closed":
            assert client.closed
        elif method == "in_transaction":
            assert not client.in_transaction
        else:
            getattr(client, method)()
    assert watch.seconds < 2


def test_a_closed_client_cannot_be_entered_again(client_api: Any, broker: Broker) -> None:
    for kind in (client_api.Producer, client_api.Consumer):
        client = kind(bootstrap_servers=broker.bootstrap_servers)
        with client:
            pass
        with pytest.raises(ClosedError), client:
            pass


def test_iterating_over_a_closed_consumer_ends(client_api: Any, broker: Broker, topic: str) -> None:
    consumer = client_api.Consumer(bootstrap_servers=broker.bootstrap_servers)
    consumer.assign([(topic, 0)])
    consumer.close()
    assert list(consumer) == []


def test_closing_leaves_nothing_behind(client_api: Any, broker: Broker, topic: str) -> None:
    before = belongings()
    producer = client_api.Producer(bootstrap_servers=broker.bootstrap_servers)
    consumer = client_api.Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest")
    producer.send(topic, b"value").result(SECONDS)
    consumer.assign([(topic, 0)])
    assert consumer.poll(SECONDS).value == b"value"
    assert belongings().sockets > before.sockets
    producer.close()
    consumer.close()
    # While both are still referred to.
    assert_no_more_than(before)
    assert producer.closed
    assert consumer.closed


@pytest.mark.parametrize("call", ["poll", "poll_batch", "iterate"])
def test_closing_ends_a_wait_in_another_thread(broker: Broker, topic: str, call: str) -> None:
    consumer = kafkars.Consumer(bootstrap_servers=broker.bootstrap_servers)
    consumer.assign([(topic, 0)])
    outcome: list[object] = []
    waiting = threading.Event()

    def wait() -> None:
        waiting.set()
        try:
            outcome.append(list(consumer) if call == "iterate" else getattr(consumer, call)(timeout=None))
        except ClosedError as error:
            outcome.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    waiting.wait(SECONDS)
    with Stopwatch() as watch:
        consumer.close()
        thread.join(SECONDS)
    assert not thread.is_alive()
    assert watch.seconds < 2
    assert outcome == [[]] if call == "iterate" else isinstance(outcome[0], ClosedError)


def test_closing_fails_what_waits_for_room_or_for_its_topic(broker: Broker) -> None:
    async def test() -> None:
        async with kafkars.aio.Producer(bootstrap_servers="127.0.0.1:1", max_block_ms=60_000) as producer:
            sent = [asyncio.ensure_future(producer.send("topic", b"value")) for _ in range(3)]
            flushing = asyncio.ensure_future(producer.flush())
            await asyncio.sleep(0)
            with Stopwatch() as watch:
                assert await producer.close(0.1) == 3
            for each in sent:
                with pytest.raises(ClosedError):
                    await asyncio.wait_for(each, SECONDS)
            await asyncio.wait_for(flushing, SECONDS)
            assert watch.seconds < 5

    del broker
    asyncio.run(asyncio.wait_for(test(), SECONDS))

"""Transactions of AIOProducer: what their errors allow is told as by Producer, on the library and its face."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Awaitable, Iterator
from typing import Any

import pytest

from tests.brokers import Broker
from tests.compat.confluent.conftest import FACE, LIBRARY, SECONDS, Clients

SHORT = 0.3
"""Seconds of a call that is cut short."""


@pytest.fixture(params=[LIBRARY, FACE], ids=["original", "face"])
def clients(request: pytest.FixtureRequest, embedded_broker: Broker) -> Iterator[Clients]:
    """Both on the embedded broker, whose answers can be errors."""
    made = Clients(importlib.import_module(request.param), embedded_broker)
    yield made
    made.close()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
class TestTransactionsOfAIOProducer:
    """Each test has one producer."""

    @pytest.fixture(autouse=True)
    def given(self, clients: Clients) -> None:
        self.clients, self.topic, self.name = clients, clients.topic(), clients.group()
        self.ck = clients.ck

    def made(self) -> Any:
        conf = {"bootstrap.servers": self.clients.broker.bootstrap_servers, "log_level": 0}
        aio = importlib.import_module(f"{self.ck.__name__}.aio")
        return aio.AIOProducer({**conf, "transactional.id": self.name}, buffer_timeout=0.05)

    async def end(self, call: Awaitable[Any]) -> Any:
        """The name and the flags of the error that a call ends with."""
        try:
            await asyncio.wait_for(call, SECONDS)
        except self.ck.KafkaException as problem:
            error = problem.args[0]
            flags = ("retriable", "fatal", "txn_requires_abort")
            return error.name(), {flag for flag in flags if getattr(error, flag)()}
        return None

    async def sent(self) -> tuple[Any, Any]:
        """A producer with a message in an open transaction, and its future."""
        producer = self.made()
        await producer.init_transactions()
        await producer.begin_transaction()
        future = await producer.produce(self.topic, b"value")
        await producer.flush()
        return producer, future

    async def is_held_up(self, producer: Any) -> None:
        """Its other calls are to be made later."""
        for _ in range(2):
            assert await self.end(producer.abort_transaction(SHORT)) == ("_CONFLICT", {"retriable"})
            assert await self.end(producer.begin_transaction()) == ("_CONFLICT", {"retriable"})

    def fault(self, api: str, code: str, **more: Any) -> Any:
        return self.clients.broker.handle.intercept(api, code, **more)

    def test_a_commit_that_is_cut_short_is_made_again_before_others(self) -> None:
        async def work() -> None:
            producer, future = await self.sent()
            with self.fault("EndTxn", "CONCURRENT_TRANSACTIONS"):
                assert await self.end(producer.commit_transaction(SHORT)) == ("_TIMED_OUT", {"retriable"})
                await self.is_held_up(producer)
            assert await self.end(producer.commit_transaction(SECONDS)) is None
            assert await self.end(producer.begin_transaction()) is None
            assert await self.end(producer.abort_transaction(SECONDS)) is None
            assert (await future).value() == b"value"
            await producer.close()

        asyncio.run(work())

    @pytest.mark.parametrize("end", ["commit", "abort"])
    def test_close_waits_for_a_call_whose_wait_was_cancelled(self, end: str) -> None:
        """The broker takes longer than the end of a producer takes for an abort of its own."""

        async def work() -> None:
            producer, _ = await self.sent()
            with self.fault("EndTxn", "delay", seconds=1.5, times=1):
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(getattr(producer, f"{end}_transaction")(), SHORT)
                await producer.close()
            [record] = self.clients.broker.handle.records(self.topic)
            assert record.state == {"commit": "committed", "abort": "aborted"}[end]

        asyncio.run(work())

    def test_a_call_whose_wait_is_cancelled_goes_on(self) -> None:
        async def work() -> None:
            producer, future = await self.sent()
            with self.fault("EndTxn", "CONCURRENT_TRANSACTIONS"):
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(producer.commit_transaction(SECONDS), SHORT)
                await self.is_held_up(producer)
            # It has been committed all the same.
            while (told := await self.end(producer.begin_transaction())) is not None:
                assert told == ("_CONFLICT", {"retriable"})
                await asyncio.sleep(0)
            assert await self.end(producer.abort_transaction(SECONDS)) is None
            assert (await future).value() == b"value"
            await producer.close()

        asyncio.run(work())

    def test_a_call_of_init_that_is_cut_short_is_made_again_before_others(self) -> None:
        async def work() -> None:
            producer = self.made()
            with self.fault("InitProducerId", "disconnect"):
                _, flags = await self.end(producer.init_transactions(SHORT))
                assert flags == {"retriable"}
                assert await self.end(producer.begin_transaction()) == ("_CONFLICT", {"retriable"})
            assert await self.end(producer.init_transactions(SECONDS)) is None
            assert await self.end(producer.init_transactions(SECONDS)) == ("_STATE", set())
            assert await self.end(producer.begin_transaction()) is None
            await producer.close()

        asyncio.run(work())

    def test_after_a_fence_every_call_says_so(self) -> None:
        async def work() -> None:
            fenced, other = self.made(), self.made()
            await fenced.init_transactions()
            await fenced.begin_transaction()
            await fenced.produce(self.topic, b"value")
            await fenced.flush(SECONDS)
            await other.init_transactions()
            calls = (fenced.commit_transaction, fenced.begin_transaction, fenced.abort_transaction)
            for call in (*calls, fenced.init_transactions, *calls):
                assert await self.end(call()) == ("_FENCED", {"fatal"})
            for each in (fenced, other):
                await each.close()

        asyncio.run(work())

    def test_nothing_but_an_abort_follows_a_message_that_the_cluster_refuses(self) -> None:
        async def work() -> None:
            producer = self.made()
            await producer.init_transactions()
            await producer.begin_transaction()
            with self.fault("Produce", "INVALID_RECORD", times=1):
                future = await producer.produce(self.topic, b"value")
                await asyncio.wait([future])
            assert future.exception() is not None
            refused = ("INVALID_RECORD", {"txn_requires_abort"})
            for call in (producer.commit_transaction, producer.begin_transaction, producer.init_transactions):
                assert await self.end(call()) == refused
            assert await self.end(producer.abort_transaction()) is None
            assert await self.end(producer.begin_transaction()) is None
            await producer.close()

        asyncio.run(work())

    def test_positions_without_an_offset_are_left_out(self) -> None:
        async def work() -> None:
            group = self.clients.consumer().consumer_group_metadata()
            nowhere = [self.ck.TopicPartition(self.topic, 0)]
            producer = self.made()
            await producer.init_transactions()
            await producer.begin_transaction()
            for positions in (nowhere, []):
                assert await self.end(producer.send_offsets_to_transaction(positions, group, SECONDS)) is None
            assert await self.end(producer.commit_transaction(SECONDS)) is None
            await producer.close()

        asyncio.run(work())

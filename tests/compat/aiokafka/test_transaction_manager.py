"""`producer._txn_manager`, of which programs ask how transactions are: on aiokafka and on the face."""

from __future__ import annotations

import pytest

from tests.support.aiokafka_library import Library, Run


def test_the_state_of_transactions_is_told(library: Library, run: Run) -> None:
    topic, name = library.broker.new_topic(), library.group()

    async def test() -> None:
        producer = library.producer(transactional_id=name)
        manager = producer._txn_manager
        assert (manager.transactional_id, manager.transaction_timeout_ms) == (name, 60_000)
        assert manager.state.name == "UNINITIALIZED"
        async with producer:
            assert (manager.state.name, manager.is_in_transaction()) == ("READY", False)
            for ending in ("commit_transaction", "abort_transaction"):
                await producer.begin_transaction()
                await producer.send_and_wait(topic, b"v")
                assert (manager.state.name, manager.is_in_transaction()) == ("IN_TRANSACTION", True)
                await getattr(producer, ending)()
                assert (manager.state.name, manager.is_in_transaction()) == ("READY", False)
            assert not manager.is_fatal_error()

    run(test)


def test_a_producer_that_was_fenced_can_do_nothing_more(library: Library, run: Run) -> None:
    topic, name = library.broker.new_topic(), library.group()

    async def test() -> None:
        async with library.producer(transactional_id=name) as producer:
            await producer.begin_transaction()
            await producer.send_and_wait(topic, b"v")
            async with library.producer(transactional_id=name):
                pass
            with pytest.raises(library.errors.ProducerFenced):
                await producer.commit_transaction()
            assert not producer._txn_manager.is_in_transaction()
            assert producer._txn_manager.is_fatal_error()

    run(test)


def test_only_producers_with_sequence_numbers_have_one(embedded: Library, run: Run) -> None:
    async def test() -> None:
        async with embedded.producer() as producer:
            assert producer._txn_manager is None
        async with embedded.producer(enable_idempotence=True) as producer:
            manager = producer._txn_manager
            assert (manager.transactional_id, manager.state.name) == (None, "UNINITIALIZED")
            assert not manager.is_fatal_error()

    run(test)

"""Transactions as the administrator sees them, and one that hangs, on both brokers, sync and asyncio."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from kafkars import Admin, errors

from tests.brokers import Broker

pytestmark = pytest.mark.kip_664


@pytest.fixture
def admin(broker: Broker, client_api: Any) -> Iterator[Admin]:
    with client_api.Admin(bootstrap_servers=broker.bootstrap_servers) as made:
        yield made


@pytest.fixture
def open_transaction(broker: Broker, topic: str) -> Iterator[str]:
    """The name of a producer with a transaction that has one record; another library's."""
    from confluent_kafka import Producer

    name = f"transactions of {topic}"
    settings = {"bootstrap.servers": broker.bootstrap_servers, "transactional.id": name}
    Producer(settings).init_transactions(30)
    # The second one has the epoch 1, so that there is an older one.
    producer = Producer(settings)
    producer.init_transactions(30)
    producer.begin_transaction()
    producer.produce(topic, b"one", partition=0)
    producer.flush(30)
    yield name
    # What an administrator has ended cannot be ended again.
    producer.purge()


def test_a_transaction_is_listed_described_and_aborted(admin: Admin, open_transaction: str, topic: str) -> None:
    (listed,) = [each for each in admin.list_transactions() if each.transactional_id == open_transaction]
    assert listed.state == "Ongoing"
    assert listed in admin.list_transactions(states=["Ongoing"], producer_ids=[listed.producer_id])
    assert listed not in admin.list_transactions(states=["Empty"])
    assert listed not in admin.list_transactions(open_longer_than_ms=10**9)

    described = admin.describe_transactions([open_transaction])[open_transaction]
    assert described.coordinator == listed.coordinator == admin.find_coordinator(open_transaction, kind="transaction")
    assert (described.state, described.producer_id) == ("Ongoing", listed.producer_id)
    assert described.partitions == ((topic, 0),)
    assert described.started_ms is not None
    assert described.timeout_ms > 0

    (state,) = admin.describe_producers([(topic, 0)])[(topic, 0)]
    assert (state.producer_id, state.producer_epoch) == (listed.producer_id, described.producer_epoch)
    assert (state.last_sequence, state.transaction_start_offset) == (0, 0)
    (node, *_) = admin.describe_cluster().brokers
    assert admin.describe_producers([(topic, 0)], broker=node.id)[(topic, 0)] == (state,)

    with pytest.raises(errors.InvalidProducerEpochError):
        admin.abort_transaction((topic, 0), producer_id=state.producer_id, producer_epoch=state.producer_epoch - 1)
    admin.abort_transaction((topic, 0), producer_id=state.producer_id, producer_epoch=state.producer_epoch)
    (after,) = admin.describe_producers([(topic, 0)])[(topic, 0)]
    assert after.transaction_start_offset is None
    latest: Any = admin.list_offsets({(topic, 0): "latest"}, isolation_level="read_committed")
    assert latest[(topic, 0)].offset == 2


def test_what_is_not_there_is_an_error_of_its_own(admin: Admin, topic: str) -> None:
    outcomes: Any = admin.describe_transactions([f"nobody of {topic}"], return_exceptions=True)
    assert [type(each) for each in outcomes.values()] == [errors.TransactionalIdNotFoundError]
    producers: Any = admin.describe_producers([(topic, 0), (topic, 99)], return_exceptions=True)
    assert producers[(topic, 0)] == ()
    assert isinstance(producers[(topic, 99)], errors.UnknownTopicOrPartitionError)
    with pytest.raises(errors.UnknownTopicOrPartitionError):
        admin.abort_transaction((topic, 99), producer_id=1, producer_epoch=0)
    with pytest.raises(errors.InvalidArgumentError, match="open_longer_than_ms"):
        admin.list_transactions(open_longer_than_ms=-1)

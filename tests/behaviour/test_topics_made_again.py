"""Random programs of producers whose topic is deleted and made again, with more or fewer partitions, while they send.

Whatever becomes of the topic, each record ends in time, what was acknowledged since is stored once, and the producer
goes on. The programs are made from seeds.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import kafkars
import pytest
from kafkars.admin import NewTopic
from kafkars.errors import InvalidPartitionError, KafkaError, TopicAlreadyExistsError

from tests.kafka import wire
from tests.support.clients import Clients
from tests.support.waiting import SECONDS, eventually

REQUEST_SECONDS = 1.5
ENDS_WITHIN = 10.0
"""Seconds in which every record ends: its partition is gone or there, and nothing else is wrong."""
SETTINGS = {
    # Nobody else makes it again.
    "allow_auto_create_topics": False,
    "request_timeout_ms": REQUEST_SECONDS * 1_000,
    "delivery_timeout_ms": 40_000,
    "max_block_ms": 20_000,
    # Brokers before topic ids refuse nothing where a topic has more partitions than are known.
    "metadata_max_age_ms": 300,
    "retry_backoff_ms": 20,
    "retry_backoff_max_ms": 100,
}
MOST = 4
SEEDS = range(4)
KINDS = ("plain", "idempotent", "transactional")


def steps_of(chance: random.Random) -> Iterator[tuple[str, int]]:
    """Remakes with so many partitions, and sends of so many records, some before the producer can know."""
    for _ in range(4):
        yield "send", chance.randint(1, 5)
        yield "make again", chance.randint(1, MOST)
        yield "send", chance.randint(1, 5)
        if chance.random() < 0.5:
            yield "wait", 0


class Program:
    """One producer, and the topic that comes and goes."""

    def __init__(self, clients: Clients, kind: str, seed: int) -> None:
        self.clients, self.kind = clients, kind
        self.chance = random.Random(f"{kind}-{seed}")
        self.count = self.chance.randint(1, MOST)
        self.topic = clients.broker.new_topic(partitions=self.count)
        self.is_transactional = kind == "transactional"
        own = {"transactional_id": self.topic} if self.is_transactional else {"enable_idempotence": kind != "plain"}
        self.producer: Any = clients.producer(**SETTINGS, **own)
        self.sent: list[tuple[bytes, Any]] = []
        self.numbers = 0
        self.acknowledged: set[bytes] = set()
        """Of the topic that is there now."""
        self.earlier: set[bytes] = set()
        """Sent before it was made."""
        if self.is_transactional:
            self.producer.init_transactions()

    def run(self, admin: kafkars.Admin) -> None:
        for step, number in steps_of(self.chance):
            match step:
                case "send" if self.is_transactional:
                    self.transaction(number)
                case "send":
                    self.sent += self.send(number)
                case "make again":
                    self.make_again(admin, number)
                case _:
                    self.wait()
        self.wait()

    def send(self, count: int) -> list[tuple[bytes, Any]]:
        """Sends records to a partition each, by a key, or to any."""
        sent = []
        for _ in range(count):
            self.numbers += 1
            value = b"%d" % self.numbers
            place = self.chance.choice(
                [{"partition": self.chance.randrange(MOST)}, {"key": b"%d" % self.chance.randrange(9)}, {}]
            )
            try:
                sent.append((value, self.producer.send(self.topic, value, **place)))
            except InvalidPartitionError:
                # It knows already, or not yet, how many there are.
                continue
        return sent

    def transaction(self, count: int) -> None:
        """Sends records in one, which is given up if any of them fails."""
        self.producer.begin_transaction()
        try:
            sent = self.send(count)
            self.producer.commit_transaction(timeout=ENDS_WITHIN)
        except KafkaError:
            self.producer.abort_transaction(timeout=ENDS_WITHIN)
        else:
            self.acknowledged |= {value for value, _ in sent}

    def make_again(self, admin: kafkars.Admin, count: int) -> None:
        admin.delete_topics([self.topic])
        wire.wait_until_gone(self.clients.broker.bootstrap_servers, self.topic)

        def is_made() -> bool:
            try:
                admin.create_topics([NewTopic(self.topic, count)])
            except TopicAlreadyExistsError:
                return False
            return True

        eventually(is_made, "the topic is made again")
        self.count = count
        self.acknowledged.clear()
        self.earlier = {value for value, _ in self.sent}

    def wait(self) -> None:
        """Every record ends."""
        for value, delivery in self.sent:
            try:
                delivery.result(ENDS_WITHIN)
            except KafkaError:
                continue
            if value not in self.earlier:
                self.acknowledged.add(value)
        self.sent.clear()
        assert self.producer.flush(ENDS_WITHIN) == 0

    def check(self) -> None:
        """The producer reaches every partition, and what was acknowledged is there once."""
        for partition in range(self.count):
            self.last(partition)
        places = [(self.topic, partition) for partition in range(self.count)]
        reader = self.clients.consumer(places, auto_offset_reset="earliest", isolation_level="read_committed")
        ends = reader.end_offsets(places)
        found: list[Any] = []
        while any(reader.position(place) < ends[place] for place in places):
            found += [record.value for record in reader.poll_batch(timeout=SECONDS)]
        doubled = {value for value, times in Counter(found).items() if times > 1}
        assert not doubled or self.kind == "plain", doubled
        assert self.acknowledged <= set(found)

    def last(self, partition: int) -> None:
        def is_stored() -> bool:
            value = b"last of %d" % partition
            if self.is_transactional:
                self.producer.begin_transaction()
            try:
                delivery = self.producer.send(self.topic, value, partition=partition)
                if self.is_transactional:
                    self.producer.commit_transaction(timeout=ENDS_WITHIN)
                delivery.result(ENDS_WITHIN)
            except KafkaError as error:
                if not isinstance(error, InvalidPartitionError) and not isinstance(
                    error.__cause__, InvalidPartitionError
                ):
                    raise
                if self.is_transactional:
                    self.producer.abort_transaction(timeout=ENDS_WITHIN)
                return False
            return True

        eventually(is_stored, "the producer knows the partition")


@pytest.mark.timeout(180)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_record_ends_and_the_producer_goes_on(clients: Clients, kind: str, seed: int) -> None:
    program = Program(clients, kind, seed)
    with kafkars.Admin(bootstrap_servers=clients.broker.bootstrap_servers) as admin:
        program.run(admin)
    program.check()
    assert program.producer.metrics()["buffer_used"] == 0

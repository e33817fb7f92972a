"""A seeded history of one partition, written by several producers of two libraries; it knows what must be readable."""

from __future__ import annotations

import random
import uuid
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import confluent_kafka
from kafkars import Admin, Producer

from tests.support.waiting import SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.brokers import Broker

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
STEPS = 24


@dataclass
class Transaction:
    """A transaction, and what became of it: None while it is open."""

    committed: bool | None = None


@dataclass
class Written:
    """A record where its broker put it."""

    offset: int
    value: bytes
    transaction: Transaction | None


@dataclass
class Writer:
    """A producer of either library, with the same few calls."""

    send: Callable[[list[bytes]], list[int]]
    begin: Callable[[], None]
    end: Callable[[bool], None]
    transaction: Transaction | None = None
    is_transactional: bool = True


@dataclass
class History:
    """What was written, and which of it a reader must see."""

    topic: str
    records: list[Written] = field(default_factory=list)
    start: int = 0
    end: int = 0
    stable_end: int = 0

    def readable(self, start: int, isolation: str) -> list[tuple[int, bytes]]:
        """Offsets and values from `start` on."""
        read_committed = isolation == "read_committed"
        return [
            (record.offset, record.value)
            for record in self.records
            if record.offset >= start and (not read_committed or self._is_committed(record))
        ]

    def _is_committed(self, record: Written) -> bool:
        is_shown = record.transaction is None or record.transaction.committed is True
        return is_shown and record.offset < self.stable_end


class Author:
    """Writes histories. Transactions that it leaves open end with it."""

    def __init__(self, broker: Broker, seed: int) -> None:
        self._chance = random.Random(seed)
        self._open = ExitStack()
        self._servers = broker.bootstrap_servers
        self.history = History(broker.new_topic(name="reading"))
        codecs = self._chance.sample(CODECS, 4)
        self._writers = [
            self._native(codecs[0]),
            self._native(codecs[1]),
            self._confluent(codecs[2]),
            self._plain(codecs[3]),
        ]

    def write(self) -> History:
        """Makes the history: interleaved transactions, one left open at times, a deleted prefix at times."""
        for _ in range(STEPS):
            writer = self._chance.choice(self._writers)
            if writer.transaction is not None and self._chance.random() < 0.4:
                self._end(writer, committed=self._chance.random() < 0.5)
            else:
                self._append(writer)
        leave_open = self._chance.random() < 0.4
        for writer in self._writers:
            if writer.transaction is not None and not leave_open:
                self._end(writer, committed=self._chance.random() < 0.5)
        if self._chance.random() < 0.4:
            self._delete_prefix()
        return self.history

    def close(self) -> None:
        """Ends what is open."""
        for writer in self._writers:
            if writer.transaction is not None:
                writer.end(False)
        # librdkafka's producers end with their last reference.
        self._writers.clear()
        self._open.close()

    def _append(self, writer: Writer) -> None:
        if writer.is_transactional and writer.transaction is None:
            writer.begin()
            writer.transaction = Transaction()
        count = self._chance.randint(1, 4)
        values = [f"{len(self.history.records) + index}".encode() for index in range(count)]
        for value, offset in zip(values, writer.send(values), strict=True):
            self.history.records.append(Written(offset, value, writer.transaction))

    def _end(self, writer: Writer, *, committed: bool) -> None:
        writer.end(committed)
        assert writer.transaction is not None
        writer.transaction.committed = committed
        writer.transaction = None

    def _delete_prefix(self) -> None:
        before = self._chance.choice(self.history.records).offset
        with Admin(bootstrap_servers=self._servers) as admin:
            admin.delete_records({(self.history.topic, 0): before})

    def _native(self, codec: str) -> Writer:
        producer = self._open.enter_context(
            Producer(
                bootstrap_servers=self._servers,
                compression_type=codec,
                transactional_id=f"reading-{uuid.uuid4()}",
            )
        )
        producer.init_transactions(SECONDS)

        def end(committed: bool) -> None:
            (producer.commit_transaction if committed else producer.abort_transaction)(SECONDS)

        return Writer(self._native_send(producer), producer.begin_transaction, end)

    def _plain(self, codec: str) -> Writer:
        producer = self._open.enter_context(Producer(bootstrap_servers=self._servers, compression_type=codec))
        return Writer(self._native_send(producer), _nothing, lambda _: None, is_transactional=False)

    def _native_send(self, producer: Producer[Any, Any]) -> Callable[[list[bytes]], list[int]]:
        def send(values: list[bytes]) -> list[int]:
            sent = [producer.send(self.history.topic, value) for value in values]
            producer.flush(SECONDS)
            return [each.result(SECONDS).offset for each in sent]

        return send

    def _confluent(self, codec: str) -> Writer:
        producer = confluent_kafka.Producer(
            {
                "bootstrap.servers": self._servers,
                "compression.type": codec,
                "transactional.id": f"reading-{uuid.uuid4()}",
            }
        )
        producer.init_transactions(SECONDS)

        def send(values: list[bytes]) -> list[int]:
            told: list[int] = []

            def on_delivery(error: object, message: confluent_kafka.Message) -> None:
                assert error is None, error
                offset = message.offset()
                assert offset is not None
                told.append(offset)

            for value in values:
                producer.produce(self.history.topic, value, on_delivery=on_delivery)
            assert producer.flush(SECONDS) == 0
            return told

        def end(committed: bool) -> None:
            (producer.commit_transaction if committed else producer.abort_transaction)(SECONDS)

        return Writer(send, producer.begin_transaction, end)


def _nothing() -> None:
    pass

"""Transactions of confluent_kafka of which one request is refused for good, with each code that there is: what the call
says (code, `retriable`, `fatal`, `txn_requires_abort`), how aborting ends, and what the delivery report says.

AddPartitionsToTxn and AddOffsetsToTxn are not among them: the face needs neither where the cluster has transactions of
version 2 (KIP-890), and the library sends both. `python -m tests.compat.differential.refused_transactions` asks with
all codes; `--note` as of `__main__`.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from kafkars.compat.confluent_kafka._codes import BROKER
from kafkars.testing import EmbeddedBroker

from tests.compat.differential.reasons import note, reason
from tests.compat.differential.run import Difference

LIBRARY = "confluent_kafka_refusals"
SIDES = ("confluent_kafka", "kafkars.compat.confluent_kafka")
TOPIC = "refused"
SECONDS = 10.0
LIMIT = 1.5
"""Seconds that a call has whose request may be refused for good."""

TRIES = 5

UNKNOWN = 321
"""A code that Kafka does not have."""

Outcome = Any


@dataclass
class Transaction:
    """A producer with a name of its own, so that faults meet nobody else."""

    module: ModuleType
    broker: EmbeddedBroker
    name: str
    code: int

    def __post_init__(self) -> None:
        self.reports: list[Any] = []
        self.producer = self.module.Producer(
            {
                "bootstrap.servers": self.broker.bootstrap_servers,
                "client.id": self.name,
                "transactional.id": self.name,
                "log_level": 0,
                "linger.ms": 0,
                "retry.backoff.ms": 20,
                "retry.backoff.max.ms": 100,
            }
        )
        self.group = self.module.Consumer(
            {"bootstrap.servers": self.broker.bootstrap_servers, "group.id": self.name, "log_level": 0}
        )

    def begun(self) -> None:
        self.producer.init_transactions(SECONDS)
        self.producer.begin_transaction()

    def produce(self) -> None:
        self.producer.produce(TOPIC, b"value", partition=0, on_delivery=self._heard)

    def stored(self) -> None:
        """A transaction of which all messages are there."""
        self.begun()
        self.produce()
        self.producer.flush(SECONDS)

    def _heard(self, error: Any, _message: Any) -> None:
        self.reports.append(error and self.name_of(error))

    def name_of(self, error: Any) -> str:
        """Its name, or that it is the refusal."""
        return "the code" if error.code() == self.code else str(error.name())

    def end(self) -> None:
        with suppress(Exception):
            self.producer.purge()
        with suppress(Exception):
            self.producer.close()
        self.group.close()


# --- requests: what comes before, and the call that is refused


def initialised(made: Transaction) -> Iterator[None]:
    yield
    made.producer.init_transactions(LIMIT)


def produced(made: Transaction) -> Iterator[None]:
    made.begun()
    yield
    made.produce()
    made.producer.commit_transaction(LIMIT)


def with_offsets(made: Transaction) -> Iterator[None]:
    made.begun()
    place = made.module.TopicPartition(TOPIC, 0, 1)
    yield
    made.producer.send_offsets_to_transaction([place], made.group.consumer_group_metadata(), LIMIT)


def committed(made: Transaction) -> Iterator[None]:
    made.stored()
    yield
    made.producer.commit_transaction(LIMIT)


def aborted(made: Transaction) -> Iterator[None]:
    made.stored()
    yield
    made.producer.abort_transaction(LIMIT)


REFUSED: dict[str, tuple[str, Callable[[Transaction], Iterator[None]]]] = {
    "InitProducerId": ("InitProducerId", initialised),
    "FindCoordinator": ("FindCoordinator", initialised),
    "Produce": ("Produce", produced),
    "TxnOffsetCommit": ("TxnOffsetCommit", with_offsets),
    "EndTxn of a commit": ("EndTxn", committed),
    "EndTxn of an abort": ("EndTxn", aborted),
}


def played(library: str, broker: EmbeddedBroker, request: str, code: int) -> Outcome:
    """What one side sees.

    It is played again where a message was stored between the last refusal and the end of its producer, while the commit
    was still under way: the time of a few milliseconds, which a busy machine has now and then.
    """
    for number in range(TRIES):
        found = played_once(library, broker, request, code, number)
        _, ended, reports = found
        if not (isinstance(ended, str) and ended.startswith("_CONFLICT") and None in reports):
            break
    return found


def played_once(library: str, broker: EmbeddedBroker, request: str, code: int, number: int) -> Outcome:
    api, calls = REFUSED[request]
    name = f"{library} {request} {code} {number}".replace(" ", "-")
    made = Transaction(importlib.import_module(library), broker, name, code)
    steps = calls(made)
    try:
        next(steps)
        with broker.intercept(api, code, when=lambda seen: seen.client_id == name):
            refused = outcome(made, lambda: next(steps, None))
        ended = None if "init" in calls.__name__ else outcome(made, lambda: made.producer.abort_transaction(SECONDS))
        return [refused, ended, made.reports]
    finally:
        made.end()


def outcome(made: Transaction, call: Callable[[], object]) -> Outcome:
    """How a call ends."""
    try:
        call()
    except made.module.KafkaException as problem:
        error = problem.args[0]
        flags = [name for name in ("retriable", "fatal", "txn_requires_abort") if getattr(error, name)()]
        return " ".join([made.name_of(error), *flags])
    return "done"


DOCUMENTED = (
    "UNKNOWN",
    "UNKNOWN_TOPIC_OR_PART",
    "NOT_LEADER_FOR_PARTITION",
    "REQUEST_TIMED_OUT",
    "MSG_SIZE_TOO_LARGE",
    "COORDINATOR_LOAD_IN_PROGRESS",
    "COORDINATOR_NOT_AVAILABLE",
    "NOT_COORDINATOR",
    "TOPIC_EXCEPTION",
    "NOT_ENOUGH_REPLICAS",
    "TOPIC_AUTHORIZATION_FAILED",
    "GROUP_AUTHORIZATION_FAILED",
    "CLUSTER_AUTHORIZATION_FAILED",
    "OUT_OF_ORDER_SEQUENCE_NUMBER",
    "INVALID_PRODUCER_EPOCH",
    "INVALID_TXN_STATE",
    "INVALID_PRODUCER_ID_MAPPING",
    "INVALID_TRANSACTION_TIMEOUT",
    "CONCURRENT_TRANSACTIONS",
    "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
    "UNKNOWN_PRODUCER_ID",
    "PRODUCER_FENCED",
    "UNSTABLE_OFFSET_COMMIT",
)
"""Of any of the requests, as far as librdkafka has names for them."""
NAMES = {code: name for name, code in BROKER.items()} | {UNKNOWN: "a code that is none"}


def codes(names: Iterable[str]) -> list[int]:
    """Those with these names, and one that is none."""
    return sorted({BROKER[name] for name in names if BROKER[name] != 0} | {UNKNOWN})


def differences(names: Iterable[str] = DOCUMENTED) -> list[Difference]:
    """Where the two sides part."""
    with EmbeddedBroker() as broker, ThreadPoolExecutor(16) as threads, warnings.catch_warnings():
        # Of transactions that could not be aborted at the end.
        warnings.simplefilter("ignore")
        broker.create_topic(TOPIC, 1)

        def both(case: tuple[str, int]) -> tuple[Outcome, Outcome]:
            original, face = (played(library, broker, *case) for library in SIDES)
            return original, face

        cases = [(request, code) for request in REFUSED for code in codes(names)]
        sides = list(threads.map(both, cases))
    return [
        Difference(f"{request} refused with {NAMES[code]}", *found, None)
        for (request, code), found in zip(cases, sides, strict=True)
        if found[0] != found[1]
    ]


def main() -> None:
    found = differences(BROKER)
    if "--note" in sys.argv:
        note(LIBRARY, found)
    for each in found:
        if reason(LIBRARY, each) is None:
            sys.stdout.write(f"{each.case}: {each.in_short}\n")


if __name__ == "__main__":
    main()

"""Differences of programs of several calls that stay: found by programs written to find them."""

from __future__ import annotations

from tests.compat.differential.reasons import Reason

ABOUT = (
    "Programs of several calls, random ones (`tests/compat/differential/kafka_programs.py`) and others written to find "
    "differences, are run on both. What they see is the same, except for these rows."
)

REASONS = [
    Reason(
        ("unsubscribe() with enable_auto_commit",),
        "3 does not commit what was read; 2 does",
        "commits it in both",
        "What was read is not read twice.",
    ),
    Reason(
        ("on_partitions_revoked or on_partitions_assigned that raises when a consumer joins, in 3",),
        "raises it of every `poll()` until they return, and may never read",
        "raises it once; the other is called as well, and records are read",
        "A listener that fails does not keep its consumer from reading.",
    ),
    Reason(
        ("AsyncConsumerRebalanceListener that awaits commit_async(), or runs in a thread with a running event loop",),
        "awaits it in the event loop of the library",
        "KafkaError: there is no such loop, and asyncio runs one loop per thread. The commit is made; call it without `await`, or `commit()`",
        "The engine is no event loop of Python.",
    ),
    Reason(
        ("commit(), which the broker answers with REBALANCE_IN_PROGRESS",),
        "CommitFailedError at once",
        "tries again within its time",
        "It succeeds where the member still has the partition.",
    ),
    Reason(
        ("position() and commit() after seek() to an offset outside the log, before poll()",),
        "the offset that was sought",
        "that, or soon the one where `auto_offset_reset` leads",
        "Brokers are asked at once, and not only by `poll()`. No record is there that would be left out.",
    ),
    Reason(
        ("commit_async(), which the broker answers with an error that may pass, or not at all",),
        "the callback has the error",
        "tries again within `request_timeout_ms`; later commits wait for it, `commit()` without a time as much longer; the callback has the outcome",
        "Commits reach the coordinator in the order they were made.",
    ),
    Reason(
        ("commit() and committed() without a time while no broker is there",),
        "2 waits until one is; 3 raises KafkaConnectionError at once",
        "KafkaTimeoutError after `request_timeout_ms`",
        "A broker that comes back in time is waited for, and no call waits for ever.",
    ),
    Reason(
        ("send(), which the broker answers with CORRUPT_MESSAGE",),
        "CorruptRecordError at once",
        "tries again as Kafka's own producer does, within `retries` and `delivery_timeout_ms`",
        "What was damaged on its way is whole the next time.",
    ),
    Reason(
        ("mock.create_autospec(KafkaProducer).send()",),
        "checks the arguments",
        "takes any: `send` is native",
        "A function of Python in between would cost every record.",
    ),
    Reason(
        ("pause() and seek() of a partition that comes back in a rebalance, in 3",),
        "keeps them also when the member was left out of a generation, in which another one may have had the partition",
        "keeps them where the partition comes back in the next generation; else reads on at what is committed",
        "Whoever had it in between may have read on.",
    ),
    Reason(
        ("automatic commits while a program iterates and waits for nothing",),
        "only in poll(), so none for records that are there already",
        "every auto_commit_interval_ms, of what was asked past",
        "Less is read twice after a crash.",
    ),
    Reason(
        ("end_offsets() and beginning_offsets() of a partition that does not exist",),
        "KafkaTimeoutError when the time is over",
        "ValueError at once",
        "Nobody waits for what is not there.",
    ),
    Reason(
        ("abort_transaction() before records have left",),
        "does not send them: TransactionAbortedError of their futures",
        "may send them, and then aborts: their futures have offsets",
        "Only `read_uncommitted` sees a difference.",
    ),
    Reason(
        ("where a member with `read_uncommitted` begins while a transaction with offsets of its partitions is open",),
        "at the offset before them, at once",
        "at the offset after them if it is committed, before them if not: it waits until the transaction has ended",
        "Whoever has it open may have processed these records, and they would be processed twice.",
    ),
    Reason(
        ("close() of a producer that gives up records",),
        "their futures never end",
        "they end with IllegalStateError",
        "Who waits for one hears of it.",
    ),
    Reason(
        ("metrics(raw=True)",),
        "up to 77 metrics, also of each node and topic, with averages and rates of the last samples",
        "those that the engine counts, with rates of the last samples and averages of the client's life",
        "Nothing is sampled per request: reading and sending would cost more.",
    ),
]

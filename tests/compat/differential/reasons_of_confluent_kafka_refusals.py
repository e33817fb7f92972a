"""What stays different of confluent_kafka where a broker refuses a request of a transaction for good."""

from __future__ import annotations

from tests.compat.differential.reasons import Reason

REASONS = [
    Reason(
        ("Produce refused with DUPLICATE_SEQUENCE_NUMBER",),
        "commits, as if the message were stored",
        "INVALID_TXN_STATE of the commit: in the newer protocol it is the message that begins the transaction",
        "No broker has stored anything. One that has answers success.",
    ),
    Reason(
        ("Produce refused with TOPIC_EXCEPTION",),
        "the commit has the broker's code",
        "the commit says _INCONSISTENT, as where the call has refused the name; the report has the broker's code",
        "Both say that the transaction has to be aborted.",
    ),
    Reason(
        ("Produce refused with *AUTHORIZATION_FAILED", "Produce refused with PRODUCER_FENCED"),
        "the transaction has to be aborted, and the next one is refused again",
        "fatal",
        "As in Java's producer: none of them passes by itself.",
    ),
    Reason(
        ("Produce refused with OUT_OF_ORDER_SEQUENCE_NUMBER",),
        "fatal",
        "the transaction has to be aborted",
        "As in Java's producer since KIP-360: aborting gives the producer a new epoch.",
    ),
    Reason(
        ("Produce refused with *",),
        "after an abort that had no time for it, a message that was refused until then is reported as `_PURGE_QUEUE`; an "
        "error that passes is final where librdkafka does not know that it does",
        "`_PURGE_INFLIGHT`; what Kafka calls retriable is tried again",
        "The message was sent.",
    ),
    Reason(
        ("TxnOffsetCommit refused with PRODUCER_FENCED",),
        "the transaction has to be aborted",
        "fatal",
        "A producer that is fenced stays so.",
    ),
    Reason(
        (
            "TxnOffsetCommit refused with CLUSTER_AUTHORIZATION_FAILED",
            "TxnOffsetCommit refused with INVALID_TXN_STATE",
            "TxnOffsetCommit refused with INVALID_PRODUCER_ID_MAPPING",
        ),
        "fatal",
        "the transaction has to be aborted, and the producer goes on",
        "It is the group's offsets that were refused; if the producer itself is not let in, the abort says so.",
    ),
    Reason(
        ("TxnOffsetCommit refused with *",),
        "the broker's code, once the time is over or librdkafka does not know that it passes",
        "_TIMED_OUT, whose text has the broker's code",
        "What Kafka calls retriable is tried again as long as there is time; both say that the transaction has to be "
        "aborted.",
    ),
    Reason(
        ("FindCoordinator refused with *",),
        "asks again whatever the answer was, until the time is over",
        "fatal for what does not pass by itself",
        "As in Java's producer. The error names what the broker has said.",
    ),
    Reason(
        ("InitProducerId refused with *",),
        "retriable whatever it was, but for what is documented",
        "what Kafka calls retriable is tried again until the time is over, and then `_TIMED_OUT`; all else is fatal",
        "As in Java's producer: a call that cannot succeed is not repeated for ever.",
    ),
    Reason(
        ("EndTxn of a* refused with *",),
        "the transaction has to be aborted, but for what is documented",
        "what Kafka calls retriable is tried again; all else is fatal",
        "As in Java's producer: nobody knows whether a commit that was answered so was made, and what is sent again "
        "after an abort could be there twice.",
    ),
]

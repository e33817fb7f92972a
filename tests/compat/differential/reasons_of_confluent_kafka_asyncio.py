"""What stays different of the asyncio clients of confluent_kafka."""

from __future__ import annotations

from tests.compat.differential.reasons import Reason

ALSO = "confluent_kafka"

REASONS = [
    Reason(
        ("[closed] aio.AIOProducer.produce(*",),
        "gives a future that never has an outcome",
        "RuntimeError",
        "Nobody waits for what cannot come.",
    ),
    Reason(
        ("[closed] aio.*.close(*", "[closed] aio.*.__aexit__(*"),
        "RuntimeError where it is closed already",
        "nothing is left to be done",
        "A `finally` that closes what has been closed is no mistake.",
    ),
    Reason(
        ("[closed] aio.*",),
        "RuntimeError before arguments are looked at",
        "TypeError, ValueError or AttributeError for wrong ones first",
        "Both fail at once; the order of checks differs.",
    ),
    Reason(
        ("*aio.AIOProducer.produce(one argument too many)", "*aio.AIOProducer.produce(unknown keyword)"),
        "a future that never has an outcome, or the exception of the whole batch",
        "TypeError in the call",
        "A mistake is said where it is made.",
    ),
    Reason(
        (
            "*aio.AIOProducer.produce(headers=*",
            "*aio.AIOProducer.produce(timestamp=*",
            "*aio.AIOProducer.produce(value=array)",
            "*aio.AIOProducer.produce(partition=none)",
        ),
        "refuses headers by NotImplementedError, and with a timestamp, a bytearray or no partition the whole batch",
        "sends them, or refuses what is wrong with them in the future of the message",
        "The waiting producer sends them.",
    ),
    Reason(
        ("aio.AIOConsumer(conf=unknown)",),
        "ValueError about `group.id`",
        "_INVALID_ARG about the property",
        "Both are wrong with it; the order of checks differs.",
    ),
    Reason(
        ("*aio.AIOConsumer.subscribe(on_*=number)",),
        "takes what cannot be called, and fails when it calls it",
        "TypeError",
        "A mistake is said where it is made.",
    ),
]

"""Differences of random programs that stay: what `programs.py`, `group_programs.py` and `producer_programs.py` leave
out."""

from __future__ import annotations

from tests.compat.differential.reasons import Reason

REASONS = [
    Reason(
        ("assign(), unassign() and close() with enable.auto.commit, after everything was committed",),
        "commits the same again, and tells `on_commit` of it",
        "commits what is not committed yet",
        "Somebody else may have moved the group's offsets since.",
    ),
    Reason(
        ("commit() after a seek() back, of less than this consumer has committed before",),
        "_NO_OFFSET, and no commit by itself either, until the consumer is further than that",
        "commits where the consumer is, once a message was handed out",
        "The program went back to go on from there; and a topic that is made again begins anew.",
    ),
    Reason(
        ("committed() right after assign() or unassign() with enable.auto.commit",),
        "tells what the commit that these have begun has stored",
        "may tell what was stored before it",
        "Neither call waits for that commit; close(), commit() and reading from the committed offset do.",
    ),
    Reason(
        ("produce() to a topic of which the cluster has refused a message with TOPIC_AUTHORIZATION_FAILED",),
        "refuses what comes next in the call, until it has asked for the topic again",
        "sends it, and reports what the cluster says of it",
        "Rights may have been given since.",
    ),
    Reason(
        ("purge() of messages of a transaction",),
        "takes messages and offsets until commit_transaction(), which fails",
        "_STATE, until abort_transaction()",
        "What comes after it would be aborted with it.",
    ),
    Reason(
        ("produce() with a linger.ms that is not below message.timeout.ms, which is not set",),
        "_INVALID_ARG of every message",
        "sends it: message.timeout.ms is raised above linger.ms",
        "The producer would be one that can send nothing.",
    ),
    Reason(
        ("poll() and flush() that give reports, after the producer was fenced",),
        "SystemError where a report says an error's name",
        "give the reports, and raise KafkaException with _FENCED, once",
        "SystemError is a fault inside the library.",
    ),
    Reason(
        ("position() after the last message before the end of a transaction",),
        "moves over the marker with the next poll",
        "has moved over it",
        "Nothing that can be read lies between the two.",
    ),
]

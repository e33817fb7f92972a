"""Differences of random programs that stay: what `programs.py`, `group_programs.py` and `producer_programs.py` leave
out."""

from __future__ import annotations

from tests.compat.differential.reasons import Reason

REASONS = [
    Reason(
        ("commit_transaction() that the coordinator refuses with a code that it has for no commit, such as UNKNOWN",),
        "to be aborted; the producer goes on with the next transaction",
        "fatal, as in Java's client; REQUEST_TIMED_OUT and UNKNOWN_TOPIC_OR_PART, which pass, are tried again",
        "What has become of the commit is not known, so that the next transaction may store the same again: a new "
        "producer of the transactional.id ends what is open, and can look.",
    ),
    Reason(
        ("calls of transactions whose time is over, while the coordinator refuses them for now",),
        "the code of the last refusal, such as COORDINATOR_LOAD_IN_PROGRESS",
        "_TIMED_OUT, with the same flags",
        "The time is what has ended the call; the text says what was waited for, and the flags what can be done.",
    ),
    Reason(
        ("`__init__()` of a client that was closed",),
        "the client works again, says that it is closed, or hangs, as it comes",
        "RuntimeError",
        "Another client is as easily made.",
    ),
    Reason(
        ("close() of a producer whose callbacks raise",),
        "raises what the first report has raised, and gives no other; SystemError at the end of a `with` block",
        "gives all reports, and raises what the last one has raised",
        "Every message has its report, as with flush().",
    ),
    Reason(
        ("commit_transaction() in which a callback raises",),
        "raises it while the commit goes on by itself: the next calls are _CONFLICT, and retriable, until it has ended",
        "raises it when the commit has ended",
        "The next transaction can begin.",
    ),
    Reason(
        ("AIOConsumer.close() and AIOProducer.close() again",),
        "RuntimeError",
        "does nothing",
        "That of the synchronous clients does nothing either.",
    ),
    Reason(
        ("calls of one consumer in several threads, or in several tasks with AIOConsumer",),
        "a call waits until the one before it has ended, also for a poll() that waits for messages",
        "go side by side: one that need not wait is answered at once, and seek(), assign() or subscribe() count for a "
        "poll() that waits",
        "What a program wants to stop or to change should not wait for messages that may never come.",
    ),
    Reason(
        ("poll() and consume() that wait, while another thread or task closes the client",),
        "return None, or no messages, when their time is over; close() waits for them",
        "end at once, as they do there or with RuntimeError",
        "Who polls in a loop hears that it can end.",
    ),
    Reason(
        ("AdminClient.poll() that waits, while another thread leaves the `with` block",),
        "returns 0 when its time is over; the block waits for it",
        "ends at once, with RuntimeError",
        "Who polls in a loop hears that it can end.",
    ),
    Reason(
        ("commit() without arguments beside a poll() of another thread or task that returns a message",),
        "waits for the poll(), and commits that message, too",
        "commits what was returned before that poll(); _NO_OFFSET if that is nothing",
        "Nobody has worked on a message that is not returned yet.",
    ),
    Reason(
        ("AIOProducer._producer",),
        "a synchronous Producer, which sends beside the AIOProducer",
        "not one: the engine's producer for asyncio",
        "It is a private name; AIOProducer.produce() takes on_delivery, and another Producer can be made beside it.",
    ),
    Reason(
        ("AIOConsumer.subscribe() with on_assign, on_revoke or on_lost that is no coroutine function",),
        "TypeError",
        "calls it",
        "What it is to do is clear.",
    ),
    Reason(
        ("AIOProducer.produce() with an argument that it does not have",),
        "returns a future",
        "TypeError",
        "It is a mistake of the program, not of the message.",
    ),
    Reason(
        (
            "a call in a rebalance callback that assigns or unassigns, and fails; unassign() as the last call of on_assign",
        ),
        "waits for another such call: no later rebalance comes, and subscribe() changes nothing any more",
        "reads what was assigned, and goes on with the next rebalance",
        "A consumer that is in no group and says nothing is not what was asked for.",
    ),
    Reason(
        ("commit() in on_assign after assign() or incremental_assign()",),
        "reading begins where the group was before, or there, as it comes",
        "reading begins there",
        "As with a commit that comes first.",
    ),
    Reason(
        ("unsubscribe() in the on_revoke of a changed subscription; subscribe() in on_revoke",),
        "joins once more before it counts; closing the consumer can end the process",
        "counts at once",
        "It is the latest that the program has asked for.",
    ),
    Reason(
        ("commit() in on_revoke after unassign(), while the consumer leaves its group",),
        "UNKNOWN_MEMBER_ID",
        "commits",
        "The consumer leaves when the callback has ended.",
    ),
    Reason(
        ("sasl.mechanisms in small letters",),
        "_INVALID_ARG",
        "taken",
        "There is one mechanism of the name.",
    ),
    Reason(
        ("a token of `oauth_cb` that is to be renewed",),
        "is asked for every ten seconds where that fails, and used beyond its expiry",
        "is asked for by each connection that needs one, and not used beyond its expiry",
        "A broker that checks it would refuse it.",
    ),
    Reason(
        ("AIOProducer.purge() in a transaction",),
        "commits what was sent after it",
        "_INCONSISTENT, to be aborted",
        "A transaction is stored whole or not at all.",
    ),
    Reason(
        ("a `logger` that cannot log",),
        "raises when there is something to log",
        "TypeError in the constructor",
        "A mistake is said where it is made.",
    ),
    Reason(
        ("AIOProducer.produce() after close()",),
        "returns a future that never ends",
        "RuntimeError",
        "Who waits for it would wait for ever.",
    ),
    Reason(
        ("AIOProducer.produce() with headers or a timestamp",),
        "refuses them",
        "sends them",
        "The synchronous `Producer` does.",
    ),
    Reason(
        ("AIOProducer.commit_transaction() after a message has failed",),
        "commits the others in some cases",
        "_INCONSISTENT, to be aborted",
        "A transaction is stored whole or not at all.",
    ),
    Reason(
        ("futures of AIOProducer.produce() in a transaction that abort_transaction() or close() ends",),
        "sends what is buffered first: they have the message, which nobody reads",
        "they have KafkaException with _PURGE_QUEUE, where the message was not sent yet",
        "What is given up is not sent, and its future does not say that it was stored.",
    ),
    Reason(
        ("AIOProducer(batch_size=), and buffer_timeout= that is not above 0",),
        "produce() raises TypeError for what is no number; messages wait for flush(), or for the batch to be full",
        "taken; messages are sent at once",
        "The engine makes batches of what waits, by linger.ms and batch.size.",
    ),
    Reason(
        ("AIOProducer.produce() of a message that cannot be sent, beside others",),
        "fails the others of its batch, and later calls of flush() and close()",
        "fails alone",
        "One bad message does not end the others.",
    ),
    Reason(
        ("assign(), unassign() and close() with enable.auto.commit, after everything was committed",),
        "commits the same again, and tells `on_commit` of it",
        "commits what is not committed yet",
        "Somebody else may have moved the group's offsets since.",
    ),
    Reason(
        ("automatic commits, while a program works on the message that it was given last",),
        "commit that message, too, as soon as auto.commit.interval.ms is over",
        "commit what came before it; it is committed with the next poll or by close()",
        "As in Java's client: a program that dies at work gets the message again. One that works longer than "
        "max.poll.interval.ms does, too: raise that, or commit() first.",
    ),
    Reason(
        (
            "commit() after a seek() back, of less than this consumer has committed before",
            "commit() after store_offsets() of what is not above that",
        ),
        "_NO_OFFSET, and no commit by itself either, until the consumer is further than that",
        "commits where the consumer is, once a message was handed out, and what is stored",
        "The program went back to go on from there; and a topic that is made again begins anew.",
    ),
    Reason(
        ("commit() of a consumer that assigns partitions itself after it has unsubscribed",),
        "UNKNOWN_MEMBER_ID, of automatic commits too, until it is a member again",
        "commits, as who was never a member does",
        "It reads partitions of its own choice, and the next start would read all of it again.",
    ),
    Reason(
        ("assign() of a partition that does not exist",),
        "waits for it, and says nothing",
        "waits for it, and says once in a message that there is none",
        "A wrong number would never be found.",
    ),
    Reason(
        ("assign() of a partition of a topic that the client may not be told of",),
        "waits for it, and says nothing",
        "waits for it, and says once in a message that it is TOPIC_AUTHORIZATION_FAILED",
        "A missing right would never be found.",
    ),
    Reason(
        ("commit() and committed() in a group that the client has no rights to",),
        "_WAIT_COORD after a minute, and _TIMED_OUT when the time of the call is over",
        "GROUP_AUTHORIZATION_FAILED at once",
        "It is the cause, and time does not help.",
    ),
    Reason(
        ("delete_records() and list_offsets() of a partition that does not exist",),
        "_NOENT, but _UNKNOWN_PARTITION beside other partitions of its topic",
        "_NOENT",
        "The same mistake has the same code.",
    ),
    Reason(
        ("poll() whose on_assign raises",),
        "loses the message that it would have returned, and commits behind it",
        "returns it with the next poll",
        "No message is lost.",
    ),
    Reason(
        ("a member that unassigns, or only makes calls that fail, in on_assign of a group that is not cooperative",),
        "takes part in no later rebalance, and is put out by the group",
        "is told of the next by on_assign",
        "It can take partitions then.",
    ),
    Reason(
        ("a member with a group.instance.id that another one has taken",),
        "calls no callback",
        "calls on_lost, or on_revoke, with its partitions",
        "Another reads them already, and the program may have to clean up.",
    ),
    Reason(
        ("consume() after max.poll.interval.ms was exceeded",),
        "_MAX_POLL_EXCEEDED, and messages after it",
        "_MAX_POLL_EXCEEDED alone",
        "What comes after it belongs to the next membership, of which callbacks tell first.",
    ),
    Reason(
        ("subscribe() of a regular expression that matches no topic, or one that is deleted later",),
        "a message with UNKNOWN_TOPIC_OR_PART, and no callback where nothing matches",
        "no message; on_assign is called with no partitions",
        "A pattern names no topic that could be missing; the group has the member.",
    ),
    Reason(
        ("get_watermark_offsets() and offsets_for_times() of a topic that was deleted just now",),
        "UNKNOWN_TOPIC_OR_PART, and _UNKNOWN_PARTITION from the next look at the cluster on",
        "_UNKNOWN_PARTITION, after a second at most",
        "The same mistake has the same code.",
    ),
    Reason(
        ("seek() right after assign(), in on_assign or elsewhere", "seek() after _AUTO_OFFSET_RESET"),
        "_STATE, because it has not begun to read, or has given it up",
        "goes there",
        "The partition is assigned, and where to read on is known.",
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
        ("len() of a producer whose reports wait for poll()",),
        "counts a message, and once more the reports that wait together",
        "counts each message once",
        "It says how many messages have no report yet.",
    ),
    Reason(
        ("poll() while a broker answers fetches with UNKNOWN",),
        "a message with the error, and then those that are there",
        "those that are there, once the broker hands them out",
        "What passes by itself is tried again, as for other codes.",
    ),
    Reason(
        ("queue.buffering.max.kbytes",),
        "bounds the bytes of keys and values that have no report yet",
        "bounds the memory of batches that are not stored yet, of which there is always room for the largest message",
        "It is there to bound memory.",
    ),
    Reason(
        ("`==` of two Uuid",),
        "False, though their hashes are the same",
        "compares what they are",
        "Equal ids are equal.",
    ),
    Reason(
        ("txmsg_bytes and txbytes of statistics",),
        "the bytes of keys and values",
        "the bytes of batches before compression",
        "The documentation of both says that framing counts.",
    ),
    Reason(
        ("consumer_lag of statistics before the first commit of the consumer",),
        "that of what the group had committed, which it has looked up, and -1 if that is nothing",
        "that of the position",
        "What was looked up is where reading began; from the first commit on both are the same.",
    ),
    Reason(
        ("rxmsgs and msgs of partitions in statistics of consumers", "partitions that are not assigned there"),
        "counted, and listed",
        "0, and left out; rxmsgs of the consumer is counted",
        "Every poll would pay for it.",
    ),
    Reason(
        ("str() and repr() of a Message", "the text of BufferError and of other errors"),
        "the address of the object; the name of the error",
        "topic, partition, offset and the like; also what is wrong and what to do",
        "They are for people who look for a cause.",
    ),
    Reason(
        ("position() after the last message before the end of a transaction",),
        "moves over the marker with the next poll",
        "has moved over it",
        "Nothing that can be read lies between the two.",
    ),
]

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
        ("send_offsets_to_transaction() whose time is over while AddOffsetsToTxn is under way, of brokers before 4.0",),
        "retriable: made again it goes on, and the transaction can be committed",
        "_TIMED_OUT, to be aborted, as while TxnOffsetCommit is under way",
        "Nothing is lost: the transaction is made again. Which of its requests has taken the time is not known here.",
    ),
    Reason(
        ("commit(asynchronous=False) while the coordinator refuses it for now, as it is loading, or has moved",),
        "fails after a few tries, or the first, with the code of the last: COORDINATOR_LOAD_IN_PROGRESS, "
        "NOT_COORDINATOR, REBALANCE_IN_PROGRESS",
        "tries again until it is made, or 60 s are over: _TIMED_OUT",
        "What passes by itself is waited for, as in Java's client: what was read would be read again.",
    ),
    Reason(
        ("an idempotent producer of which a broker has lost the numbers: OUT_OF_ORDER_SEQUENCE_NUMBER and such",),
        "fatal after OUT_OF_ORDER_SEQUENCE_NUMBER; with INVALID_PRODUCER_EPOCH the messages fail",
        "numbers anew what is not stored, and goes on (KIP-360); a line of the log tells it",
        "As in Java's client: the messages are still there, and those before them have had their reports.",
    ),
    Reason(
        ("a message that a broker refuses with NETWORK_EXCEPTION",),
        "fails",
        "is tried again until its time is over",
        "It is a passing code in Kafka's protocol. An idempotent producer stores nothing twice by that.",
    ),
    Reason(
        ("list_topics(topic) of a producer, for a topic that there is not and that brokers create when asked",),
        "UNKNOWN_TOPIC_OR_PART at first, and the topic in a later call",
        "the topic, once it is there",
        "The call itself has created it, and what is told is what a program can use now.",
    ),
    Reason(
        ("unsubscribe() in an on_assign that tells of nothing, with group.protocol=consumer",),
        "nothing is called after it",
        "where the group has assigned partitions by then, on_assign and on_revoke tell of them",
        "They were the member's, and go in order, so that what belongs to them is opened and closed.",
    ),
    Reason(
        ("another list with regular expressions and names, with group.protocol=consumer",),
        "names that come or go change nothing of what the expressions give",
        "everything is revoked first, which commits what is to be committed, and then assigned anew",
        "The coordinator is told one expression for the whole list, and resolves another one from the start.",
    ),
    Reason(
        ("commit(offsets=...) between subscribe() and the first assignment, with group.protocol=consumer",),
        "fails with STALE_MEMBER_EPOCH",
        "is made when the member has joined",
        "A member may commit what it names; it only has to be one.",
    ),
    Reason(
        ("partitions of a topic that a client comes to know just now, with group.protocol=consumer",),
        "one on_assign, with those of topics that it knows",
        "an on_assign of their own, where the group assigns them before their metadata is there",
        "Which of the two is there first is chance in both; Java's client does as the face.",
    ),
    Reason(
        ("a transaction that is open for longer than transaction.timeout.ms",),
        "goes on until its coordinator has found it, which looks every ten seconds; then _FENCED, and fatal",
        "_STATE of produce(), and _TIMED_OUT, to be aborted, of the others; the next transaction works",
        "What may be lost at any moment is not to be counted on, and a new producer would not make it faster.",
    ),
    Reason(
        ("__init__() of a client that was closed",),
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
        ("Ctrl+C within Producer.close(), or at the end of its `with` block",),
        "waits until all is sent, then raises KeyboardInterrupt; with reports to give it raises SystemError, and goes on "
        "sending",
        "waits until all is sent and gives the reports, then raises KeyboardInterrupt; a second Ctrl+C is raised at "
        "once, and close() again waits",
        "A program often ends with the first; who presses Ctrl+C twice does not want to wait for a cluster that is away.",
    ),
    Reason(
        ("a second Ctrl+C within `init_transactions()`, `commit_transaction()`, `abort_transaction()`",),
        "is raised, as the first, when the call has ended or its time limit is over",
        "is raised at once; the same call is made again before any other, as after a time limit",
        "The first may be answered by a cluster that is away for long.",
    ),
    Reason(
        ("produce() and poll() of a daemon thread, while the program ends without close()",),
        "go on until the interpreter stops the thread; what is queued by then is lost without a word",
        "RuntimeError, once what was queued before is sent, or given up with a line in the log after 0.8 s",
        "Whoever hears nothing takes the message for sent.",
    ),
    Reason(
        ("Ctrl+C within `await AIOProducer.flush()`, in a program that ends then without close()",),
        "ends once a thread of the library has sent all",
        "what is not stored within 0.8 s is given up, with a line in the log",
        "close(), or `async with`, sends all; without them nothing says how long the end of the program may take.",
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
        "go side by side: one that need not wait is answered at once, and seek(), pause(), assign() or subscribe() count "
        "for a poll() or consume() that waits",
        "What a program wants to stop or to change should not wait for messages that may never come.",
    ),
    Reason(
        ("poll() and consume() that wait, while another thread or task closes the client",),
        "return None, or no messages, when their time is over; close() waits for them",
        "end at once, as they do there or with RuntimeError",
        "Who polls in a loop hears that it can end.",
    ),
    Reason(
        ("changes by AdminClient, while the controller is moving (NOT_CONTROLLER) or closes its connections",),
        "fail at once: NOT_CONTROLLER or _TRANSPORT",
        "are tried again with the next controller until request_timeout is over: _TIMED_OUT, with the last cause",
        "As in Java's client: a new controller is there within seconds, and the program need not ask again.",
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
        (
            "AsyncDeserializingConsumer.consume() whose deserializer fails",
            "poll() and consume() of AIOConsumer and AsyncDeserializingConsumer that are cancelled",
            "DeserializingConsumer.poll() that Ctrl+C ends within a deserializer",
        ),
        "loses the other messages of the call, whose offsets are committed",
        "returns those before the failure, raises in the next call, and returns those behind it in the call after that; "
        "after a cancellation or Ctrl+C the next call returns all. What is not returned does not count as read: "
        "position(), commits and automatic commits leave it out, and pause(), seek() and assignments apply to it",
        "One bad message should cost no other.",
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
        ("commit() of what is named, in on_revoke after unassign(), while the consumer leaves its group",),
        "UNKNOWN_MEMBER_ID, or commits, as it comes",
        "commits",
        "The consumer leaves when the callback has ended.",
    ),
    Reason(
        ("what is read between assign() and the first assignment of a group that is subscribed to later",),
        "the program's own partitions, which an unsubscribe() leaves if it comes before",
        "nothing: subscribe() gives up the program's own partitions",
        "A consumer reads what the program has chosen or what its group has. Which of the two would be chance otherwise: "
        "it depends on when the group assigns.",
    ),
    Reason(
        ("incremental_assign() of an eager consumer between subscribe() and the first assignment of its group",),
        "takes it; the group takes it away",
        "_INVALID_ARG, as assign()",
        "Two members would read the same partition.",
    ),
    Reason(
        ("another subscribe() of a member of a cooperative group",),
        "calls on_lost, and commits nothing by itself: what was read is read again",
        "calls on_revoke, and commits",
        "The partitions are the member's until it has given them up: nobody else has them.",
    ),
    Reason(
        ("close() of a consumer while no broker answers",),
        "waits as long as session.timeout.ms, also where nothing is to be committed",
        "waits for five seconds without an answer, ten for partitions that the program has assigned itself, or one where "
        "nothing is to be committed, and logs what was not",
        "Who ends a program while the cluster is away wants it to end: what was not committed is read again. While "
        "brokers answer and only the coordinator is away it waits for up to 30 seconds.",
    ),
    Reason(
        (
            "subscribe() of topics none of which exists, and subscribe() right after unsubscribe() with group.protocol=consumer",
        ),
        "no callback until there is something to assign",
        "on_assign is called with no partitions first",
        "The group has the member, which has nothing yet: so it is where other members have all partitions.",
    ),
    Reason(
        ("close() in on_assign of a cooperative group or with group.protocol=consumer",),
        "calls on_revoke within it",
        "does not",
        "The assignment has not been taken yet: nothing of it was read.",
    ),
    Reason(
        ("unsubscribe() after max.poll.interval.ms was exceeded, before the next poll",),
        "the poll gives a message with _MAX_POLL_EXCEEDED, then calls on_lost",
        "calls on_lost",
        "The message is about a subscription that the program has ended.",
    ),
    Reason(
        ("on_commit of metadata that is too long, where a later commit of the partition follows at once",),
        "OFFSET_METADATA_TOO_LARGE",
        "none, if the later one was made",
        "Only the newest of the offsets that wait is sent, and stands for those before it.",
    ),
    Reason(
        ("unassign() in on_revoke of a cooperative group, after unsubscribe()",),
        "_STATE; the partitions stay, and close() waits for ever",
        "takes it",
        "All partitions go, as the call says.",
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
            "commit() after a seek() or an assign() back, of less than this consumer has committed before",
            "commit() after store_offsets() of what is not above that",
        ),
        "_NO_OFFSET, and no commit by itself either, until the consumer is further than that",
        "commits where the consumer is, once a message was handed out, and what is stored",
        "The program went back to go on from there; and a topic that is made again begins anew.",
    ),
    Reason(
        ("a commit of what is named, after a seek() and before anything is read there",),
        "the next commit() without arguments, automatic one or close() commits what was read before the seek, if that "
        "lies above",
        "that is not committed any more",
        "The program has said where it is, and would lose what lies between.",
    ),
    Reason(
        ("commit() of a consumer that assigns partitions itself after it has unsubscribed",),
        "UNKNOWN_MEMBER_ID, of automatic commits too, until it is a member again",
        "commits, as who was never a member does",
        "It reads partitions of its own choice, and the next start would read all of it again.",
    ),
    Reason(
        ("where a member with `read_uncommitted` begins while a transaction with offsets of its partitions is open",),
        "at the offset before them, at once",
        "at the offset after them if it is committed, before them if not: it waits until the transaction has ended",
        "Whoever has it open may have processed these records, and they would be processed twice.",
    ),
    Reason(
        ("consume() that is interrupted, as by Ctrl+C, while it has messages",),
        "raises; the messages are lost, and committed with the others",
        "returns them, and the next poll(), consume(), commit() or close() raises, the latter two once they are done",
        "They count as handed out.",
    ),
    Reason(
        ("assign() after unsubscribe(), before the next poll, of a partition that the group had given",),
        "the poll takes it away again, and nothing is read",
        "it stays assigned",
        "It is the latest that the program has asked for.",
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
        ("offsets_for_times() with a partition twice",),
        "one answer for both",
        "an answer for each",
        "Two times are two questions.",
    ),
    Reason(
        ("a second member with group.protocol=consumer and a group.instance.id that is in use",),
        "_FATAL in a poll at once",
        "waits for the other member to go, for as long as a session lasts, before it says so",
        "A restart that comes before the former process was missed is the usual cause, and passes by itself.",
    ),
    Reason(
        ("heartbeats of group.protocol=consumer that are answered with UNKNOWN_TOPIC_OR_PART or UNKNOWN_TOPIC_ID",),
        "_FATAL at once",
        "tries again",
        "They pass by themselves.",
    ),
    Reason(
        ("one heartbeat of group.protocol=consumer that is answered with UNKNOWN or INVALID_REQUEST",),
        "_FATAL",
        "a message with the code; joins again, and _FATAL if that is refused, too",
        "One answer that makes no sense does not end a member.",
    ),
    Reason(
        ("heartbeats of group.protocol=consumer that are answered with UNSUPPORTED_VERSION",),
        "_FATAL at once",
        "_FATAL after the fourth in a row",
        "Kafka 4.3 answers so at times, and serves the next one.",
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
        ("entries GroupCoordinator and TxnCoordinator in brokers of statistics, and eos", "rebalance_reason there"),
        "a connection of its own, and what librdkafka does inside",
        "left out, or empty: requests to coordinators are counted with the broker's others",
        "There is no connection of their own for all of them.",
    ),
    Reason(
        ("outbuf_latency, int_latency, throttle, batchsize, batchcnt, wakeups and query_offset of statistics",),
        "measured",
        "0, or -1001",
        "What is sent goes to the socket at once, and batches are not those of librdkafka.",
    ),
    Reason(
        ("msgs_inflight of partitions and waitresp_msg_cnt of brokers in statistics",),
        "the messages that are sent and not answered",
        "0; msg_cnt of the producer and waitresp_cnt of brokers are counted",
        "Messages under way are counted for the producer as a whole, and requests for each broker.",
    ),
    Reason(
        ("msgs and txmsgs of partitions in statistics of producers, and txmsgs of the producer",),
        "all that were produced; all that were sent, those of further tries too",
        "those that are stored",
        "What has failed is not there.",
    ),
    Reason(
        ("rtt of statistics",),
        "begins when a request was written",
        "begins when a request is about to be written; each number may be some 3 % off",
        "No lock is held for it.",
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
    Reason(
        ("what close() commits of a partition with transactions, or aborted records",),
        "often the offset after the last marker that is fetched: records before it that were not handed out are lost",
        "what was read, with the markers behind it",
        "No poll has come there. Markers that one has come to count, as in the library, also where nothing else was read.",
    ),
    Reason(
        ("a partition without a valid position that is paused, with auto.offset.reset=error",),
        "_AUTO_OFFSET_RESET at once",
        "_AUTO_OFFSET_RESET once it is resumed",
        "A paused partition hands out nothing, errors neither.",
    ),
]

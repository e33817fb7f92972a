"""Differences of random programs that stay: what `aiokafka_programs` leaves out."""

from __future__ import annotations

from tests.compat.differential.reasons import Reason

REASONS = [
    Reason(
        ("`inspect.iscoroutine()` of what `send()`, `send_and_wait()`, `getone()` and `getmany()` return",),
        "True",
        "False; `asyncio.iscoroutine()` and `inspect.isawaitable()` say True, and whatever takes a coroutine takes it",
        "It is an awaitable of the engine. The methods themselves are coroutine functions to whoever asks.",
    ),
    Reason(
        ("getone() and getmany() in on_partitions_assigned, and in other tasks while it runs",),
        "read",
        "IllegalStateError in the listener: read after it, or seek() in it; others wait until it has ended",
        "Records of new partitions are handed out when their listener has ended, which may still seek.",
    ),
    Reason(
        (
            "a `sasl_oauth_token_provider` or an `ssl_context` that is none; a user or a password that is no text, or empty",
        ),
        "ValueError, TypeError, AttributeError or KafkaConnectionError when it starts",
        "ValueError when it is made",
        "A mistake is said where it is made.",
    ),
    Reason(
        ("a token that the broker refuses; extensions that are no dict",),
        "starts, and fails at the next request; TypeError or AttributeError",
        "KafkaConnectionError when it starts",
        "Who is not let in hears of it at once.",
    ),
    Reason(
        (
            "`record.extra = 1`; a change of `vars(record)`; `vars()` of an object of a class that derives from `ConsumerRecord`",
        ),
        "takes any attribute; `vars()` is the record's own dictionary, with the fields",
        "AttributeError; `vars()` is a new dictionary of the fields; of a derived class it has what that class adds",
        "Records are made by the million: they refer to the batch that was fetched, and have no dictionary.",
    ),
    Reason(
        ("`client.cluster` of a producer or consumer, after `client.set_topics()`",),
        "knows these topics only; listeners hear of every refresh",
        "knows those, too, that the producer or consumer uses; listeners hear of refreshes that were asked for",
        "It shows what the engine knows at that moment.",
    ),
    Reason(
        (
            "`_txn_manager.state` when another producer has taken the `transactional_id`, and a record was refused for that",
        ),
        "FATAL_ERROR",
        "ABORTABLE_ERROR until the transaction ends, then FATAL_ERROR",
        "Since Kafka 4 the answer to a record does not tell whether it is another producer or a transaction that was aborted.",
    ),
    Reason(
        ("a transaction that is open for longer than transaction_timeout_ms",),
        "goes on until its coordinator has found it, which looks every ten seconds; then ProducerFenced, for good",
        "ProducerFenced, after which abort_transaction() lets the producer go on",
        "What may be lost at any moment is not to be counted on.",
    ),
    Reason(
        ("send() to a partition that is gone because the topic was deleted, or made again with fewer",),
        "NotLeaderForPartitionError after request_timeout_ms; in a transaction it and the commit never end",
        "UnknownTopicOrPartitionError after request_timeout_ms; a transaction can be aborted",
        "It is what a broker answers, and a commit that cannot be must end.",
    ),
    Reason(
        ("where a member begins while a transaction with offsets of its partitions is open",),
        "at the offset before them, at once",
        "at the offset after them if it is committed, before them if not: it waits until the transaction has ended",
        "Whoever has it open may have processed these records, and they would be processed twice. `committed()` tells the offset before them, as aiokafka does.",
    ),
    Reason(
        ("a partitioner that gives no partition of the topic",),
        "NotLeaderForPartitionError after request_timeout_ms",
        "TypeError or AssertionError at once",
        "No wait makes it one.",
    ),
    Reason(
        ("requests of the administrator that are refused or cut off",),
        "some are told as success with an empty answer, and some that another broker would take are raised",
        "the refusal is raised, and what may pass is tried again",
        "What was not done is not told as done.",
    ),
    Reason(
        ("reads of a member whose `group_instance_id` another one has taken",),
        "joins again, which takes the place from the other, and so on",
        "raise FENCED_INSTANCE_ID, each of them, until unsubscribe() or stop()",
        "Two members that take the partitions from each other for ever read everything again and again.",
    ),
    Reason(
        ("a record of less than 82 bytes below max_request_size",),
        "MessageSizeTooLargeError: it counts the longest headers that a batch and a record may have",
        "sends it",
        "It is not larger than the limit, and brokers take it by default.",
    ),
    Reason(
        ("several records, and the broker answers MESSAGE_TOO_LARGE or RECORD_LIST_TOO_LARGE",),
        "MessageSizeTooLargeError or RecordListTooLargeError of all records of the batch",
        "sends the batch in parts",
        "Records that are too large together may be sent apart.",
    ),
    Reason(
        ("abort_transaction() before records have left",),
        "sends them, and then aborts; their futures tell where they are",
        "does not send them; their futures fail with KafkaError: not sent, the transaction was aborted",
        "An abort does not wait for what cannot be delivered, and nobody with `read_committed` misses the records. `gather()` of such futures after an abort needs `return_exceptions=True`; where nobody asks them, nothing is reported.",
    ),
    Reason(
        ("commit_transaction(), where a delivery has failed that was waited for",),
        "commits the others",
        "raises what the delivery failed with, until abort_transaction()",
        "A transaction is stored whole or not at all.",
    ),
    Reason(
        ("send() by an idempotent producer, after the broker has refused a batch of the partition",),
        "OutOfOrderSequenceNumber, because numbers are missing",
        "stores what comes after it",
        "One refused batch does not end the others.",
    ),
    Reason(
        ("send() within a transaction of a record that is too large when compressed; offsets that were refused",),
        "the transaction goes on without the record",
        "every call raises the same, until abort_transaction()",
        "A transaction is stored whole or not at all.",
    ),
    Reason(
        ("send() and send_batch(), while the partition's batch before them cannot be delivered",),
        "wait for it; after request_timeout_ms they raise KafkaTimeoutError, and the record is never sent",
        "take records until 32 MiB of the producer's wait, and only then do the same; futures tell what becomes of those taken",
        "To wait for each batch would cost time in every program; and with a smaller limit, which all partitions share, one that is stuck would soon hold up the others.",
    ),
    Reason(
        ("a delivery that fails after its future was thrown away",),
        "the event loop's exception handler hears of each record",
        "lines in the log, by partition, with the number of records; the handler hears where the future had failed before",
        "A thousand records that nobody waits for are not a thousand reports.",
    ),
    Reason(
        (
            "a broker that keeps answering CORRUPT_MESSAGE, NETWORK_EXCEPTION, THROTTLING_QUOTA_EXCEEDED or FENCED_LEADER_EPOCH to a batch",
        ),
        "fails it at once, the last two as UnknownError",
        "tries again as after any error that passes: for request_timeout_ms, and without end where the producer is idempotent",
        "Kafka says of these errors that they pass.",
    ),
    Reason(
        (
            "OUT_OF_ORDER_SEQUENCE_NUMBER, UNKNOWN_PRODUCER_ID or INVALID_PRODUCER_EPOCH to an idempotent producer without transactions",
        ),
        "fails the batch, and those after it",
        "sends the batch again with new numbers",
        "A broker that has forgotten the producer's numbers has not refused the records.",
    ),
    Reason(
        ("RecordMetadata.timestamp of a batch of send_batch()",),
        "-1, unless the broker's clock counts",
        "that of the first record",
        "It is what the broker stores.",
    ),
    Reason(
        ("send() to a partition, after send_batch() of a batch that was not closed",),
        "adds the record to that batch, whose `record_count()` counts it",
        "sends the batch as it was given, and the record after it",
        "A batch holds what the program has put into it.",
    ),
    Reason(
        ("start() of an idempotent producer that may not IDEMPOTENT_WRITE",),
        "ClusterAuthorizationFailedError",
        "starts; each record fails with that",
        "Its number is asked for with the first record, and rights may have come by then.",
    ),
    Reason(
        ("stop() in a transaction that is open, while what was sent cannot be delivered",),
        "never ends",
        "ends after at most twice request_timeout_ms",
        "It is what `stop()` is for.",
    ),
    Reason(
        ("position() with auto_offset_reset='none', where nothing is committed",),
        "waits for ever",
        "NoOffsetForPartitionError, as reads raise it",
        "Nobody waits for what cannot come.",
    ),
    Reason(
        ("subscribe() after unsubscribe(), with a listener",),
        "gives back again what was given up",
        "gives back nothing",
        "It has nothing.",
    ),
    Reason(
        ("start() of a producer, client or administrator that is stopped meanwhile, where no broker can be reached",),
        "KafkaConnectionError",
        "ends and says nothing, as where one can be reached, unless it has been found out by then",
        "Whoever has stopped a client does not ask whether it could have connected.",
    ),
    Reason(
        ("stop() of a consumer without group",),
        "raises CancelledError in rare cases",
        "ends",
        "Nobody has cancelled anything.",
    ),
    Reason(
        ("assign() and unsubscribe() with enable_auto_commit, after records were read",),
        "forgets how far it has read since the last commit",
        "commits it",
        "What was read is not read twice.",
    ),
    Reason(
        (
            "stop() with enable_auto_commit, while the coordinator moves, restarts, says that it is none or closes the connection",
        ),
        "never ends in some cases",
        "commits at the coordinator that comes, and ends",
        "It is what `stop()` is for.",
    ),
    Reason(
        ("stop() with enable_auto_commit, after commit() of an offset that is not the position",),
        "commits the position",
        "leaves what the program has committed, unless records were read since",
        "The program has said where to go on.",
    ),
    Reason(
        ("stop() and subscribe() with enable_auto_commit, after unsubscribe(), once a group has no other members",),
        "commits again where it had read to before unsubscribe(), also behind what others have committed since",
        "commits nothing: what was read was committed by unsubscribe()",
        "A group does not go back because somebody leaves.",
    ),
    Reason(
        ("getmany() and getone() with auto_offset_reset='none', while a partition without committed offset is paused",),
        "NoOffsetForPartitionError",
        "reads the other partitions; the error comes after resume()",
        "A partition that is paused is not read.",
    ),
    Reason(
        ("commit() after the member was put out of a group that has no other members, before the next read",),
        "commits",
        "CommitFailedError, as where there are others",
        "What the group would do with it is not known beforehand; records are read again, and the program hears of it.",
    ),
    Reason(
        ("commit() while the group is formed anew, which the coordinator refuses with REBALANCE_IN_PROGRESS",),
        "CommitFailedError at once",
        "commits as a member of the next generation; CommitFailedError where that takes longer than request_timeout_ms, or the partitions went to another member",
        "The partitions are still the program's, and nothing is read again.",
    ),
    Reason(
        ("commit() again, without offsets, after CommitFailedError",),
        "CommitFailedError until the group has taken the member in again, some seconds later",
        "CommitFailedError until something was read or sought, for session_timeout_ms at most",
        "The member is back at once: what it had read is not committed, and nothing else is there to commit.",
    ),
    Reason(
        ("assignment() and subscription() where there are none",),
        "an empty `set`",
        "an empty `frozenset`, as where there are some; they are equal",
        "One call returns one kind.",
    ),
    Reason(
        ("`args` of errors with which a broker has refused something",),
        "empty for many of them; `str()` is number and name",
        "the broker's code with its meaning, topic and partition, which `str()` has behind number and name",
        "A name alone does not tell what was refused. What a program reads in `args` (a group, a topic, a partition, offsets) is there as in the library.",
    ),
    Reason(
        ("StickyPartitionAssignor.assign()",),
        "a balanced assignment",
        "now and then another one, as balanced",
        "It is the assignor of the engine.",
    ),
    Reason(
        ("`aiokafka.util.parse_kafka_version()` of what is no version",),
        "`InvalidVersion` of packaging, which is a ValueError; takes versions with letters behind their numbers",
        "ValueError",
        "The face does not need packaging.",
    ),
    Reason(
        ("subscribe() with a generator",),
        "TypeError",
        "takes it",
        "It gives names.",
    ),
    Reason(
        ("a heartbeat that is refused with UNKNOWN_SERVER_ERROR and the like",),
        "reads raise KafkaError, every other one, or all of them once what was fetched before is read",
        "joins again, which commits what was read; one read raises the refusal (such as UnknownError), behind what was fetched before",
        "The member was not put out, and one answer is no reason to read no more. Nothing is read twice.",
    ),
    Reason(
        ("JoinGroup, SyncGroup or OffsetFetch, refused in the same way",),
        "reads raise KafkaError more than once; after OffsetFetch without end",
        "one read raises the refusal (such as UnknownError), and those after it what the next try brings",
        "The same.",
    ),
    Reason(
        ("lines in the log about connections, groups and records",),
        "by loggers below `aiokafka`",
        "most of them by loggers below `kafkars`, such as `kafkars.net` and `kafkars.group`",
        "They are lines of the engine, and say other things. Handlers and levels have to be set for both names.",
    ),
    Reason(
        ("GroupCoordinator.commit_offsets(), wrapped by tracing",),
        "is called by commit(), by stop(), and before each rebalance where commits are automatic",
        "is called by commit() and stop()",
        "The engine commits before a rebalance, and as the member of the generation that ends. Its wait for the program would be the group's.",
    ),
    Reason(
        ("seek_to_beginning() and seek_to_end(), where a broker refuses to tell the offset for good",),
        "False after request_timeout_ms",
        "raises the refusal at once",
        "No wait helps, and the program hears why.",
    ),
    Reason(
        ("partitions_for_topic() of other topics than those that subscribe(pattern=...) has found",),
        "knows all topics of the cluster while there is a pattern",
        "None, as without a pattern",
        "What nobody reads is not kept up to date; `topics()` lists all of them, and an administrator describes them.",
    ),
    Reason(
        ("assign() twice in a group, while the coordinator is being looked for",),
        "ends its task with AssertionError; position() and commit() raise KafkaError from then on",
        "takes the second assignment",
        "Nothing is wrong with the call.",
    ),
    Reason(
        ("subscribe() with a list of what is no text",),
        "takes it, and fails or waits for ever when it joins",
        "TypeError at once",
        "A name is text.",
    ),
    Reason(
        ("reads and questions after a start() that has not reached the cluster, or not found its topics",),
        "AttributeError",
        "IllegalStateError, as before start(), which can be called again",
        "A consumer that does not run says so by name.",
    ),
    Reason(
        ("end_offsets(), beginning_offsets() and offsets_for_times(), while a broker answers UNKNOWN_SERVER_ERROR",),
        "UnknownError at once",
        "asks again; KafkaTimeoutError, whose text has the answer, after request_timeout_ms",
        "A broker that fails once has not refused the question.",
    ),
]

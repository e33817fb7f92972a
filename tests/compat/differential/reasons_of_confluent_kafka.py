"""What stays different of confluent_kafka."""

from __future__ import annotations

from tests.compat.differential.reasons import Reason

CLOSED = ("closed", "closed twice", "left with an exception", "uninitialised")


def when_closed(*patterns: str) -> tuple[str, ...]:
    return tuple(f"[{state}] {pattern}" for state in CLOSED for pattern in patterns)


REASONS = [
    Reason(
        ("*AdminClient.describe_acls(*",),
        "an empty list where the brokers have no authorizer",
        "KafkaException with SECURITY_DISABLED, which is what the brokers say",
        "No rules and no access control are not the same: without one everybody may do everything.",
    ),
    Reason(
        (
            "*AdminClient.elect_leaders(unknown keyword)",
            "*AdminClient.elect_leaders(request_timeout=*",
            "*AdminClient.elect_leaders(operation_timeout=*",
        ),
        "SystemError with an option and without partitions",
        "the election, or what the option is refused with",
        "SystemError is a fault inside the library.",
    ),
    Reason(
        ("*Producer.close(*",),
        "takes any arguments and ignores them: waits until each message is delivered or message.timeout.ms is over",
        "a number, or timeout=, is a time limit: messages that are left then are given up without a report, and it "
        "returns True; TypeError for any other argument",
        "Who gives close() a time limit wants it kept: without one, or after a flush(), nothing is given up.",
    ),
    Reason(
        (
            "*Consumer.assignment(*",
            "*Consumer.commit(one argument too many)",
        ),
        "takes any arguments and ignores them",
        "TypeError",
        "An argument that does not exist is a mistake of the program.",
    ),
    Reason(
        ("*Consumer.subscribe(on_*=none)", "TopicPartition(*=none)", "Message(one argument*"),
        "TypeError for None",
        "None is the default, and may be given",
        "Wrappers pass their own defaults on.",
    ),
    Reason(
        ("*Producer.poll(right)", "*Producer.poll(timeout=zero)"),
        "a number that depends on how fast answers come",
        "the same, at another speed",
        "Both count what has happened by then.",
    ),
    Reason(
        (
            "*Producer.produce_batch(partition=*",
            "*Producer.produce(partition=*",
            "*Producer.produce_batch(topic=*",
            "*Producer.produce(topic=*",
        ),
        "refuses a topic or partition that does not exist in the call where it knows that by then, and in the report otherwise",
        "the same, and may know it earlier or later",
        "What is known depends on how fast the cluster has answered. A transaction is not committed either way.",
    ),
    Reason(
        ("*Producer.send_offsets_to_transaction(group_metadata=bytes)",),
        "KafkaException with _BAD_MSG",
        "TypeError",
        "Bytes that are no group metadata are a wrong argument, and no broker is asked.",
    ),
    Reason(
        ("*Producer.send_offsets_to_transaction(offsets=*",),
        "asks the coordinator, which refuses partitions that do not exist; with one named twice the last wins",
        "refuses names and numbers that cannot be before anything is asked; otherwise it waits for topics that may be about to come",
        "A transaction is not lost for a mistake that can be seen before.",
    ),
    Reason(
        ("*Producer.produce(timestamp=negative)",),
        "sends the record without timestamp",
        "KafkaException with _INVALID_ARG",
        "The engine refuses times before 1970, which readers would take for none.",
    ),
    Reason(
        ("*Producer.produce_batch(messages=partition)",),
        "ignores `partition` of a message, and sends to any",
        "sends to the partition that the message names, or refuses it",
        "The method's own documentation says that a message may name its partition.",
    ),
    Reason(
        ("*Consumer.commit(right)",),
        "has nothing left to commit where commit() was called just before without waiting, or has, by chance",
        "the same, by another chance: what the other call has not committed yet is committed again",
        "A commit that waits must not trust one that may still fail.",
    ),
    Reason(
        (
            "[fatal] Consumer.subscribe(topics=bad pattern)",
            "[fatal] Consumer.commit(message=without offset)",
        ),
        "names the wrong argument, or _FATAL",
        "the other of the two",
        "Both fail at once; the order of checks differs.",
    ),
    Reason(
        ("*(partition=empty topic)", "*(partitions=empty topic)"),
        "waits until the time limit is over",
        "KafkaException with _UNKNOWN_PARTITION at once",
        "There is no topic without a name.",
    ),
    Reason(
        ("*AdminClient.delete_records(topic_partition_offsets=unknown * beside another)",),
        "UNKNOWN_TOPIC_OR_PART or _UNKNOWN_PARTITION, but _NOENT where nothing else is named",
        "_NOENT",
        "The same mistake has the same code.",
    ),
    Reason(
        ("*Consumer.offsets_for_times(partitions=beginning)", "*Consumer.offsets_for_times(partitions=end)"),
        "names a leader epoch with the ends of partitions",
        "names none with them",
        "The engine's answers for the ends of partitions have no epoch.",
    ),
    Reason(
        (
            "*Consumer.offsets_for_times(partitions=invalid offset)",
            "*Consumer.offsets_for_times(partitions=stored offset)",
            "*Consumer.offsets_for_times(partitions=tail)",
            "*Consumer.offsets_for_times(partitions=strange offset)",
        ),
        "passes on numbers below 0 that are no times: older brokers tell the oldest offset, Kafka 4 answers UNSUPPORTED_VERSION",
        "the oldest offset, by all brokers",
        "What a program gets must not depend on the version of the broker.",
    ),
    Reason(
        ("*Consumer.seek(partition=strange offset)",),
        "goes nowhere and says nothing",
        "KafkaException with _INVALID_ARG",
        "-7 is no offset.",
    ),
    Reason(
        ("*Consumer.incremental_unassign(partitions=twice)",),
        "ends the process",
        "takes it once",
        "An assertion of librdkafka fails.",
    ),
    Reason(
        ("*Consumer.incremental_assign(partitions=twice)", "*Consumer.incremental_assign(partitions=strange offset)"),
        "_CONFLICT or _STATE",
        "_INVALID_ARG",
        "Two things are wrong, and the other one is found first.",
    ),
    Reason(
        ("[subscribed] Consumer.assign(*", "[fatal] Consumer.assign(*", "[fatal] Consumer.incremental_*"),
        "lets a member of a group read partitions that its group did not give it",
        "KafkaException with _INVALID_ARG: unsubscribe() first, or use another consumer",
        "Two members would read the same partition.",
    ),
    Reason(
        ("*Consumer.get_watermark_offsets(cached=right)",),
        "remembers what it knew before",
        "OFFSET_INVALID before the first fetch of an assigned partition",
        "What is cached belongs to the assignment.",
    ),
    Reason(
        (
            "*AdminClient.create_topics(new_topics=text)",
            "*AdminClient.create_topics(new_topics=number)",
            "*AdminClient.create_partitions(new_partitions=text)",
            "*AdminClient.create_partitions(new_partitions=number)",
        ),
        "AttributeError for what is no NewTopic or NewPartitions",
        "TypeError",
        "It is an accident of the implementation.",
    ),
    Reason(
        (
            "*AdminClient.*=number)",
            "*AdminClient.describe_configs(resources=twice)",
            "*AdminClient.incremental_alter_configs(resources=text)",
        ),
        "another class of exception, in the call or in the future (`_BAD_MSG` for a resource that is named twice)",
        "TypeError or ValueError in the call",
        "What is wrong with a list is seen before anything is asked.",
    ),
    Reason(
        ("*AdminClient.incremental_alter_configs(resources=other_operation)",),
        "the member of another enum that has an operation's number is that operation",
        "TypeError",
        "A ResourceType is no operation.",
    ),
    Reason(
        ("*AdminClient.list_offsets(*",),
        "writes the asked offset into the keys of the program's dict",
        "leaves the program's objects alone",
        "Keys of a dict are not a place for results.",
    ),
    Reason(
        ("*AdminClient.delete_records(topic_partition_offsets=empty topic)",),
        "never completes the future",
        "ValueError",
        "There is no topic without a name.",
    ),
    Reason(
        when_closed("AdminClient.*"),
        "RuntimeError before ranges, changes and empty lists are looked at",
        "ValueError, TypeError or an empty answer first",
        "Both fail at once; the order of checks differs.",
    ),
    Reason(
        ("admin.ConfigResource(*",),
        "AttributeError",
        "ValueError",
        "The class's own documentation promises ValueError.",
    ),
    Reason(
        (
            "[fatal] Producer.init_transactions(right)",
            "[fatal] Producer.begin_transaction(nothing)",
            "[fatal] Producer.send_offsets_to_transaction(right)",
        ),
        "_CONFLICT, and retriable, after another call was cut short by its time limit",
        "_FENCED, and fatal",
        "What has met the fence ends at once, so that nothing is left to be resumed.",
    ),
    Reason(
        ("*(on_*=takes nothing)",),
        "SystemError for a callback that cannot take what it is called with",
        "TypeError",
        "SystemError is a fault inside the library.",
    ),
    Reason(
        ("*KafkaError.str(nothing)", "*KafkaError.__str__(nothing)", "*KafkaError.__repr__(nothing)"),
        "librdkafka's text of the code, where the error has none of its own",
        "its own text, which says what to do",
        "The code is what programs look at.",
    ),
    Reason(
        ("*KafkaError*.__*",),
        "SystemError where an error is compared with what is neither an error nor a code",
        "not equal, and TypeError for the order of the two",
        "SystemError is a fault inside the library.",
    ),
    Reason(
        ("*TopicPartition.__*",),
        "NotImplementedError where it is compared with anything else",
        "not equal, and TypeError for the order of the two",
        "It is how Python's own objects compare.",
    ),
    Reason(
        ("*TopicPartition.sets partition(value=huge)",),
        "takes the lower 32 bits of a number",
        "OverflowError",
        "It would be another partition.",
    ),
    Reason(
        ("*.copied*", "*.pickled(nothing)"),
        "TypeError",
        "copies it",
        "What is a value can go to another process.",
    ),
    Reason(
        ("*Uuid.__*",),
        "an id is equal to itself only, though its hash is that of its number",
        "equal to another one of the same number",
        "What has the same hash in a set is the same id.",
    ),
]

"""What stays different of aiokafka."""

from __future__ import annotations

from tests.compat.differential.reasons import Reason

CLOSED = ("closed", "closed twice", "left with an exception")


def when_closed(*patterns: str) -> tuple[str, ...]:
    return tuple(f"[{state}] {pattern}" for state in CLOSED for pattern in patterns)


REASONS = [
    Reason(
        when_closed("AIOKafkaProducer.*"),
        "waits for ever for metadata of a topic",
        "ProducerClosed at once",
        "ProducerClosed is what the library documents; nobody waits for what cannot come.",
    ),
    Reason(
        when_closed("AIOKafkaConsumer.*"),
        "waits for ever, or fails with AssertionError, IllegalStateError or AttributeError of what it no longer has",
        "ConsumerStoppedError at once",
        "ConsumerStoppedError is what the library documents for reads.",
    ),
    Reason(
        ("[closed after reading] AIOKafkaConsumer.*",),
        "connects again to ask and to commit; `seek()`, `pause()` and `resume()` change what nobody reads any more",
        "ConsumerStoppedError; `assignment()`, `paused()`, `position()`, `highwater()`, `last_stable_offset()` and `last_poll_timestamp()` tell where it stood",
        "What is closed stays closed; reports of how far a consumer has read are made after it was stopped.",
    ),
    Reason(
        ("[closed] AIOKafkaAdminClient.*", "[closed twice] AIOKafkaAdminClient.*"),
        "connects again",
        "NodeNotReadyError at once",
        "What is closed stays closed; the connections that the library makes again are never closed.",
    ),
    Reason(
        ("[closed] AIOKafkaClient.*", "[closed twice] AIOKafkaClient.*", "[fresh] AIOKafkaClient.*"),
        "waits for ever, or connects again",
        "IllegalStateError at once",
        "A client without connection says so.",
    ),
    Reason(
        ("[uninitialised] AIOKafka*",),
        "AttributeError of what is not there, mostly before arguments are looked at; a few calls do nothing",
        "AttributeError or IllegalStateError, in some calls after arguments were looked at",
        "A subclass forgot `super().__init__()`: all that counts is that it is an error.",
    ),
    Reason(
        ("[fresh] AIOKafkaProducer.*",),
        "waits for ever for metadata of a topic",
        "IllegalStateError at once",
        "Somebody forgot `await producer.start()`, and hears of it.",
    ),
    Reason(
        ("[fresh] AIOKafkaConsumer.*", "[assigned only] AIOKafkaConsumer.*"),
        "AttributeError or AssertionError of what is not there yet",
        "IllegalStateError",
        "Somebody forgot `await consumer.start()`, and hears of it by name.",
    ),
    Reason(
        ("[fresh] AIOKafkaAdminClient.*",),
        "waits for ever, or finds mistakes in the arguments first",
        "NodeNotReadyError at once",
        "Somebody forgot `await admin.start()`, and hears of it.",
    ),
    Reason(
        ("[fatal] AIOKafkaProducer.*",),
        "IllegalOperation or AssertionError about the order of calls",
        "ProducerFenced; where nothing is asked, the mistake in the argument",
        "It is why no order of calls helps any more.",
    ),
    Reason(
        ("[transactional] AIOKafkaProducer.send*",),
        "IllegalOperation before arguments are looked at; a topic that does not exist is waited for first",
        "TypeError and the like first; IllegalOperation without asking anybody",
        "Both fail; the order of checks differs.",
    ),
    Reason(
        ("[started] AIOKafkaConsumer.get*",),
        "waits for ever, also with a time limit",
        "nothing, after the time limit",
        "A time limit is one.",
    ),
    Reason(
        (
            "*AIOKafkaProducer.*(topic=none)",
            "*AIOKafkaProducer.*(topic=number)",
            "*AIOKafkaProducer.*(topic=bytes)",
            "*AIOKafkaProducer.*(topic=list)",
        ),
        "UnknownTopicOrPartitionError after `request_timeout_ms`, and the producer cannot ask for metadata any more",
        "TypeError at once",
        "A name is text.",
    ),
    Reason(
        (
            "*AIOKafkaProducer.*(topic=empty)",
            "*AIOKafkaProducer.*(topic=bad name)",
            "*AIOKafkaProducer.*(topic=long)",
        ),
        "UnknownTopicOrPartitionError after `request_timeout_ms`",
        "InvalidTopicError at once",
        "No topic can have that name, so nobody waits for it.",
    ),
    Reason(
        ("*AIOKafkaProducer.*(partition=huge)",),
        "AssertionError",
        "OverflowError",
        "A partition is a number of 32 bits.",
    ),
    Reason(
        ("*AIOKafkaProducer.*(partition=number)",),
        "KafkaError; the producer has failed for good",
        "TypeError",
        "A partition is a whole number, and a mistake in one call does not end the producer.",
    ),
    Reason(
        ("*AIOKafkaProducer.*(timestamp_ms=negative)", "*BatchBuilder.append(timestamp=negative)"),
        "sends the record, which readers take for one without timestamp",
        "InvalidTimestampError",
        "Times before 1970 are refused.",
    ),
    Reason(
        ("*AIOKafkaProducer.*(timestamp_ms=huge)", "*BatchBuilder.append(timestamp=huge)"),
        "OverflowError",
        "InvalidTimestampError",
        "The same for times that no broker takes.",
    ),
    Reason(
        ("*BatchBuilder.append(timestamp=fraction)",),
        "cuts the fraction",
        "TypeError",
        "Timestamps of batches are whole milliseconds.",
    ),
    Reason(
        ("*AIOKafkaProducer.*(headers=array)", "*BatchBuilder.append(headers=array)"),
        "TypeError",
        "takes any object that shows its memory",
        "So do both where it is a key or a value.",
    ),
    Reason(
        ("*AIOKafkaProducer.send_batch(batch=*",),
        "KafkaError of the future, and the producer has failed for good; an empty batch has no result",
        "AttributeError for what is no batch, ValueError for an empty one",
        "A mistake in one call does not end the producer.",
    ),
    Reason(
        ("*AIOKafkaProducer.send_offsets_to_transaction(offsets=*",),
        "passes numbers that are no offsets to the broker; waits for ever for partitions that do not exist",
        "ValueError or TypeError at once; UnknownTopicOrPartitionError after request_timeout_ms",
        "A transaction is not lost for a mistake that can be seen before.",
    ),
    Reason(
        ("*AIOKafkaConsumer.subscribe(topics=number)",),
        "takes anything for a name, and never reads it",
        "TypeError",
        "A name is text.",
    ),
    Reason(
        (
            "*AIOKafkaConsumer.assign(partitions=with negative)",
            "*AIOKafkaConsumer.assign(partitions=with no number)",
            "*AIOKafkaConsumer.assign(partitions=with no topic)",
            "*AIOKafkaConsumer.assign(partitions=with empty topic)",
            "*AIOKafkaConsumer.get*(partition=no number)",
            "*AIOKafkaConsumer.get*(partition=no topic)",
            "*AIOKafkaConsumer.get*(partitions=with no number)",
            "*AIOKafkaConsumer.get*(partitions=with no topic)",
        ),
        "takes anything, and never reads it",
        "ValueError, TypeError or InvalidTopicError",
        "There is no such partition, and there can be none.",
    ),
    Reason(
        ("*AIOKafkaConsumer.seek(offset=huge)",),
        "takes it",
        "ValueError",
        "An offset is a number of 64 bits.",
    ),
    Reason(
        (
            "*AIOKafkaConsumer.committed(partition=*",
            "*AIOKafkaConsumer.beginning_offsets(partitions=*",
            "*AIOKafkaConsumer.end_offsets(partitions=*",
        ),
        "AttributeError for what is no TopicPartition; asks for names and numbers that no partition can have",
        "TypeError, ValueError or InvalidTopicError at once; a plain tuple of topic and number is taken",
        "What is wrong with an argument is said of the argument.",
    ),
    Reason(
        ("*AIOKafkaConsumer.offsets_for_times(timestamps=wrong key)",),
        "AttributeError",
        "TypeError",
        "The same.",
    ),
    Reason(
        ("*AIOKafkaConsumer.commit(offsets=text in pair)",),
        "ValueError",
        "TypeError",
        "The same.",
    ),
    Reason(
        ("*AIOKafkaConsumer.commit(offsets=negative)",),
        "commits it",
        "ValueError",
        "Whoever reads on from there finds no position.",
    ),
    Reason(
        ("*AIOKafkaConsumer.getmany(timeout_ms=none)",),
        "TypeError",
        "does not wait",
        "None is no time limit of its own anywhere else either.",
    ),
    Reason(
        ("*AIOKafkaAdminClient.*(timeout_ms=text)", "*AIOKafkaAdminClient.describe_configs(include_synonyms=none)"),
        "ValueError or AttributeError",
        "TypeError",
        "What is wrong with an argument is said of the argument.",
    ),
    Reason(
        (
            "*AIOKafkaAdminClient.create_topics(new_topics=no_name)",
            "*AIOKafkaAdminClient.delete_topics(topics=*",
            "*AIOKafkaAdminClient.describe_consumer_groups(group_ids=text)",
            "*AIOKafkaAdminClient.describe_consumer_groups(group_ids=numbers)",
            "*AIOKafkaAdminClient.describe_consumer_groups(group_ids=one)",
            "*AIOKafkaAdminClient.find_coordinator(group_id=*",
            "*AIOKafkaAdminClient.list_consumer_group_offsets(group_id=n*",
            "*AIOKafkaAdminClient.list_consumer_group_offsets(partitions=*",
        ),
        "takes each letter of a text for a name; sends `str()` of what is no text; closes the connection over None",
        "TypeError",
        "`delete_topics('topic')` is a mistake, and must not delete the topics t, o, p, i and c.",
    ),
    Reason(
        ("[working] AIOKafkaAdminClient.*configs*_as_none)",),
        "a name of None closes the connection: KafkaConnectionError",
        "TypeError",
        "Resources and settings have names.",
    ),
    Reason(
        ("[working] AIOKafkaAdminClient.describe_consumer_groups(group_ids=several)",),
        "reads an answer of Kafka 2.3 or newer as one of version 2: behind the first group of a coordinator it finds "
        "no others, or a group of wrong fields, or KafkaConnectionError",
        "one response for each coordinator, with all of its groups",
        "Every group is there, as with older brokers. A group of KIP-848, which the library hears of as dead, is "
        "described too.",
    ),
    Reason(
        ("*AIOKafkaAdminClient.describe_configs(config_resources=all_by_*",),
        "lists the settings in the order of the broker",
        "by their names",
        "Kafka 4 has no order that means anything.",
    ),
    Reason(
        ("*AIOKafkaAdminClient.describe_consumer_groups(group_ids=nameless)",),
        "describes a group without a name as dead, as real brokers do where a request is as old as the library's",
        "InvalidGroupIdError of the broker",
        "No group has that name.",
    ),
    Reason(
        ("*AIOKafkaAdminClient.list_consumer_group_offsets(group_id=empty)",),
        "has committed nothing",
        "InvalidGroupIdError",
        "No group has that name.",
    ),
    Reason(
        (
            "*AIOKafkaAdminClient.describe_consumer_groups(group_coordinator_id=*",
            "*AIOKafkaAdminClient.list_consumer_group_offsets(group_coordinator_id=*",
        ),
        "asks that broker, which may not be the coordinator",
        "finds the coordinator",
        "Coordinators move.",
    ),
    Reason(
        ("*AIOKafkaAdminClient.delete_records(records_to_delete=*",),
        "NotLeaderForPartitionError for a partition that does not exist",
        "UnknownTopicOrPartitionError",
        "It is what the cluster says.",
    ),
    Reason(
        ("[fresh] TransactionContext.__aexit__(kind=error)", "[closed] TransactionContext.__aexit__(kind=error)"),
        "AssertionError in place of what the block raised, where the block has ended its transaction itself",
        "what the block raised",
        "What went wrong in the block is what counts.",
    ),
    Reason(
        ("[working] AIOKafkaAdminClient.*(timeout_ms=negative)",),
        "passes it on: real brokers do the work and answer REQUEST_TIMED_OUT",
        "waits for the answer",
        "What was done is not told as a failure.",
    ),
]

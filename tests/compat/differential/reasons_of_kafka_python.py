"""What stays different of kafka-python."""

from __future__ import annotations

from tests.compat.differential.reasons import Reason

REASONS = [
    Reason(
        ("*KafkaAdminClient.perform_leader_election(topic_partitions=none)",),
        "elects leaders of those topics that it happens to know, often of none",
        "elects leaders of all topics, as its documentation says",
        "Whoever names no topics means all of them.",
    ),
    Reason(
        ("*KafkaAdminClient.describe_log_dirs(*",),
        "IncompatibleBrokerVersion on brokers since Kafka 4.0, which do not know its version of the request",
        "the same answer from newer versions",
        "What the call is for is there still.",
    ),
    Reason(
        ("*Kafka*.bootstrap_connected(*",),
        "True only while the first connection is in use, which ends with the first metadata",
        "True while a connection to a broker is open",
        "Programs ask whether the client is connected.",
    ),
    Reason(
        ("KafkaAdminClient(api_version=odd)",),
        "TypeError for text",
        "takes text, as the other clients do",
        "It is an accident of the original.",
    ),
    Reason(
        ("Kafka*(request_timeout_ms=odd)", "KafkaAdminClient(connections_max_idle_ms=odd)"),
        "no broker is found in no time, or its connection is closed at once",
        "KafkaConfigurationError; an idle time of a millisecond is taken",
        "No request is answered in no time.",
    ),
    Reason(
        (
            "KafkaConsumer(fetch_max_bytes=odd)",
            "KafkaConsumer(max_partition_fetch_bytes=odd)",
            "KafkaConsumer(group_id=odd)",
        ),
        "takes 0 bytes, and a group without a name",
        "KafkaConfigurationError",
        "Nothing can be read in 0 bytes; Kafka refuses a group without a name.",
    ),
    Reason(
        (
            "KafkaProducer(acks=odd)",
            "KafkaProducer(linger_ms=odd)",
            "KafkaProducer(max_in_flight_requests_per_connection=odd)",
            "KafkaProducer(max_request_size=odd)",
        ),
        "takes acks=2, a negative time, no request in flight, a request of no bytes",
        "KafkaConfigurationError",
        "Nothing can be sent so, and Kafka refuses acks=2.",
    ),
    Reason(
        ("*.assign(partitions=*", "*.beginning_offsets(partitions=*", "*.end_offsets(partitions=*"),
        "AttributeError for what is no TopicPartition, a tuple too",
        "TypeError; a tuple of topic and number is taken",
        "The first is an accident of the implementation.",
    ),
    Reason(
        ("*KafkaConsumer.position(timeout_ms=negative)", "*KafkaConsumer.seek(offset=huge)"),
        "takes a negative time, and an offset that no log can have",
        "ValueError",
        "Both are mistakes of the program.",
    ),
    Reason(
        ("*KafkaConsumer.commit(timeout_ms=text)", "*KafkaProducer.flush(timeout=*"),
        "ignores a time that is no number where it need not wait",
        "TypeError",
        "It would raise where it has to wait.",
    ),
    Reason(
        (
            "*KafkaConsumer.commit*(offsets=negative)",
            "*KafkaProducer.send_offsets_to_transaction(offsets=negative)",
            "*KafkaConsumer.committed(partition=negative)",
        ),
        "asks the broker about negative offsets and partitions",
        "ValueError",
        "Neither exists.",
    ),
    Reason(
        ("*KafkaConsumer.committed(partition=text partition)",),
        "ValueError",
        "TypeError",
        "The number of a partition is no text; both fail at once.",
    ),
    Reason(
        ("*KafkaConsumer.commit_async(offsets=*",),
        "takes what is no mapping of offsets where it has nothing to send, and refuses it later",
        "refuses it at once",
        "It is a mistake of the program.",
    ),
    Reason(
        ("*KafkaConsumer.highwater(*",),
        "None until a fetch has brought records",
        "the end of the log that any fetch told of",
        "It is known by then.",
    ),
    Reason(
        ("*KafkaProducer.partitions_for(*",),
        "waits for the topic until max_block_ms is over",
        "InvalidTopicError or TypeError at once; AssertionError once it is closed",
        "There is no topic of such a name.",
    ),
    Reason(
        ("*KafkaProducer.send(timestamp_ms=negative)",),
        "sends the record without timestamp",
        "a future with InvalidTimestampError",
        "Readers would take times before 1970 for none.",
    ),
    Reason(
        ("[in a transaction] KafkaProducer.send*(*", "[in a transaction] KafkaProducer.commit_transaction(*"),
        "commits a transaction though a record of it was refused",
        "later calls of the transaction raise the record's error: abort_transaction() and try again",
        "A transaction that misses a record is not committed.",
    ),
    Reason(
        ("[fatal] KafkaProducer.*",),
        "KafkaError in the call",
        "ProducerFencedError, in the call or in the future",
        "The error names the cause.",
    ),
    Reason(
        ("*KafkaAdminClient.alter_configs(config_resources=text broker)",),
        "AttributeError",
        "ValueError",
        "A broker's name is its number; describe_configs() of the original says so, too.",
    ),
    Reason(
        ("structs.OffsetAndMetadata(nothing)",),
        "TypeError",
        "defaults, as kafka-python 3 has them",
        "One class serves programs of both.",
    ),
]

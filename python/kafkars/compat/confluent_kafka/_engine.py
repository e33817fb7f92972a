"""Translation of librdkafka's properties to kafkars' settings, and the combinations that librdkafka refuses."""

from __future__ import annotations

from typing import Any

from kafkars.compat.confluent_kafka._values import Values

LONGEST_MS = 2**31 - 1
"""Milliseconds, 24 days, that stand for no limit, for which librdkafka has 0 or -1."""

LARGEST_BATCH = 1 << 30
"""The largest batch: sizes in the protocol are int32, and half of their range is kept for what surrounds a batch."""

LONGEST_STICKY_MS = 900_000
"""The largest value of `sticky.partitioning.linger.ms`, in milliseconds."""

LARGEST_WAITED_FOR = 100_000_000
"""The largest number of bytes that a fetch may wait for."""

KEYS = {"murmur2": "murmur2_consistent"}
"""Partitioners that kafkars has under another name: its own `murmur2` keeps keyless records together."""


def producer(values: Values) -> dict[str, Any]:
    """Returns settings of `kafkars.Producer`."""
    idempotent = idempotence(values)
    largest = values["message.max.bytes"]
    delivery, linger = times(values)
    # How long the client waits. How long a broker may is `request.timeout.ms`, and no reason to give it up.
    request = min(values["socket.timeout.ms"], max(delivery - linger, 1))
    sticky = "sticky.partitioning.linger.ms"
    in_flight = "max.in.flight.requests.per.connection"
    codec = values["compression.codec"]
    return {
        **client(values),
        "allow_auto_create_topics": creates(values),
        "request_timeout_ms": request,
        "acks": acks(values),
        "acks_timeout_ms": values["request.timeout.ms"],
        "linger_ms": linger,
        "batch_size": min(values["batch.size"], largest, LARGEST_BATCH),
        "buffer_memory": max(values["queue.buffering.max.kbytes"] * 1024, largest),
        "max_block_ms": min(values["topic.metadata.propagation.max.ms"], delivery),
        "max_request_size": largest,
        "delivery_timeout_ms": delivery,
        "retries": values["message.send.max.retries"],
        "max_in_flight_requests_per_connection": values[in_flight] if values.has(in_flight) else 5,
        "compression_type": codec,
        "compression_level": level(codec, values["compression.level"]),
        "enable_idempotence": idempotent,
        "transactional_id": values["transactional.id"],
        "transaction_timeout_ms": values["transaction.timeout.ms"],
        "partitioner": KEYS.get(values["partitioner"], values["partitioner"]),
        "sticky_partitioning_linger_ms": values[sticky] if values.has(sticky) else min(2 * linger, LONGEST_STICKY_MS),
    }


def consumer(values: Values) -> dict[str, Any]:
    """Returns settings of `kafkars.Consumer`."""
    if not values["group.id"]:
        raise ValueError("failed to create consumer: group.id must be set")
    fetch = fetch_sizes(values)
    automatic = values["enable.auto.commit"] and values["enable.auto.offset.store"]
    return {
        **client(values),
        **fetch,
        **membership(values),
        "allow_auto_create_topics": values["allow.auto.create.topics"],
        "request_timeout_ms": max(values["socket.timeout.ms"], 1),
        "group_id": values["group.id"],
        "group_instance_id": values["group.instance.id"],
        "max_poll_interval_ms": values["max.poll.interval.ms"],
        "enable_auto_commit": automatic,
        "auto_commit_interval_ms": values["auto.commit.interval.ms"] or LONGEST_MS,
        "auto_offset_reset": RESETS[values["auto.offset.reset"]],
        "isolation_level": values["isolation.level"],
        "client_rack": values["client.rack"] or "",
    }


def admin(values: Values) -> dict[str, Any]:
    """Returns settings of `kafkars.Admin`. librdkafka makes it of a producer, so a producer's contradictions count."""
    idempotence(values)
    times(values)
    return {
        **client(values),
        "allow_auto_create_topics": creates(values),
        "request_timeout_ms": values["socket.timeout.ms"],
    }


def creates(values: Values) -> bool:
    """Returns whether a producer, or an administrator, which is one in librdkafka, lets brokers create topics: the
    default of the property is that of consumers.
    """
    name = "allow.auto.create.topics"
    return bool(values[name]) if values.has(name) else True


def client(values: Values) -> dict[str, Any]:
    """Returns settings that every client has."""
    if values["reconnect.backoff.max.ms"] < values["reconnect.backoff.ms"]:
        raise values.contradiction("reconnect.backoff.max.ms must be at least reconnect.backoff.ms")
    if values["group.protocol"] != "consumer":
        assignors(values)
    longest_retry = values["retry.backoff.max.ms"]
    return {
        "bootstrap_servers": servers(values["metadata.broker.list"]),
        "client_id": values["client.id"] or "",
        "socket_connection_setup_timeout_ms": values["socket.connection.setup.timeout.ms"],
        "reconnect_backoff_ms": values["reconnect.backoff.ms"],
        "reconnect_backoff_max_ms": values["reconnect.backoff.max.ms"],
        "retry_backoff_ms": min(values["retry.backoff.ms"], longest_retry),
        "retry_backoff_max_ms": longest_retry,
        "metadata_max_age_ms": metadata_age(values),
        # For messages this limit is `max_block_ms`; other calls wait for a topic until their own time limit.
        "topic_metadata_propagation_max_ms": LONGEST_MS,
        "connections_max_idle_ms": values["connections.max.idle.ms"] or LONGEST_MS,
        "receive_message_max_bytes": max(values["receive.message.max.bytes"], 1024),
        "send_buffer_bytes": values["socket.send.buffer.bytes"] or None,
        "receive_buffer_bytes": values["socket.receive.buffer.bytes"] or None,
    }


def servers(text: str | None) -> list[str]:
    """Returns addresses for kafkars: without a protocol, and with Kafka's default port if there is none."""
    found = [each.strip().rpartition("://")[2] for each in (text or "").split(",") if each.strip()]
    return [each if has_port(each) else f"{each}:9092" for each in found]


def has_port(address: str) -> bool:
    return ":" in address.rpartition("]")[2]


def metadata_age(values: Values) -> int:
    refresh = values["topic.metadata.refresh.interval.ms"]
    oldest: int = values["metadata.max.age.ms"]
    return min(refresh, oldest) if refresh > 0 else oldest


def idempotence(values: Values) -> bool:
    """Returns whether idempotence is on, and raises an error for settings that it forbids."""
    idempotent: bool = values["enable.idempotence"]
    if values["transactional.id"]:
        if values.has("enable.idempotence") and not idempotent:
            raise values.contradiction("transactional.id needs enable.idempotence=true")
        idempotent = True
    if idempotent:
        if values["request.required.acks"] != -1:
            raise values.contradiction("acks must be all with enable.idempotence=true")
        in_flight = "max.in.flight.requests.per.connection"
        if values.has(in_flight) and values[in_flight] > 5:  # noqa: PLR2004  the broker remembers five batches
            raise values.contradiction("max.in.flight must be at most 5 with enable.idempotence=true")
        if values["message.send.max.retries"] == 0:
            raise values.contradiction("retries must be at least 1 with enable.idempotence=true")
    elif values["enable.gapless.guarantee"]:
        raise values.contradiction("enable.gapless.guarantee needs enable.idempotence=true")
    return idempotent


def times(values: Values) -> tuple[float, float]:
    """Returns the delivery time-out and the linger time of messages in milliseconds. Values that were set must fit each
    other; a default is adapted.
    """
    delivery: float = values["message.timeout.ms"] or LONGEST_MS
    linger: float = values["queue.buffering.max.ms"]
    if values["transactional.id"]:
        transaction = values["transaction.timeout.ms"]
        if values.has("message.timeout.ms") and delivery > transaction:
            raise values.contradiction("message.timeout.ms must be at most transaction.timeout.ms")
        delivery = min(delivery, transaction)
    if delivery <= linger:
        if values.has("message.timeout.ms") and values.has("queue.buffering.max.ms"):
            raise values.contradiction("message.timeout.ms must be above linger.ms")
        if not values.has("queue.buffering.max.ms"):
            linger = delivery / 2
        else:
            delivery = linger + 1
    # kafkars requires time for one attempt after the linger time.
    return delivery, min(linger, max(delivery - 1, 0))


def acks(values: Values) -> int:
    required: int = values["request.required.acks"]
    if required > 1:
        raise values.contradiction(f"acks is {required}; brokers know all (-1), 1 and 0 since 0.9")
    return required


LEVELS = {"gzip": (1, 9), "lz4": (1, 17), "zstd": (1, 22)}


def level(codec: str, wanted: int) -> int | None:
    """Returns the codec's level nearest to the wanted one; -1 is the codec's default."""
    if wanted < 0 or codec not in LEVELS:
        return None
    lowest, highest = LEVELS[codec]
    return min(max(wanted, lowest), highest)


RESETS = {
    **dict.fromkeys(("smallest", "earliest", "beginning"), "earliest"),
    **dict.fromkeys(("largest", "latest", "end"), "latest"),
    "error": "none",
}


def fetch_sizes(values: Values) -> dict[str, Any]:
    """Returns the settings of how much is fetched at once and ahead."""
    message, most = values["message.max.bytes"], values["fetch.max.bytes"]
    if values.has("fetch.max.bytes") and most < message:
        raise values.contradiction(f"fetch.max.bytes must be at least message.max.bytes ({message})")
    if not values.has("fetch.max.bytes"):
        most = max(min(most, values["queued.max.messages.kbytes"] * 1024), message)
    receive = values["receive.message.max.bytes"]
    if values.has("receive.message.max.bytes") and receive < most + 512:
        raise values.contradiction(f"receive.message.max.bytes must be at least fetch.max.bytes ({most}) + 512")
    # For consumers the range is narrower than the property's own.
    if not 1 <= values["fetch.min.bytes"] <= LARGEST_WAITED_FOR:
        raise values.contradiction(f"fetch.min.bytes must be between 1 and {LARGEST_WAITED_FOR}")
    return {
        "fetch_min_bytes": min(values["fetch.min.bytes"], most),
        "fetch_max_wait_ms": values["fetch.wait.max.ms"],
        "fetch_max_bytes": most,
        "max_partition_fetch_bytes": values["fetch.message.max.bytes"],
        "fetch_buffer_bytes": values["queued.max.messages.kbytes"] * 1024,
        "receive_message_max_bytes": max(receive, most + 512),
    }


ASSIGNORS = ("range", "roundrobin", "cooperative-sticky")
COORDINATOR_DECIDES = (
    "session.timeout.ms",
    "heartbeat.interval.ms",
    "partition.assignment.strategy",
    "group.protocol.type",
)


def membership(values: Values) -> dict[str, Any]:
    """Returns the settings of the group membership."""
    if values["group.protocol"] == "consumer":
        for name in COORDINATOR_DECIDES:
            if values.has(name):
                raise values.contradiction(f"{name} cannot be set with group.protocol=consumer: the broker decides")
        return {"group_protocol": "consumer", "group_remote_assignor": values["group.remote.assignor"]}
    if values["max.poll.interval.ms"] < values["session.timeout.ms"]:
        raise values.contradiction("max.poll.interval.ms must be at least session.timeout.ms")
    return {
        "group_protocol": "classic",
        "partition_assignment_strategy": assignors(values),
        **session(values),
    }


def session(values: Values) -> dict[str, Any]:
    """Returns the session time-out and the heartbeat interval.

    librdkafka does not compare the two: an interval that would end the session is shortened.
    """
    longest: int = max(values["session.timeout.ms"], 2)
    pause: float = values["heartbeat.interval.ms"]
    if pause >= longest:
        pause = max(longest / 3, 1)
    return {"session_timeout_ms": longest, "heartbeat_interval_ms": pause}


def assignors(values: Values) -> list[str]:
    """Returns the assignors, preferred first; all are eager or all cooperative, because a group cannot change that."""
    text = values["partition.assignment.strategy"] or "range,roundrobin"
    found = [each.strip() for each in text.split(",") if each.strip()]
    for each in found:
        if each not in ASSIGNORS:
            known = ", ".join(ASSIGNORS)
            raise values.contradiction(f"partition.assignment.strategy names one that is none of {known}")
    if "cooperative-sticky" in found and len(set(found)) > 1:
        raise values.contradiction("partition.assignment.strategy: cooperative-sticky cannot be mixed with others")
    return list(dict.fromkeys(found))

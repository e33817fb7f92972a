"""Why tests of kafka-python 0.9.5 itself fail on the face."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reason:
    """What is otherwise, and the tests that see it."""

    why: str
    tests: tuple[str, ...]


def of(module: str, owner: str, *names: str) -> tuple[str, ...]:
    """Tests of one class."""
    return tuple(f"{module}.{owner}.{name}" for name in names)


REASONS = (
    Reason(
        "The test puts its own objects in the place of `kafka.client.KafkaConnection` and `kafka.client.KafkaProtocol`, or calls "
        "`_send_broker_unaware_request`. `KafkaClient` asks through the engine, not through these.",
        of(
            "test_client",
            "TestKafkaClient",
            "test_ensure_topic_exists",
            "test_get_leader_exceptions_when_noleader",
            "test_get_leader_for_partitions_reloads_metadata",
            "test_get_leader_for_unassigned_partitions",
            "test_has_metadata_for_topic",
            "test_load_metadata",
            "test_send_broker_unaware_request",
            "test_send_broker_unaware_request_fail",
            "test_send_produce_request_raises_when_noleader",
            "test_send_produce_request_raises_when_topic_unknown",
        ),
    ),
    Reason(
        "A module of the face has two names and is one object: `kafka.client.__name__` is `kafkars.compat.kafka_legacy.client`.",
        of("test_package", "TestPackage", "test_submodule_namespace", "test_top_level_namespace"),
    ),
    Reason(
        "The first message for a topic that brokers make when it is asked for is stored. The original raised "
        "`LeaderNotAvailableError`, and the program had to try again.",
        of(
            "test_producer_integration",
            "TestKafkaProducerIntegration",
            "test_produce__new_topic_fails_with_reasonable_error",
        ),
    ),
)

"""The one table of what kafka-python 2.3 and 3.0 do differently and the face does as either.

Each row is run on both originals and on both faces: `python -m tests.compat.kafka.versions LIBRARY SERVERS TOPIC`,
where LIBRARY is "2", "3" or the folder of an original, prints for each row what was found.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tests.compat.kafka import rebalances
from tests.support.waiting import StuckError

WAIT = 40.0


@dataclass
class Place:
    """Where a row is looked at."""

    kafka: Any
    servers: str
    topic: str
    tries: int = 1

    def own(self, name: str) -> str:
        """A name of this try, for a group or a topic."""
        return f"{self.topic}-{name}-{self.tries}"

    def module(self, path: str) -> Any:
        return importlib.import_module(f"kafka.{path}")

    def partition(self, number: int = 0) -> Any:
        return self.kafka.TopicPartition(self.topic, number)

    def consumer(self, *topics: str, **settings: Any) -> Any:
        return self.kafka.KafkaConsumer(
            *topics, bootstrap_servers=self.servers, auto_offset_reset="earliest", **settings
        )

    def producer(self, **settings: Any) -> Any:
        return self.kafka.KafkaProducer(bootstrap_servers=self.servers, **settings)

    def admin(self, **settings: Any) -> Any:
        return self.kafka.KafkaAdminClient(bootstrap_servers=self.servers, **settings)


def raised(call: Callable[[], Any]) -> str:
    """The class of what a call raises."""
    try:
        call()
    except StuckError:
        raise
    except Exception as error:  # noqa: BLE001 - told
        return type(error).__name__
    return "nothing"


def default(client: str, setting: str) -> Callable[[Place], Any]:
    """The default of a setting; None too where there is no such setting."""

    def look(place: Place) -> Any:
        return getattr(place.kafka, client).DEFAULT_CONFIG.get(setting, "unknown")

    return look


def unknown(client: str, setting: str) -> Callable[[Place], Any]:
    """What a setting is answered with that the other version has."""

    def look(place: Place) -> Any:
        def make() -> None:
            made = getattr(place.kafka, client)(bootstrap_servers=place.servers, **{setting: 20_000})
            made.close()

        return raised(make)

    return look


def of_consumer(call: Callable[[Place, Any], Any]) -> Callable[[Place], Any]:
    """What a call of an assigned consumer raises."""

    def look(place: Place) -> Any:
        consumer = place.consumer(consumer_timeout_ms=500)
        consumer.assign([place.partition()])
        try:
            return raised(lambda: call(place, consumer))
        finally:
            consumer.close()

    return look


def of_producer(call: Callable[[Place, Any], Any], **settings: Any) -> Callable[[Place], Any]:
    """What a call of a producer raises."""

    def look(place: Place) -> Any:
        producer = place.producer(**settings)
        try:
            return raised(lambda: call(place, producer))
        finally:
            producer.close(2)

    return look


def nobody(client: str) -> Callable[[Place], Any]:
    """What a constructor raises where no broker answers."""

    def look(place: Place) -> Any:
        limit = "api_version_auto_timeout_ms" if place.kafka.__version__.startswith("2") else "bootstrap_timeout_ms"
        return raised(lambda: getattr(place.kafka, client)(bootstrap_servers="127.0.0.1:1", **{limit: 500}))

    return look


def has(path: str, *names: str) -> Callable[[Place], Any]:
    """Which names a module or class has."""

    def look(place: Place) -> Any:
        owner = place.kafka
        for part in path.split(".") if path else ():
            owner = getattr(owner, part, None) or place.module(path)
        return [name for name in names if getattr(owner, name, None) is not None]

    return look


def closed_consumer(place: Place) -> Any:
    consumer = place.consumer()
    consumer.close()
    return raised(consumer.poll)


def closed_producer(place: Place) -> Any:
    producer = place.producer()
    producer.close()
    return raised(lambda: producer.send(place.topic, b"x"))


def serializers(place: Place) -> Any:
    """What serializers are given."""
    module = place.module("serializer")
    seen: list[Any] = []

    class Both(module.Serializer, module.Deserializer):  # type: ignore[misc,name-defined]
        def serialize(self, *arguments: Any) -> Any:
            seen.append(["serialize", *(str(type(each).__name__) for each in arguments)])
            return arguments[-1]

        def deserialize(self, *arguments: Any) -> Any:
            seen.append(["deserialize", *(str(type(each).__name__) for each in arguments)])
            return arguments[-1]

    producer = place.producer(value_serializer=Both())
    producer.send(place.topic, b"value", headers=[("a", b"1")]).get(WAIT)
    producer.close()
    consumer = place.consumer(consumer_timeout_ms=int(WAIT * 1000), value_deserializer=Both())
    consumer.assign([place.partition(number) for number in (0, 1)])
    next(consumer)
    consumer.close()
    return [seen[0], seen[-1]]


def partitioners(place: Place) -> Any:
    """How a partitioner of the program's own is called."""
    seen: list[Any] = []
    three = not place.kafka.__version__.startswith("2")
    base = place.module("partitioner").Partitioner if three else object

    class Mine(base):  # type: ignore[misc,valid-type]
        def __call__(self, *arguments: Any) -> int:
            seen.append(["called with", *(type(each).__name__ for each in arguments)])
            return 1

        def partition(self, *arguments: Any) -> int:
            seen.append(["partition() with", *(type(each).__name__ for each in arguments)])
            return 1

    producer = place.producer(partitioner=Mine())
    stored = producer.send(place.topic, b"value", key=b"key").get(WAIT)
    producer.close()
    return [*seen[0], stored.partition]


def listeners(place: Place) -> Any:
    """What a listener hears when the consumer joins and when it is closed."""
    heard: list[Any] = []

    class Mine(place.kafka.ConsumerRebalanceListener):  # type: ignore[misc,name-defined]
        def on_partitions_revoked(self, revoked: Any) -> None:
            heard.append(["revoked", len(revoked)])

        def on_partitions_assigned(self, assigned: Any) -> None:
            heard.append(["assigned", len(assigned)])

    consumer = place.consumer(group_id=place.own("heard"))
    consumer.subscribe([place.topic], listener=Mine())
    try:
        rebalances.poll_until(consumer, lambda: any(what == "assigned" and count for what, count in heard))
    finally:
        consumer.close()
    # How often nothing is given and taken before the first assignment depends on when metadata comes.
    return [each for each in heard if each[1]]


def raising_listener(place: Place) -> Any:
    """What becomes of what a listener raises."""

    class Mine(place.kafka.ConsumerRebalanceListener):  # type: ignore[misc,name-defined]
        def on_partitions_revoked(self, revoked: Any) -> None:
            pass

        def on_partitions_assigned(self, assigned: Any) -> None:
            raise ZeroDivisionError(len(assigned))

    consumer = place.consumer(group_id=place.own("raising"))
    consumer.subscribe([place.topic], listener=Mine())

    def read() -> None:
        rebalances.poll_until(consumer, consumer.assignment)
        consumer.poll(200)

    try:
        return raised(read)
    finally:
        consumer.close()


def administration(call: Callable[[Place, Any], Any]) -> Callable[[Place], Any]:
    """What an administrator answers."""

    def look(place: Place) -> Any:
        admin = place.admin()
        try:
            return call(place, admin)
        finally:
            admin.close()

    return look


HIDDEN = ("throttle_time_ms", "authorized_operations")
"""Parts of answers that depend on the cluster."""


def shape(answer: Any) -> Any:
    """An answer's class, and the names in it."""
    if isinstance(answer, dict):
        return {str(key): shape(value) for key, value in answer.items() if key not in HIDDEN}
    if isinstance(answer, list):
        return [shape(each) for each in answer[:1]]
    return type(answer).__name__


def names(answer: Any) -> Any:
    """An answer's class, and its own names."""
    if hasattr(answer, "to_object"):
        return [type(answer).__name__, *sorted(answer.to_object())]
    if isinstance(answer, dict):
        return ["dict", *sorted(set(map(str, answer)) - {*HIDDEN})]
    return [type(answer).__name__, *(names(answer[0]) if isinstance(answer, list) else ())]


def new_topic(place: Place, name: str) -> Any:
    return place.module("admin").NewTopic(f"{place.topic}-{name}", 1, 1)


def setting(place: Place, value: Any = None) -> Any:
    return place.module("admin").ConfigResource("topic", place.topic, {"retention.ms": value})


def again(place: Place, admin: Any) -> Any:
    """Errors of a call that is told not to raise them."""
    try:
        answer = admin.create_topics([new_topic(place, "again")], raise_errors=False)
        answer = admin.create_topics([new_topic(place, "again")], raise_errors=False)
    except TypeError:
        return "TypeError"
    return answer["topics"][0]["error_code"]


@dataclass(frozen=True)
class Row:
    """A difference.

    Args:
        name: What is different, in words.
        look: Finds out.
        two: What kafka-python 2.3 does.
        three: What kafka-python 3.0 does.
    """

    name: str
    look: Callable[[Place], Any]
    two: Any
    three: Any


ROWS = [
    Row(
        "`KafkaConsumer` default of `request_timeout_ms`", default("KafkaConsumer", "request_timeout_ms"), 305000, 30000
    ),
    Row(
        "`KafkaConsumer` default of `session_timeout_ms`", default("KafkaConsumer", "session_timeout_ms"), 10000, 45000
    ),
    Row(
        "default of `receive_message_max_bytes`",
        default("KafkaConsumer", "receive_message_max_bytes"),
        1000000,
        100000000,
    ),
    Row("`client_rack`", default("KafkaConsumer", "client_rack"), "unknown", ""),
    Row("`client_dns_lookup`", default("KafkaConsumer", "client_dns_lookup"), "unknown", "use_all_dns_ips"),
    Row("`proxy_url`", default("KafkaProducer", "proxy_url"), "unknown", None),
    Row("`KafkaProducer` default of `acks`", default("KafkaProducer", "acks"), 1, -1),
    Row("`KafkaProducer` default of `enable_idempotence`", default("KafkaProducer", "enable_idempotence"), False, True),
    Row(
        "`KafkaProducer` default of `bootstrap_topics_filter`",
        lambda place: str(default("KafkaProducer", "bootstrap_topics_filter")(place)),
        "set()",
        "unknown",
    ),
    Row(
        "`KafkaConsumer(api_version_auto_timeout_ms=...)`",
        unknown("KafkaConsumer", "api_version_auto_timeout_ms"),
        "nothing",
        "KafkaConfigurationError",
    ),
    Row(
        "`KafkaConsumer(bootstrap_timeout_ms=...)`",
        unknown("KafkaConsumer", "bootstrap_timeout_ms"),
        "KafkaConfigurationError",
        "nothing",
    ),
    Row(
        "`KafkaProducer(bootstrap_timeout_ms=...)`",
        unknown("KafkaProducer", "bootstrap_timeout_ms"),
        "AssertionError",
        "nothing",
    ),
    Row("`KafkaProducer(nonsense=...)`", unknown("KafkaProducer", "nonsense"), "AssertionError", "ValueError"),
    Row(
        "`KafkaAdminClient(bootstrap_timeout_ms=...)`",
        unknown("KafkaAdminClient", "bootstrap_timeout_ms"),
        "KafkaConfigurationError",
        "nothing",
    ),
    Row("`KafkaConsumer` where no broker answers", nobody("KafkaConsumer"), "NoBrokersAvailable", "KafkaTimeoutError"),
    Row("`KafkaProducer` where no broker answers", nobody("KafkaProducer"), "NoBrokersAvailable", "KafkaTimeoutError"),
    Row(
        "`KafkaAdminClient` where no broker answers",
        nobody("KafkaAdminClient"),
        "NoBrokersAvailable",
        "KafkaTimeoutError",
    ),
    Row("`__version__`", lambda place: place.kafka.__version__, "2.3.3", "3.0.12"),
    Row(
        "names of the package",
        has(
            "",
            "ConsumerGroupMetadata",
            "DefaultSerializer",
            "JsonSerializer",
            "IsolationLevel",
            "OffsetSpec",
            "TopicPartitionReplica",
            "AsyncConsumerRebalanceListener",
        ),
        [],
        [
            "ConsumerGroupMetadata",
            "DefaultSerializer",
            "JsonSerializer",
            "IsolationLevel",
            "OffsetSpec",
            "TopicPartitionReplica",
            "AsyncConsumerRebalanceListener",
        ],
    ),
    Row(
        "methods of `KafkaConsumer`",
        has("KafkaConsumer", "group_metadata", "bootstrap"),
        [],
        ["group_metadata", "bootstrap"],
    ),
    Row(
        "methods of `KafkaAdminClient` of 2",
        has(
            "KafkaAdminClient",
            "list_consumer_groups",
            "describe_consumer_groups",
            "delete_consumer_groups",
            "list_consumer_group_offsets",
            "perform_leader_election",
            "send_request",
        ),
        [
            "list_consumer_groups",
            "describe_consumer_groups",
            "delete_consumer_groups",
            "list_consumer_group_offsets",
            "perform_leader_election",
            "send_request",
        ],
        [],
    ),
    Row(
        "methods of `KafkaAdminClient` of 3",
        has(
            "KafkaAdminClient",
            "list_groups",
            "describe_groups",
            "delete_groups",
            "list_group_offsets",
            "elect_leaders",
            "wait_for_topics",
        ),
        [],
        ["list_groups", "describe_groups", "delete_groups", "list_group_offsets", "elect_leaders", "wait_for_topics"],
    ),
    Row("`poll(-1)`", of_consumer(lambda _, consumer: consumer.poll(-1)), "AssertionError", "ValueError"),
    Row(
        "`poll(max_records=0)`",
        of_consumer(lambda _, consumer: consumer.poll(0, max_records=0)),
        "AssertionError",
        "ValueError",
    ),
    Row(
        "`seek()` to a negative offset",
        of_consumer(lambda place, consumer: consumer.seek(place.partition(), -1)),
        "AssertionError",
        "ValueError",
    ),
    Row(
        "`seek()` of what is not assigned",
        of_consumer(lambda place, consumer: consumer.seek(place.partition(1), 0)),
        "AssertionError",
        "ValueError",
    ),
    Row(
        "`position()` of what is not assigned",
        of_consumer(lambda place, consumer: consumer.position(place.partition(1))),
        "AssertionError",
        "IllegalStateError",
    ),
    Row(
        "`highwater()` of what is not assigned",
        of_consumer(lambda place, consumer: consumer.highwater(place.partition(1))),
        "AssertionError",
        "IllegalStateError",
    ),
    Row(
        "`seek_to_end()` of what is not assigned",
        of_consumer(lambda place, consumer: consumer.seek_to_end(place.partition(1))),
        "AssertionError",
        "ValueError",
    ),
    Row(
        "`commit()` without a group",
        of_consumer(lambda _, consumer: consumer.commit()),
        "AssertionError",
        "IllegalStateError",
    ),
    Row(
        "`committed()` without a group",
        of_consumer(lambda place, consumer: consumer.committed(place.partition())),
        "AssertionError",
        "IllegalStateError",
    ),
    Row(
        "`subscribe()` with nothing",
        lambda place: raised(lambda: place.consumer().subscribe()),
        "AssertionError",
        "ValueError",
    ),
    Row("`poll()` after `close()`", closed_consumer, "AssertionError", "IllegalStateError"),
    Row(
        "`send()` of neither key nor value",
        of_producer(lambda place, producer: producer.send(place.topic)),
        "AssertionError",
        "ValueError",
    ),
    Row(
        "`send()` of a value that is no bytes",
        of_producer(lambda place, producer: producer.send(place.topic, 1)),
        "AssertionError",
        "TypeError",
    ),
    Row(
        "`send()` to a partition that is not there",
        of_producer(lambda place, producer: producer.send(place.topic, b"x", partition=99)),
        "AssertionError",
        "ValueError",
    ),
    Row(
        "`send()` with headers in a dict",
        of_producer(lambda place, producer: producer.send(place.topic, b"x", headers={"a": b"1"})),
        "AssertionError",
        "TypeError",
    ),
    Row("`send()` after `close()`", closed_producer, "AssertionError", "IllegalStateError"),
    Row(
        "what serializers are given",
        serializers,
        [["serialize", "str", "bytes"], ["deserialize", "str", "bytes"]],
        [["serialize", "str", "list", "bytes"], ["deserialize", "str", "list", "bytes"]],
    ),
    Row(
        "how a partitioner is called",
        partitioners,
        ["called with", "bytes", "list", "list", 1],
        ["partition() with", "str", "bytes", "bytes", "bytes", "bytes", "ClusterMetadata", 1],
    ),
    Row("what a listener hears", listeners, [["assigned", 2]], [["assigned", 2], ["revoked", 2]]),
    Row("what a listener raises", raising_listener, "nothing", "KafkaError"),
    Row(
        "paused partitions after `subscribe()` to one topic more; are positions kept; is read on there",
        rebalances.kept_by_another_subscription,
        [[], [False, False], [False, False]],
        [[0, 1], [True, True], [True, True]],
    ),
    Row(
        "what stays beside another member: paused, where it was; what comes back from it: at the commit",
        rebalances.kept_beside_another_member,
        [False, False, False, False, True],
        [True, True, True, True, True],
    ),
    Row(
        "`KafkaAdminClient.create_topics()`",
        administration(lambda place, admin: names(admin.create_topics([new_topic(place, "made")]))),
        ["CreateTopicsResponse_v3", "throttle_time_ms", "topic_errors"],
        ["dict", "topics"],
    ),
    Row("`create_topics(raise_errors=False)`", administration(again), "TypeError", 36),
    Row(
        "`KafkaAdminClient.delete_topics()`",
        administration(
            lambda place, admin: (
                admin.create_topics([new_topic(place, "gone")]),
                names(admin.delete_topics([f"{place.topic}-gone"])),
            )[1]
        ),
        ["DeleteTopicsResponse_v3", "throttle_time_ms", "topic_error_codes"],
        ["dict", "topics"],
    ),
    Row(
        "`KafkaAdminClient.create_partitions()`",
        administration(
            lambda place, admin: names(
                admin.create_partitions({place.topic: place.module("admin").NewPartitions(3)}, validate_only=True)
            )
        ),
        ["CreatePartitionsResponse_v1", "throttle_time_ms", "topic_errors"],
        ["CreatePartitionsResponse"],
    ),
    Row(
        "`KafkaAdminClient.describe_topics()`",
        administration(lambda place, admin: shape(admin.describe_topics([place.topic]))),
        [
            {
                "error_code": "int",
                "topic": "str",
                "is_internal": "bool",
                "partitions": [
                    {
                        "error_code": "int",
                        "partition": "int",
                        "leader": "int",
                        "leader_epoch": "int",
                        "replicas": ["int"],
                        "isr": ["int"],
                        "offline_replicas": [],
                    }
                ],
            }
        ],
        [
            {
                "error_code": "int",
                "name": "str",
                "topic_id": "str",
                "is_internal": "bool",
                "partitions": [
                    {
                        "error_code": "int",
                        "partition_index": "int",
                        "leader_id": "int",
                        "leader_epoch": "int",
                        "replica_nodes": ["int"],
                        "isr_nodes": ["int"],
                        "offline_replicas": [],
                    }
                ],
            }
        ],
    ),
    Row(
        "`KafkaAdminClient.describe_cluster()`: names of brokers",
        administration(lambda _, admin: sorted(admin.describe_cluster()["brokers"][0])),
        ["host", "node_id", "port", "rack"],
        ["broker_id", "host", "is_fenced", "port", "rack"],
    ),
    Row(
        "`KafkaAdminClient.describe_configs()`",
        administration(lambda place, admin: names(admin.describe_configs([setting(place)]))),
        ["list", "DescribeConfigsResponse_v2", "resources", "throttle_time_ms"],
        ["dict", "topic"],
    ),
    Row(
        "`KafkaAdminClient.alter_configs()`",
        administration(lambda place, admin: names(admin.alter_configs([setting(place, "1000000")]))),
        ["AlterConfigsResponse_v1", "resources", "throttle_time_ms"],
        ["dict", "topic"],
    ),
    Row(
        "an unknown setting in `alter_configs()`",
        administration(
            lambda place, admin: raised(
                lambda: admin.alter_configs(
                    [place.module("admin").ConfigResource("topic", place.topic, {"nonsense": "1"})]
                )
            )
        ),
        "nothing",
        "ValueError",
    ),
]


def looked(row: Row, place: Place, *, is_face: bool) -> Any:
    """What a row finds; once more where a member of an original has never joined."""
    try:
        return row.look(place)
    except StuckError:
        if is_face:
            raise
        return row.look(replace(place, tries=place.tries + 1))


def main() -> None:
    """Runs every row."""
    library, servers, topic = sys.argv[1:4]
    wanted = set(sys.argv[4:])
    is_face = library in {"2", "3"}
    if is_face:
        from kafkars.compat import install

        install("kafka", version=int(library))
    else:
        sys.path.insert(0, library)
    import kafka

    place = Place(kafka, servers, topic)
    for row in ROWS:
        if wanted and row.name not in wanted:
            continue
        try:
            found = looked(row, place, is_face=is_face)
        except Exception as error:  # noqa: BLE001 - told
            found = f"fails: {type(error).__name__}: {error}"[:200]
        sys.stdout.write(json.dumps([row.name, found]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

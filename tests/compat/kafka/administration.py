"""The chapter of `steps.py` on `KafkaAdminClient`."""

from __future__ import annotations

import time
from typing import Any, Protocol

WAIT = 20.0


class Teller(Protocol):
    """Where steps are told."""

    topic: str

    def step(self, name: str, call: Any) -> None: ...


def codes(answer: Any) -> Any:
    """An answer without messages: brokers and clients word them in their own ways."""
    if hasattr(answer, "to_object"):
        return [type(answer).__name__, codes(answer.to_object())]
    if isinstance(answer, dict):
        hidden = ("error_message", "authorized_operations", "throttle_time_ms", "leader_epoch")
        return {key: codes(value) for key, value in answer.items() if key not in hidden}
    as_dict = getattr(answer, "_asdict", None)
    if isinstance(answer, tuple) and as_dict is not None:
        return codes(as_dict())
    if isinstance(answer, (list, tuple)):
        return [codes(each) for each in answer]
    return answer.__name__ if isinstance(answer, type) else answer


def there(told: Any, admin: Any, topic: str, partitions: int) -> None:
    """Waits until every partition of a topic is known with its leader."""
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline:
        found = admin.describe_topics([told.topic, topic]) if topic in admin.list_topics() else []
        leaders = [each["leader"] for row in found if row["topic"] == topic for each in row["partitions"]]
        if len(leaders) == partitions and min(leaders) >= 0:
            return
        time.sleep(0.05)


def reading(kafka: Any, servers: str, topic: str, group: str) -> Any:
    """A member of a group that has read one record and committed."""
    producer = kafka.KafkaProducer(bootstrap_servers=servers)
    for number in range(3):
        producer.send(topic, b"%d" % number, partition=0).get(WAIT)
    producer.close()
    consumer = kafka.KafkaConsumer(
        topic, bootstrap_servers=servers, group_id=group, auto_offset_reset="earliest", enable_auto_commit=False
    )
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline and not consumer.poll(300):
        pass
    consumer.commit()
    return consumer


def administration(kafka: Any, told: Teller, servers: str) -> None:
    """Topics, settings, groups, records."""
    from kafka.admin import ConfigResource, ConfigResourceType, NewPartitions, NewTopic

    topic, other = f"{told.topic}-made", f"{told.topic}-other"
    admin = kafka.KafkaAdminClient(bootstrap_servers=servers)

    def step(name: str, call: Any) -> None:
        told.step(name, lambda: codes(call()))

    made = NewTopic(topic, 2, 1)
    step("create", lambda: admin.create_topics([made, NewTopic(other, 1, 1, topic_configs={"retention.ms": "1000"})]))
    there(told, admin, topic, 2)
    there(told, admin, other, 1)
    for name, arguments in {
        "create what is there": ([made],),
        "create nothing": ([],),
        "create a bad name": ([NewTopic("a b", 1, 1)],),
        "create text": ([topic],),
        "create None": (None,),
        "create too many copies": ([NewTopic(f"{topic}-no", 1, 99)],),
        "create without doing it": ([NewTopic(f"{topic}-no", 2, 1)], None, True),
    }.items():
        step(name, lambda arguments=arguments: admin.create_topics(*arguments))
    step("list", lambda: sorted(name for name in admin.list_topics() if name.startswith(topic)))
    step("describe", lambda: admin.describe_topics([topic]))
    step("the cluster", lambda: sorted(admin.describe_cluster()))
    step("grow", lambda: admin.create_partitions({topic: NewPartitions(3)}))
    there(told, admin, topic, 3)
    step("grow backwards", lambda: admin.create_partitions({topic: NewPartitions(1)}))
    step("grow what is not there", lambda: admin.create_partitions({f"{topic}-no": NewPartitions(2)}))

    def setting(name: str, value: Any = None, of: str = other) -> Any:
        return ConfigResource(ConfigResourceType.TOPIC, of, {name: value})

    step("one setting", lambda: admin.describe_configs([setting("retention.ms")]))
    step("with synonyms", lambda: admin.describe_configs([setting("retention.ms")], include_synonyms=True))
    step("a setting that is none", lambda: admin.describe_configs([setting("nonsense")]))
    step(
        "names of all settings",
        lambda: (
            sorted(
                row[0]
                for row in admin.describe_configs([ConfigResource("topic", other)])[0].resources[0][4]
                if row[0] != "x"
            )
            != []
        ),
    )
    step("settings of no topic", lambda: admin.describe_configs([setting("retention.ms", of=f"{topic}-no")]))
    step("settings of a broker by name", lambda: admin.describe_configs([ConfigResource("broker", "one")]))
    step("a type that is none", lambda: ConfigResource("nonsense", "x"))

    def settings() -> Any:
        """The two that a change touches, when it is seen."""
        deadline = time.monotonic() + WAIT
        while True:
            found = [
                admin.describe_configs([setting(name)])[0].resources[0][4][0][:4]
                for name in ("retention.ms", "max.message.bytes")
            ]
            if (found[0][1] != "1000" and found[1][1] == "2000") or time.monotonic() > deadline:
                return found
            time.sleep(0.05)

    step("change", lambda: admin.alter_configs([setting("max.message.bytes", "2000")]))
    step("changing sets back what is not named", settings)
    step("change to nonsense", lambda: admin.alter_configs([setting("retention.ms", "x")]))
    step("change of no topic", lambda: admin.alter_configs([setting("retention.ms", "1", of=f"{topic}-no")]))

    of_groups(kafka, told, servers, topic, admin)
    step("delete", lambda: admin.delete_topics([topic]))
    step("delete nothing", lambda: admin.delete_topics([]))
    step("delete what is not there", lambda: admin.delete_topics([f"{topic}-no"]))
    admin.close()
    step("close twice", admin.close)
    step("an unknown setting", lambda: kafka.KafkaAdminClient(bootstrap_servers=servers, nonsense=1))
    step("nobody there", lambda: kafka.KafkaAdminClient(bootstrap_servers="127.0.0.1:1", request_timeout_ms=1000))


def of_groups(kafka: Any, told: Teller, servers: str, topic: str, admin: Any) -> None:
    """Groups and records."""

    def step(name: str, call: Any) -> None:
        told.step(name, lambda: codes(call()))

    group, nobody = f"{topic}-group", f"{topic}-nobody"
    consumer = reading(kafka, servers, topic, group)
    step("a group", lambda: [row[1:5] for row in admin.describe_consumer_groups([group])])
    step(
        "its member",
        lambda: [
            (member.client_id[:12], member.member_metadata.topics, member.member_assignment.partitions())
            for member in admin.describe_consumer_groups([group])[0].members
        ],
    )
    step("a group that is none", lambda: admin.describe_consumer_groups([nobody]))
    step("it is listed", lambda: [row for row in admin.list_consumer_groups() if row[0] == group])
    step("delete it while it lives", lambda: admin.delete_consumer_groups([group]))
    consumer.close()
    zero, one = (kafka.TopicPartition(topic, partition) for partition in (0, 1))
    step("offsets", lambda: sorted(admin.list_consumer_group_offsets(group)))
    step("offset", lambda: [row[:2] for row in admin.list_consumer_group_offsets(group, partitions=[zero]).values()])
    step("offset of none", lambda: admin.list_consumer_group_offsets(nobody, partitions=[one]).popitem()[1])
    step("offsets of none", lambda: admin.list_consumer_group_offsets(nobody))
    step(
        "delete groups",
        lambda: sorted((name, kind.__name__) for name, kind in admin.delete_consumer_groups([group, nobody])),
    )
    step("delete records", lambda: admin.delete_records({zero: 1}).popitem()[1])
    step("delete too many records", lambda: admin.delete_records({zero: 99}))
    step("delete records of no partition", lambda: admin.delete_records({kafka.TopicPartition(topic, 77): 1}))

"""Configuration: what is refused, and by which error, is the same on the library and its face."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

GROUP = {"group.id": "g"}
NOWHERE = {"bootstrap.servers": "127.0.0.1:1", "log_level": 0}

Make = Callable[..., Any]


@pytest.fixture
def produce(ck: ModuleType) -> Make:
    """Makes what a producer is made of."""
    if ck.__name__ == "confluent_kafka":
        return lambda config, **keywords: ck.Producer({**NOWHERE, **config}, **keywords)
    from kafkars.compat.confluent_kafka._config import producer_settings

    return lambda config, **keywords: producer_settings(({**NOWHERE, **config},), keywords)


@pytest.fixture
def consume(ck: ModuleType) -> Make:
    """Makes what a consumer is made of, and closes it."""
    if ck.__name__ == "confluent_kafka":
        return lambda config, **keywords: ck.Consumer({**NOWHERE, **config}, **keywords).close()
    from kafkars.compat.confluent_kafka._config import consumer_settings

    return lambda config, **keywords: consumer_settings(({**NOWHERE, **config},), keywords)


def refusal(ck: ModuleType, make: Make, config: dict[Any, Any], **keywords: Any) -> str:
    """What is said of a configuration that is refused, with the code for that."""
    with pytest.raises(ck.KafkaException) as caught:
        make(config, **keywords)
    (error,) = caught.value.args
    assert error.code() == ck.KafkaError._INVALID_ARG
    return str(error.str())


@pytest.mark.parametrize(
    "key", ["bootstrap_servers", "bootstrap.server", "foo", "callback", "on_commit", "delivery.callback", "topic.foo"]
)
def test_an_unknown_property_is_named(ck: ModuleType, produce: Make, key: str) -> None:
    assert key.removeprefix("topic.") in refusal(ck, produce, {key: 1})


def test_a_key_that_is_no_text_is_unknown(ck: ModuleType, produce: Make) -> None:
    assert "5" in refusal(ck, produce, {5: 1})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("queue.buffering.max.ms", -1),
        ("queue.buffering.max.ms", 900_001),
        ("queue.buffering.max.ms", "abc"),
        ("queue.buffering.max.ms", True),
        ("queue.buffering.max.ms", None),
        ("queue.buffering.max.ms", [5]),
        ("batch.size", 0),
        ("batch.size", "abc"),
        ("batch.size", ""),
        ("batch.size", True),
        ("request.required.acks", "x"),
        ("request.required.acks", 1001),
        ("request.required.acks", -2),
        ("request.required.acks", None),
        ("compression.codec", "foo"),
        ("compression.codec", "inherit"),
        ("compression.codec", ""),
        ("compression.level", 13),
        ("enable.idempotence", "yes"),
        ("enable.idempotence", "on"),
        ("enable.idempotence", 2),
        ("enable.idempotence", None),
        ("security.protocol", "foo"),
        ("security.protocol", None),
        ("partitioner", "foo"),
        ("partitioner", print),
        ("debug", "foo"),
        ("debug", ""),
        ("builtin.features", "x"),
        ("client.dns.lookup", "x"),
        ("statistics.interval.ms", -1),
        ("dr_cb", print),
        ("log_cb", print),
        ("opaque", 1),
        ("rebalance_cb", print),
        ("partitioner_cb", print),
        ("topic.linger.ms", 1),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_by_the_name_of_its_property(
    ck: ModuleType, produce: Make, key: str, value: object
) -> None:
    assert key.removeprefix("topic.") in refusal(ck, produce, {key: value})


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ({"enable.idempotence": True, "acks": 1}, "acks"),
        ({"enable.idempotence": True, "max.in.flight": 6}, "max.in.flight"),
        ({"enable.idempotence": True, "retries": 0}, "retries"),
        ({"transactional.id": "t", "enable.idempotence": False}, "enable.idempotence"),
        ({"transactional.id": "t", "message.timeout.ms": 100_000}, "message.timeout.ms"),
        ({"message.timeout.ms": 1, "linger.ms": 5}, "message.timeout.ms"),
        ({"reconnect.backoff.ms": 200, "reconnect.backoff.max.ms": 100}, "reconnect.backoff.max.ms"),
        ({"enable.gapless.guarantee": True}, "enable.gapless.guarantee"),
    ],
)
def test_properties_of_producers_that_contradict_each_other_are_refused(
    ck: ModuleType, produce: Make, config: dict[str, Any], named: str
) -> None:
    assert named in refusal(ck, produce, config)


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ({"auto.offset.reset": "foo"}, "auto.offset.reset"),
        ({"auto.offset.reset": "none"}, "auto.offset.reset"),
        ({"session.timeout.ms": 0}, "session.timeout.ms"),
        ({"enable.auto.commit": "no"}, "enable.auto.commit"),
        ({"max.poll.interval.ms": 1000, "session.timeout.ms": 45_000}, "max.poll.interval.ms"),
        ({"group.protocol": "consumer", "session.timeout.ms": 6000}, "session.timeout.ms"),
        ({"group.protocol": "consumer", "heartbeat.interval.ms": 600}, "heartbeat.interval.ms"),
        ({"group.protocol": "consumer", "partition.assignment.strategy": "range"}, "partition.assignment.strategy"),
        ({"group.protocol": "foo"}, "group.protocol"),
        ({"partition.assignment.strategy": "foo"}, "partition.assignment.strategy"),
        ({"partition.assignment.strategy": "range,cooperative-sticky"}, "partition.assignment.strategy"),
        ({"fetch.max.bytes": 999_999}, "fetch.max.bytes"),
        ({"fetch.max.bytes": 1_999_000, "receive.message.max.bytes": 2000}, "receive.message.max.bytes"),
        ({"max.poll.records": 0}, "max.poll.records"),
        ({"on_delivery": print}, "on_delivery"),
    ],
)
def test_properties_of_consumers_that_cannot_be_are_refused(
    ck: ModuleType, consume: Make, config: dict[str, Any], named: str
) -> None:
    assert named in refusal(ck, consume, {**GROUP, **config})


@pytest.mark.parametrize(
    "config",
    [
        {"linger.ms": 0.5},
        {"linger.ms": "5"},
        {"linger.ms": "0x10"},
        {"client.id": 5},
        {"client.id": None},
        {"client.id": b"x"},
        {"acks": "all"},
        {"acks": "ALL"},
        {"acks": "1"},
        {"acks": 1.0},
        {"compression.type": "GZIP"},
        {"enable.idempotence": "True"},
        {"enable.idempotence": "t"},
        {"enable.idempotence": 1},
        {"transactional.id": "t"},
        {"transactional.id": "t", "transaction.timeout.ms": 1000},
        {"transactional.id": ""},
        {"batch.size": 1.5},
        {"message.timeout.ms": 3},
        {"message.timeout.ms": 0},
        {"delivery.timeout.ms": 1, "linger.ms": 0},
        {"queue.buffering.max.ms": 1, "linger.ms": 2},
        {"default.topic.config": {"acks": 1}},
        {"topic.acks": 1},
        {"retry.backoff.ms": 200, "retry.backoff.max.ms": 100},
        {"partitioner": "fnv1a_random"},
        {"debug": "msg, broker"},
        {"topic.metadata.refresh.interval.ms": -1},
        {"bootstrap.servers": "PLAINTEXT://localhost:9092,other"},
        {"bootstrap.servers": ""},
        {"sasl.mechanism": "PLAIN", "sasl.username": "x"},
        {"ssl.key.pem": "x"},
        {"auto.offset.reset": "earliest"},
        {"group.id": "x"},
        {"receive.message.max.bytes": 2000},
        {"message.max.bytes": 2000},
        {"plugin.library.paths": ""},
        {"logger": None},
    ],
)
def test_what_the_library_takes_for_producers_the_face_takes(produce: Make, config: dict[str, Any]) -> None:
    produce(config)


@pytest.mark.parametrize(
    "config",
    [
        {"linger.ms": 3, "acks": 1},
        {"group.protocol": "consumer"},
        {"group.protocol": "consumer", "group.remote.assignor": "uniform"},
        {"partition.assignment.strategy": "cooperative-sticky"},
        {"partition.assignment.strategy": ""},
        {"fetch.max.bytes": 1_000_000_000},
        {"isolation.level": "READ_COMMITTED"},
        {"auto.offset.reset": "Smallest"},
        {"session.timeout.ms": 6000, "max.poll.interval.ms": 6000},
        {"on_commit": print},
    ],
)
def test_what_the_library_takes_for_consumers_the_face_takes(consume: Make, config: dict[str, Any]) -> None:
    consume({**GROUP, **config})


def test_a_consumer_wants_a_group(consume: Make) -> None:
    with pytest.raises(ValueError, match=r"group\.id"):
        consume({})


def test_callbacks_must_be_callable(ck: ModuleType, produce: Make, consume: Make) -> None:
    for key, error in (
        ("error_cb", TypeError),
        ("stats_cb", TypeError),
        ("oauth_cb", TypeError),
        ("throttle_cb", ValueError),
    ):
        with pytest.raises(error, match=key):
            produce({key: "no function"})
    assert "on_delivery" in refusal(ck, produce, {"on_delivery": 3})
    assert "on_commit" in refusal(ck, consume, {**GROUP, "on_commit": 3})


def test_keywords_win_over_the_dict_and_the_topics_dict_over_both(ck: ModuleType, produce: Make) -> None:
    produce({"linger.ms": -1}, **{"linger.ms": 3})
    assert "queue.buffering.max.ms" in refusal(
        ck, produce, {"queue.buffering.max.ms": 3}, **{"queue.buffering.max.ms": -7}
    )
    produce({"linger.ms": -1, "default.topic.config": {"linger.ms": 1}})


def test_the_dict_is_not_changed(ck: ModuleType) -> None:
    config: dict[str, Any] = {**NOWHERE, "default.topic.config": {"acks": 1}, "error_cb": print}
    before = dict(config)
    if ck.__name__ == "confluent_kafka":
        ck.Producer(config)
    else:
        from kafkars.compat.confluent_kafka._config import producer_settings

        producer_settings((config,), {})
    assert config == before


def test_a_configuration_is_one_dict(ck: ModuleType) -> None:
    if ck.__name__ == "confluent_kafka":
        make: Make = ck.Producer
    else:
        from kafkars.compat.confluent_kafka._config import producer_settings

        make = lambda *arguments: producer_settings(arguments, {})  # noqa: E731
    make({})
    for wrong in ((), (5,), ([1],), (None,), ({}, None)):
        with pytest.raises(TypeError):
            make(*wrong)


@pytest.mark.parametrize("hash_name", ["murmur2", "consistent", "fnv1a"])
def test_keys_have_the_same_partition(ck: ModuleType, hash_name: str) -> None:
    function = getattr(ck, hash_name)
    expected = {
        "murmur2": {b"": 1, b"abc": 7, b"\xff\xfe": 1},
        "consistent": {b"": 0, b"abc": 8, b"\xff\xfe": 2},
        "fnv1a": {b"": 5, b"abc": 1, b"\xff\xfe": 0},
    }
    assert {key: function(key, 10) for key in expected[hash_name]} == expected[hash_name]
    with pytest.raises(ValueError, match="partition_count"):
        function(b"abc", 0)
    with pytest.raises(TypeError):
        function("abc", 10)


@pytest.mark.parametrize("client", ["Producer", "Consumer", "AdminClient"])
def test_a_client_is_initialised_once(ck: ModuleType, client: str) -> None:
    owner = import_module(f"{ck.__name__}.admin") if client == "AdminClient" else ck
    settings = {**NOWHERE, **GROUP}
    made = getattr(owner, client)(settings)
    for again in (settings, {"no.such.property": 1}):
        with pytest.raises(RuntimeError):
            made.__init__(again)
    made.poll(0)


@pytest.mark.parametrize("client", ["Producer", "Consumer", "AdminClient"])
def test_a_login_is_changed_where_there_is_a_client(ck: ModuleType, client: str) -> None:
    owner = import_module(f"{ck.__name__}.admin") if client == "AdminClient" else ck
    kind = getattr(owner, client)
    made = kind({**NOWHERE, **GROUP})
    for wrong, error in ((("user", 1), TypeError), (("user\0", "word"), ValueError)):
        with pytest.raises(error):
            made.set_sasl_credentials(*wrong)
    made.set_sasl_credentials("user", "word")
    with made:
        pass
    missing = type("Missing", (kind,), {"__init__": lambda _: None})()
    for gone in (made, missing):
        with pytest.raises(RuntimeError):
            gone.set_sasl_credentials("user", "word")

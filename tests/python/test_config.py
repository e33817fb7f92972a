"""Settings: names, types, Kafka's dotted spelling, and what is said of a wrong one."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import textwrap
import typing
from typing import Any

import kafkars.aio
import pytest
from kafkars import ClientConfig, Consumer, ConsumerConfig, Producer, ProducerConfig, _kafkars
from kafkars.compat import confluent_kafka as face
from kafkars.compat.confluent_kafka.admin import AdminClient
from kafkars.config import settings as keywords
from kafkars.errors import ConfigError, KafkaError
from kafkars.serde import JsonDeserializer, JsonSerializer

SERVERS = "127.0.0.1:1"
CLASSES = [Producer, Consumer, kafkars.aio.Producer, kafkars.aio.Consumer]
CONFIGS = [ClientConfig, ProducerConfig, ConsumerConfig]


@pytest.mark.parametrize("config", CONFIGS)
def test_native_code_checks_and_keywords_know_the_same_settings(config: type[ClientConfig]) -> None:
    fields = [field.name for field in dataclasses.fields(config)]
    assert _kafkars.config_fields()[config.__name__] == fields
    assert list(config.CHECKS) == fields
    prefix = "" if config is ClientConfig else "All"
    typed = getattr(keywords, prefix + config.__name__.replace("Config", "Settings"))
    assert list(typing.get_type_hints(typed)) == fields


@pytest.mark.parametrize("config", CONFIGS)
def test_every_setting_says_what_it_is(config: type[ClientConfig]) -> None:
    body = ast.parse(textwrap.dedent(inspect.getsource(config))).body[0]
    assert isinstance(body, ast.ClassDef)
    for statement, following in zip(body.body, body.body[1:], strict=False):
        if isinstance(statement, ast.AnnAssign) and getattr(statement.target, "id", "CHECKS") != "CHECKS":
            assert isinstance(following, ast.Expr), ast.unparse(statement)


@pytest.mark.parametrize("client", CLASSES)
def test_a_config_a_mapping_and_keywords_mean_the_same(client: Any) -> None:
    kind: Any = ProducerConfig if "Producer" in client.__name__ else ConsumerConfig
    plain = kind.of(None, {"bootstrap_servers": SERVERS, "client_id": "me", "request_timeout_ms": 1234})
    dotted = {"bootstrap.servers": SERVERS, "client.id": "me", "request.timeout.ms": "1234"}
    assert kind.of(dotted, {}) == plain
    assert kind.of({"bootstrap.servers": SERVERS}, {"client_id": "me", "request_timeout_ms": 1234}) == plain
    assert kind.of(plain, {}) is plain
    assert kind.of(plain, {"client_id": "you"}) == dataclasses.replace(plain, client_id="you")
    client(plain).close()
    client(dotted).close()
    client(bootstrap_servers=SERVERS).close()


def test_addresses_may_be_given_in_several_ways() -> None:
    for given in ("a:1,b:2", "a:1, b:2,", ["a:1", "b:2"], ("a:1", "b:2")):
        assert ProducerConfig(bootstrap_servers=given).bootstrap_servers == ("a:1", "b:2")


class Codec:
    """A serializer of an application."""

    def serialize(self, topic: str, value: object, headers: object) -> bytes:
        """Returns a value as bytes."""
        return f"{topic}{value}{headers}".encode()


class Functions:
    """A class that is never made an object of."""

    @staticmethod
    def serialize(topic: str, value: object, headers: object) -> bytes:
        """Returns a value as bytes."""
        return f"{topic}{value}{headers}".encode()


def test_classes_that_are_functions_are_serializers() -> None:
    for given in (str, bytes, Functions, Codec()):
        Producer(bootstrap_servers=SERVERS, value_serializer=given).close()  # type: ignore[arg-type]
        if given is not Functions and not isinstance(given, Codec):
            Consumer(bootstrap_servers=SERVERS, value_deserializer=given).close()  # type: ignore[arg-type]


def test_a_time_limit_that_was_given_in_seconds_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    settings: list[tuple[Any, dict[str, Any], list[str]]] = [
        (Producer, {"request_timeout_ms": 30}, ["request_timeout_ms=30 is 30 milliseconds"]),
        (
            Consumer,
            {"group_id": "g", "session_timeout_ms": 45, "heartbeat_interval_ms": 3},
            ["session_timeout_ms=45 is 45"],
        ),
        (Producer, {"max_block_ms": 0, "linger_ms": 5, "close_timeout_ms": 100}, []),
    ]
    for client, given, told in settings:
        caplog.clear()
        client(bootstrap_servers=SERVERS, **given).close()
        lines = [each.getMessage() for each in caplog.records if each.name == "kafkars.config"]
        assert len(lines) == len(told)
        assert all(line.startswith(text) for line, text in zip(lines, told, strict=True)), lines


def test_faces_warn_of_time_limits_as_they_were_written(caplog: pytest.LogCaptureFixture) -> None:
    """`session.timeout.ms: 1` was called session_timeout_ms=2, which the program had written nowhere."""
    settings: list[tuple[Any, dict[str, Any], list[str]]] = [
        (face.Consumer, {"group.id": "g", "session.timeout.ms": 1}, ["session.timeout.ms=1 is 1 "]),
        (face.Producer, {"delivery.timeout.ms": "30"}, ["delivery.timeout.ms=30 is 30 "]),
        (AdminClient, {"socket.timeout.ms": 20}, ["socket.timeout.ms=20 is 20 "]),
        (face.Producer, {"message.timeout.ms": 300}, []),
    ]
    for client, given, told in settings:
        caplog.clear()
        made = client({"bootstrap.servers": SERVERS, "log_level": 0, **given})
        if hasattr(made, "close"):
            made.close()
        lines = [each.getMessage() for each in caplog.records if each.name == "kafkars.config"]
        assert len(lines) == len(told)
        assert all(line.startswith(text) for line, text in zip(lines, told, strict=True)), lines


WRONG: dict[str, tuple[dict[str, object], str]] = {
    "unknown": ({"colour": 1}, "colour: unknown setting"),
    "twice": ({"config": {"acks": 1}, "acks": 1}, "acks: given twice, in config and as an argument"),
    "misspelt": ({"linger_msec": 1}, r"linger_msec: unknown setting; did you mean 'linger_ms'\?"),
    "misspelt with dots": ({"linger.msec": 1}, r"linger\.msec: unknown setting; did you mean 'linger_ms'\?"),
    "of another library": ({"ssl_cafile": "x"}, "ssl_cafile: unknown setting; use ssl_ca_location"),
    "not a number": (
        {"linger_ms": "5"},
        r"linger_ms: expected a number of milliseconds, not the value given \(str\); write the",
    ),
    "nearly a choice": ({"compression_type": "gzpi"}, r"one of 'none', 'gzip', .*, not 'gzpi' \(str\)"),
    "nearly a protocol": ({"security_protocol": "SASL-SLL"}, r"one of 'plaintext', .*, not 'SASL-SLL' \(str\)"),
    "nearly a flag": ({"enable_idempotence": "True"}, r"True or False, not 'True' \(str\)"),
    "no choice at all": ({"compression_type": "Xq7"}, r"one of 'none', 'gzip', .*, not the value given \(str\)"),
    "longer than a slip": ({"sasl_mechanism": "plain123"}, r"one of 'PLAIN', .*, not the value given \(str\)"),
    "a bool for a number": ({"batch_size": True}, r"batch_size: expected a whole number, not True \(bool\)"),
    "a fraction": ({"batch_size": 1.5}, r"batch_size: expected a whole number, not 1\.5 \(float\)"),
    "negative": ({"linger_ms": -1}, "linger_ms: must be at least 0 ms, not -1"),
    "infinite": ({"linger_ms": float("inf")}, "linger_ms: must be from 0 to 9007199254740992 ms, not inf"),
    "not finite": ({"linger_ms": float("nan")}, "linger_ms: must be at least 0 ms, not nan"),
    "huge": ({"batch_size": 2**80}, "batch_size"),
    "text for a flag": ({"enable_idempotence": "yes"}, "enable_idempotence: expected True or False"),
    "no such codec": ({"compression_type": "rar"}, "compression_type: expected one of 'none', 'gzip'"),
    "no such level": ({"compression_type": "gzip", "compression_level": 99}, "compression_level: .*99"),
    "a level without a codec that has any": (
        {"compression_type": "snappy", "compression_level": 1},
        "compression_level",
    ),
    "acks": ({"acks": 2}, 'acks: expected "all", 1 or 0, not 2'),
    "acks against idempotence": ({"acks": 1, "enable_idempotence": True}, "acks.*enable_idempotence"),
    "in flight": ({"max_in_flight_requests_per_connection": 6}, "max_in_flight_requests_per_connection.*5"),
    "delivery timeout": (
        {"delivery_timeout_ms": 5_000},
        "delivery_timeout_ms: is 5000 ms, less than linger_ms=5 . request_timeout_ms=30000: .*lower request_timeout_ms",
    ),
    "buffer": ({"buffer_memory": 1}, "buffer_memory.*max_request_size"),
    "partitioner": ({"partitioner": "best"}, "partitioner: expected one of"),
    "serializer": ({"key_serializer": "json"}, "key_serializer: expected a function"),
    "a class for a serializer": (
        {"value_serializer": JsonSerializer},
        r"value_serializer: JsonSerializer is a class; give an instance: JsonSerializer\(\)",
    ),
    "a class with a method": (
        {"key_serializer": Codec},
        r"key_serializer: Codec is a class; give an instance: Codec\(\)",
    ),
    "a deserializer": (
        {"value_serializer": JsonDeserializer()},
        "value_serializer: expected a function, or an object with serialize.*; JsonDeserializer is a deserializer",
    ),
    "a part of a choice": ({"compression_type": "gz"}, r"one of 'none', 'gzip', .*, not 'gz' \(str\)"),
    "acks as text": ({"acks": "2"}, r"""acks: expected "all", 1 or 0, not '2' \(str\)"""),
    "one of many time limits": ({"timeout": 5}, "timeout: .*request_timeout_ms.*delivery_timeout_ms"),
    "back-off": (
        {"retry_backoff_ms": 5_000},
        "retry_backoff_ms: is 5000 ms, larger than retry_backoff_max_ms=1000",
    ),
    "security": ({"security_protocol": "TLS"}, "security_protocol: expected one of 'plaintext'"),
    "no address": ({"bootstrap_servers": ""}, "bootstrap_servers"),
    "an address without a port": ({"bootstrap_servers": "localhost"}, "bootstrap_servers.*localhost.*port"),
    "an impossible port": ({"bootstrap_servers": "localhost:99999"}, "bootstrap_servers.*1 to 65535"),
    "an address that is no text": ({"bootstrap_servers": [1]}, "bootstrap_servers: expected"),
    "bytes": ({"bootstrap_servers": b"localhost:1"}, "bootstrap_servers: expected"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_setting_of_a_producer_is_told_by_name(what: str) -> None:
    settings, message = WRONG[what]
    with pytest.raises(ConfigError, match=message) as caught:
        Producer(**{"bootstrap_servers": SERVERS, **settings})  # type: ignore[arg-type]
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, KafkaError)


WRONG_CONSUMER: dict[str, tuple[dict[str, object], str]] = {
    "reset": (
        {"auto_offset_reset": "sometimes"},
        "auto_offset_reset: expected 'earliest', 'latest', 'none' or 'by_duration:'",
    ),
    "reset of librdkafka": (
        {"auto_offset_reset": "smallest"},
        "auto_offset_reset: 'smallest' is called 'earliest' here",
    ),
    "isolation": ({"isolation_level": "serializable"}, "isolation_level: expected one of"),
    "fetch sizes": ({"fetch_min_bytes": 100, "fetch_max_bytes": 10}, "fetch_min_bytes.*fetch_max_bytes"),
    "records": ({"max_poll_records": 0}, "max_poll_records"),
    "negative bytes": ({"fetch_buffer_bytes": -1}, "fetch_buffer_bytes"),
    "a producer's": ({"linger_ms": 5}, "linger_ms: unknown setting"),
    "deserializer": ({"value_deserializer": 5}, "value_deserializer: expected a function"),
    "a class for a deserializer": (
        {"value_deserializer": JsonDeserializer},
        r"value_deserializer: JsonDeserializer is a class; give an instance: JsonDeserializer\(\)",
    ),
    "a serializer": ({"key_deserializer": JsonSerializer()}, "key_deserializer: .*; JsonSerializer is a serializer"),
    "an object that serializes": ({"key_deserializer": Codec()}, "key_deserializer: .*; Codec is a serializer"),
    "a part of a level": ({"isolation_level": "committed"}, r"isolation_level: .*, not 'committed' \(str\)"),
}


@pytest.mark.parametrize("what", WRONG_CONSUMER)
def test_a_wrong_setting_of_a_consumer_is_told_by_name(what: str) -> None:
    settings, message = WRONG_CONSUMER[what]
    with pytest.raises(ConfigError, match=message):
        Consumer(**{"bootstrap_servers": SERVERS, **settings})  # type: ignore[arg-type]


def test_the_rest_of_what_can_go_wrong() -> None:
    with pytest.raises(ConfigError, match="bootstrap_servers: missing"):
        Producer()
    with pytest.raises(ConfigError, match=r"linger_ms: given twice, as 'linger\.ms' and as 'linger_ms'"):
        Producer({"bootstrap.servers": SERVERS, "linger.ms": 1}, linger_ms=2)
    with pytest.raises(ConfigError, match="config: expected ProducerConfig or a mapping"):
        Producer(5)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="config: expected ProducerConfig or a mapping"):
        Producer(ConsumerConfig(bootstrap_servers=SERVERS))  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="linger_ms: expected a number"):
        Producer({"bootstrap.servers": SERVERS, "linger.ms": "soon"})
    with pytest.raises(ConfigError, match="not the name of a setting"):
        Producer({5: 5})  # type: ignore[dict-item]
    with pytest.raises(dataclasses.FrozenInstanceError):
        ProducerConfig(bootstrap_servers=SERVERS).linger_ms = 1  # type: ignore[misc]


def test_acks_decides_on_idempotence_where_nothing_is_said() -> None:
    for acks in ("all", -1, 0, 1):
        Producer(bootstrap_servers=SERVERS, acks=acks).close()


def test_a_config_that_is_made_by_hand_names_what_is_wrong() -> None:
    kind: Any = ProducerConfig
    with pytest.raises(TypeError, match="unexpected keyword argument 'linger'; did you mean 'linger_ms'"):
        kind(bootstrap_servers=SERVERS, linger=3)
    with pytest.raises(TypeError, match="ProducerConfig takes settings by their names, as bootstrap_servers="):
        kind(SERVERS)
    with pytest.raises(ConfigError, match=r'config: .* give addresses as bootstrap_servers="host:port"'):
        kind.of(SERVERS, {})

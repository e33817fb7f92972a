"""Settings that do not exist, have the wrong type, or contradict each other: told before any connection is tried."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest
from kafkars import Consumer, ConsumerConfig, Deliveries, Producer, ProducerConfig
from kafkars.aio import Future
from kafkars.config import AdminConfig
from kafkars.config.elsewhere import ELSEWHERE
from kafkars.config.names import hint
from kafkars.errors import ConfigError

from tests.compat.surface.table import LIBRARIES, rows

pytestmark = pytest.mark.usefixtures("nothing_left")

ADDRESS = "localhost:9092"


@pytest.mark.parametrize(
    ("kind", "name", "nearest"),
    [
        ("Producer", "linger", "linger_ms"),
        ("Producer", "batchsize", "batch_size"),
        ("Producer", "compresion_type", "compression_type"),
        ("Producer", "max.in.flight.requests", "max_in_flight_requests_per_connection"),
        ("Consumer", "auto_ofset_reset", "auto_offset_reset"),
        ("Consumer", "fetch.min.byte", "fetch_min_bytes"),
        ("Consumer", "bootstrap_server", "bootstrap_servers"),
        ("Consumer", "client.idd", "client_id"),
    ],
)
def test_an_unknown_setting_names_the_nearest(client_api: Any, kind: str, name: str, nearest: str) -> None:
    with pytest.raises(ConfigError, match=f"{re.escape(name)}: unknown setting.*'{nearest}'") as raised:
        getattr(client_api, kind)({name: 5}, bootstrap_servers=ADDRESS)
    assert raised.value.setting == name


def test_a_setting_like_no_other_says_where_the_settings_are(client_api: Any) -> None:
    with pytest.raises(ConfigError, match=r"zzz: unknown setting; see kafkars\.config"):
        client_api.Producer(bootstrap_servers=ADDRESS, zzz=1)


def test_a_setting_of_the_other_client_says_whose_it_is(client_api: Any) -> None:
    with pytest.raises(ConfigError, match="linger_ms: unknown setting; it is a producer's setting"):
        client_api.Consumer(bootstrap_servers=ADDRESS, linger_ms=5)
    with pytest.raises(ConfigError, match=r"auto\.offset\.reset: unknown setting; it is a consumer's setting"):
        client_api.Producer({"auto.offset.reset": "earliest"}, bootstrap_servers=ADDRESS)


KNOWN = ConsumerConfig.CHECKS.keys() | ProducerConfig.CHECKS.keys()
METHODS = {name for kind in (Consumer, Producer, Deliveries, Future) for name in dir(kind)}
ARGUMENTS = {"max_records", "on_delivery", "on_partitions_assigned", "on_partitions_revoked"}


def test_the_names_of_other_libraries_lead_to_something_there_is() -> None:
    for name in ELSEWHERE:
        leads_to_something_there_is(name)


def leads_to_something_there_is(name: str) -> None:
    assert name not in KNOWN
    told = ELSEWHERE[name]
    assert told.startswith(("use ", "call ", "give ", "leave it out: "))
    without_modules = re.sub(r"kafkars\.\w+|logging\.\w+|\"[\w.]+\"|setLevel\(.*?\)|TCP_NODELAY", "", told)
    methods = set(re.findall(r"(\w+)\(\)", without_modules))
    named = set(re.findall(r"[a-z]+(?:_[a-z]+)+", without_modules))
    assert methods <= METHODS
    assert named <= KNOWN | METHODS | ARGUMENTS
    if told.startswith("use "):
        assert KNOWN & set(re.findall(r"\w+", told)) or "logging" in told
    with pytest.raises(ConfigError, match=re.escape(f"{name}: unknown setting; {told}")):
        ConsumerConfig.of(None, {"bootstrap_servers": ADDRESS, name: "1"})


def names_of_other_libraries() -> set[str]:
    """Every setting that the tables of other libraries have, by the name that it would have here."""
    found = set()
    for library in LIBRARIES:
        for row in rows(library):
            is_client = not re.search(r"schema_registry|GroupCoordinator|helpers|admin\.", row.name)
            if row.kind == "config" and is_client:
                name = f".{row.name}".rpartition(".config.")[2]
                found.add(name.lstrip(".").partition("@")[0].replace(".", "_"))
    return found


@pytest.mark.parametrize("config", [ConsumerConfig, ProducerConfig, AdminConfig])
def test_every_setting_of_other_libraries_is_one_or_leads_somewhere(config: Any) -> None:
    names = names_of_other_libraries()
    assert len(names) > 250
    lost = [name for name in sorted(names) if re.match("see kafkars|did you mean", hint_for(config, name))]
    assert not lost


def hint_for(config: Any, name: str) -> str:
    """What a client tells about a setting, or nothing where it has one."""
    names = frozenset(config.CHECKS)
    return "" if name in names else hint(name, names)


@pytest.mark.parametrize("name", ["broker_version", "colour", "is_fast", "zookeeper_connect"])
def test_what_is_not_near_is_not_suggested(name: str) -> None:
    with pytest.raises(ConfigError, match=f"{name}: unknown setting; see kafkars"):
        ConsumerConfig.of(None, {"bootstrap_servers": ADDRESS, name: "1"})


@pytest.mark.parametrize("kind", ["Producer", "Consumer", "Admin"])
def test_a_config_may_be_given_by_its_name(client_api: Any, kind: str) -> None:
    client = getattr(client_api, kind)(config={"bootstrap.servers": ADDRESS, "client.id": "by-name"})
    client.close()


def test_settings_of_transactions_that_contradict_are_told(client_api: Any) -> None:
    def producer(**settings: Any) -> None:
        client_api.Producer(bootstrap_servers=ADDRESS, **settings)

    with pytest.raises(ConfigError, match="transactional_id: must not be empty"):
        producer(transactional_id="")
    with pytest.raises(ConfigError, match="enable_idempotence: must be True with transactional_id"):
        producer(transactional_id="x", enable_idempotence=False)
    for acks in (0, 1):
        with pytest.raises(ConfigError, match='acks: must be "all"'):
            producer(transactional_id="x", acks=acks)
    with pytest.raises(ConfigError, match="transaction_timeout_ms"):
        producer(transactional_id="x", transaction_timeout_ms=0)


WRONG_TYPES = {
    "client_id": 5,
    "request_timeout_ms": "soon",
    "reconnect_backoff_ms": None,
    "retry_backoff_ms": True,
    "metadata_max_age_ms": [1],
    "receive_message_max_bytes": 1.5,
    "allow_auto_create_topics": "yes",
    "security_protocol": 1,
    "ssl_ca_location": 1,
    "ssl_key_password": 1,
    "ssl_enabled_protocols": 1,
    "sasl_mechanism": 1,
    "sasl_password": b"",
    "sasl_oauthbearer_token_provider": "token",
    "sasl_oauthbearer_extensions": 1,
    "send_buffer_bytes": "64k",
    "bootstrap_servers": 5,
}
WRONG_PRODUCER_TYPES = {
    "acks": 2,
    "linger_ms": "5",
    "batch_size": 1e6,
    "buffer_memory": "32M",
    "max_block_ms": b"1",
    "delivery_timeout_ms": object(),
    "max_in_flight_requests_per_connection": None,
    "compression_type": "zip",
    "compression_level": "high",
    "enable_idempotence": 1,
    "partitioner": "murmur3",
    "key_serializer": "json",
    "value_serializer": 5,
}
WRONG_CONSUMER_TYPES = {
    "auto_offset_reset": "first",
    "isolation_level": "serializable",
    "max_poll_records": 10.0,
    "fetch_min_bytes": None,
    "fetch_max_wait_ms": "1s",
    "fetch_buffer_bytes": {},
    "client_rack": 7,
    "key_deserializer": 1,
    "value_deserializer": b"",
}


@pytest.mark.parametrize(("name", "value"), (WRONG_TYPES | WRONG_PRODUCER_TYPES).items())
def test_a_producer_setting_of_the_wrong_type_is_named(client_api: Any, name: str, value: object) -> None:
    with pytest.raises(ConfigError, match=f"{name}: expected .*{re.escape(type(value).__name__)}") as caught:
        client_api.Producer(**({"bootstrap_servers": ADDRESS} | {name: value}))
    assert isinstance(caught.value, ValueError)
    assert caught.value.setting == name
    assert str(caught.value) == f"{name}: {caught.value.problem}"


@pytest.mark.parametrize(("name", "value"), (WRONG_TYPES | WRONG_CONSUMER_TYPES).items())
def test_a_consumer_setting_of_the_wrong_type_is_named(client_api: Any, name: str, value: object) -> None:
    with pytest.raises(ConfigError, match=f"{name}: expected .*{re.escape(type(value).__name__)}"):
        client_api.Consumer(**({"bootstrap_servers": ADDRESS} | {name: value}))


@pytest.mark.parametrize(
    ("kind", "settings", "named"),
    [
        ("Producer", {"request_timeout_ms": -1}, "request_timeout_ms"),
        ("Producer", {"request_timeout_ms": 0}, "request_timeout_ms"),
        ("Producer", {"request_timeout_ms": float("nan")}, "request_timeout_ms"),
        ("Producer", {"linger_ms": float("inf")}, "linger_ms"),
        ("Producer", {"acks": 1, "enable_idempotence": True}, "acks"),
        ("Producer", {"max_in_flight_requests_per_connection": 6}, "max_in_flight_requests_per_connection"),
        ("Producer", {"max_in_flight_requests_per_connection": 0}, "max_in_flight_requests_per_connection"),
        ("Producer", {"delivery_timeout_ms": 1_000, "request_timeout_ms": 1_000}, "delivery_timeout_ms"),
        ("Producer", {"retry_backoff_ms": 5_000}, "retry_backoff_ms"),
        ("Consumer", {"reconnect_backoff_ms": 5_000}, "reconnect_backoff_ms"),
        ("Consumer", {"max_poll_records": 0}, "max_poll_records"),
        ("Consumer", {"max_poll_records": -1}, "max_poll_records"),
        ("Consumer", {"fetch_min_bytes": 10, "fetch_max_bytes": 5}, "fetch_min_bytes"),
        ("Consumer", {"fetch_max_bytes": 2**40}, "fetch_max_bytes"),
        ("Consumer", {"fetch_buffer_bytes": 0}, "fetch_buffer_bytes"),
        ("Consumer", {"receive_message_max_bytes": 10}, "receive_message_max_bytes"),
        ("Consumer", {"max_decompressed_batch_bytes": -5}, "max_decompressed_batch_bytes"),
        ("Consumer", {"security_protocol": "TLS"}, "security_protocol"),
    ],
)
def test_values_that_cannot_work_are_named(
    client_api: Any, kind: str, settings: Mapping[str, object], named: str
) -> None:
    with pytest.raises(ConfigError, match=named):
        getattr(client_api, kind)(bootstrap_servers=ADDRESS, **settings)


def test_the_address_must_be_there(client_api: Any) -> None:
    for kind in (client_api.Producer, client_api.Consumer):
        with pytest.raises(ConfigError, match="bootstrap_servers: missing"):
            kind()


def test_the_same_setting_twice_is_refused(client_api: Any) -> None:
    with pytest.raises(ConfigError, match=r"linger_ms: given twice, as 'linger\.ms' and as 'linger_ms'"):
        client_api.Producer({"bootstrap.servers": ADDRESS, "linger.ms": 5}, linger_ms=6)


@pytest.mark.parametrize("config", [ADDRESS, [("bootstrap_servers", ADDRESS)], 5])
def test_what_is_no_mapping_is_no_config(client_api: Any, config: object) -> None:
    with pytest.raises(ConfigError, match="config: expected"):
        client_api.Producer(config)


def test_the_config_of_the_other_client_is_refused(client_api: Any) -> None:
    with pytest.raises(ConfigError, match="ProducerConfig"):
        client_api.Producer(ConsumerConfig(bootstrap_servers=ADDRESS))
    with pytest.raises(ConfigError, match="ConsumerConfig"):
        client_api.Consumer(ProducerConfig(bootstrap_servers=ADDRESS))


def test_kafkas_own_names_and_texts_are_understood(client_api: Any) -> None:
    producer = client_api.Producer({"bootstrap.servers": ADDRESS, "linger.ms": "5", "enable.idempotence": "true"})
    producer.close()
    with pytest.raises(ConfigError, match=r"linger_ms|linger\.ms"):
        client_api.Producer({"bootstrap.servers": ADDRESS, "linger.ms": "five"})

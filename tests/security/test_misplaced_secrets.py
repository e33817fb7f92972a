"""A secret that stands in the wrong place is shown nowhere: every setting gets a password and a private key, in several
forms."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import logging
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import kafkars
import pytest
from kafkars import AdminConfig, ConsumerConfig, ProducerConfig
from kafkars.compat import aiokafka, confluent_kafka, kafka
from kafkars.compat.confluent_kafka._properties import KNOWN, TOPIC
from kafkars.compat.kafka.consumer import _settings as of_consumer
from kafkars.compat.kafka.producer import _settings as of_producer
from kafkars.config.aws import AwsKeysError, of_profile
from kafkars.config.client import ClientConfig
from kafkars.config.secret import Secret
from kafkars.errors import ConfigError
from kafkars.spark import client_settings
from kafkars.spark.options import OF_SINK, OF_SOURCE, sink_options, source_options
from kafkars.testing import EmbeddedBroker

from tests.support.certificates import Authority
from tests.support.held_text import held

AUTHORITY = Authority("a")
CLIENT = AUTHORITY.issue("client")
KEY = CLIENT.key_pem()
KEY_LINE = KEY.splitlines()[1]
TOO_LONG = KEY.replace("/", "") * 20
"""No name of a file: the system says so instead of that there is none. A slash of base64 would cut it into short
ones."""
PASSWORD = "Xq7-canary"
NOWHERE = "127.0.0.1:1"

NAMES_AND_PLACES = frozenset(
    """
    bootstrap_servers client_id client_rack group_id group_instance_id group_remote_assignor transactional_id ssl_ca_location
    ssl_ca_pem ssl_crl_location ssl_certificate_location ssl_certificate_pem ssl_key_location ssl_keystore_location
    ssl_cipher_suites sasl_username sasl_oauthbearer_extensions sasl_oauthbearer_client_id sasl_oauthbearer_scope
    sasl_oauthbearer_token_endpoint_ca_location sasl_oauthbearer_token_endpoint_ca_pem sasl_kerberos_service_name
    sasl_kerberos_domain_name sasl_kerberos_principal sasl_kerberos_keytab sasl_kerberos_ccache sasl_aws_msk_iam_region
    sasl_aws_msk_iam_access_key_id sasl_aws_msk_iam_profile
    metadata_broker_list broker_rack https_ca_location
    sasl_plain_username ssl_cafile ssl_certfile ssl_keyfile ssl_crlfile
    subscribe assign topic subscribePattern kafkars_transactional_id_prefix kafkars_commit_group kafkars_marks_topic
    ssl_truststore_location
    """.split()
)
"""Settings that are words of the program's own, which may be shown; a private key may not be even there."""

BASES: tuple[dict[str, Any], ...] = (
    {},
    {
        "security_protocol": "ssl",
        "ssl_ca_pem": AUTHORITY.own.pem,
        "ssl_certificate_pem": CLIENT.pem,
        "ssl_key_pem": KEY,
    },
    {
        "security_protocol": "sasl_plaintext",
        "sasl_mechanism": "PLAIN",
        "sasl_username": "alice",
        "sasl_password": "Xq7",
    },
    {
        "security_protocol": "sasl_plaintext",
        "sasl_mechanism": "OAUTHBEARER",
        "sasl_oauthbearer_token_endpoint_url": "https://127.0.0.1:1/",
        "sasl_oauthbearer_client_id": "a",
        "sasl_oauthbearer_client_secret": "Xq7",
    },
)


def values(name: str = "") -> Iterator[object]:
    # A password that is given as an address may be told: in the log, while the next setting is tried already.
    is_address = plain(name) in {"bootstrap_servers", "metadata_broker_list"}
    for text in (KEY,) if is_address else (PASSWORD, KEY):
        yield from (text, text.encode(), [text], (text,), {"a": text})
    # A path is a place, and a name is a name, unless they hold a key.
    yield from (Path(KEY), {KEY: KEY}, TOO_LONG, f"{KEY}\0")
    yield from () if is_address else ODD


ODD = (
    PASSWORD + "\udcff",  # as `os.environ` has bytes that are no UTF-8
    "\ud800" + PASSWORD,
    PASSWORD + "\0",
    PASSWORD * 500,
    PASSWORD.encode() + b"\xff",
    bytearray(PASSWORD.encode()),
    [PASSWORD + "\udcff"],
    {"a": PASSWORD + "\udcff"},
    Path(PASSWORD + "\ud800"),
    Path(KEY + "\ud800"),
)
"""Forms of a secret that Python or the system refuses, with errors that hold it."""


def test_a_url_that_holds_one() -> None:
    for url in (f"https://a:{PASSWORD}@127.0.0.1/", f"https://a:{PASSWORD}/", f"https://a/?client_secret={PASSWORD}"):
        for name in (name for name in AdminConfig.CHECKS if name.endswith("_url")):
            with pytest.raises(ConfigError) as raised:
                AdminConfig(bootstrap_servers=NOWHERE, **{name: url})
            assert PASSWORD not in "".join(held(raised.value))


@pytest.mark.parametrize("content", [b"\xff" + PASSWORD.encode(), PASSWORD.encode("utf-16")], ids=["bytes", "UTF-16"])
def test_a_file_that_is_no_text(content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the parts written in Python read it: the client's secret at a token endpoint, the keys of AWS."""
    path = tmp_path / "secret"
    path.write_bytes(content)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(path))
    for read, expected in ((Secret(path).read, ValueError), (lambda: of_profile("default"), AwsKeysError)):
        with pytest.raises(expected) as raised:
            read()
        said = "".join(held(raised.value))
        assert PASSWORD not in said
        assert PASSWORD not in said.replace("\0", "")


def test_a_byte_order_mark_is_no_part_of_a_secret(client_api: Any, tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text(f"\ufeff{PASSWORD}\r\n", encoding="utf-8", newline="")
    assert Secret(path).read() == PASSWORD
    with EmbeddedBroker(security="SASL_PLAINTEXT", users={"alice": PASSWORD}) as broker:
        settings = broker.client_settings(mechanism="PLAIN", user="alice") | {"sasl_password": path}
        with client_api.Admin(**settings) as admin:
            admin.list_topics(timeout=20)


SEARCHED: list[int] = []


@pytest.fixture(scope="module", autouse=True)
def tally() -> Iterator[None]:
    """What `-s` prints at the end."""
    yield
    sys.stdout.write(f"{len(SEARCHED)} settings, {sum(SEARCHED)} characters of output were searched for secrets\n")


@pytest.fixture
def tried(caplog: pytest.LogCaptureFixture) -> Callable[[str, Callable[[], object]], None]:
    caplog.set_level(logging.DEBUG)

    def try_one(name: str, make: Callable[[], object]) -> None:
        caplog.clear()
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                said = repr(make())
            except Exception as error:  # noqa: BLE001  whatever it is, it is told
                said = "".join(traceback.format_exception(error)) + repr(error) + "".join(held(error))
        said += "".join(record.getMessage() + "".join(held(record.__dict__)) for record in caplog.records)
        said += "".join(text for each in warned for text in (str(each.message), *held(each.message)))
        SEARCHED.append(len(said))
        assert KEY_LINE not in said, name
        assert KEY_LINE.replace("/", "") not in said, name
        assert PASSWORD not in said or plain(name) in NAMES_AND_PLACES, (name, said[-600:])

    return try_one


def plain(name: str) -> str:
    return name.removeprefix("kafka.").removeprefix("topic.").replace(".", "_")


Tried = Callable[[str, Callable[[], object]], None]


def native(config: type[ClientConfig], client: Callable[..., Any], settings: Mapping[str, Any]) -> object:
    made = config(**{"bootstrap_servers": NOWHERE, **settings})
    said = [repr(made), str(made)]
    with client(made) as opened:
        return [*said, repr(opened)]


@pytest.mark.parametrize(
    ("config", "client"),
    [(AdminConfig, kafkars.Admin), (ProducerConfig, kafkars.Producer), (ConsumerConfig, kafkars.Consumer)],
)
@pytest.mark.timeout(120)
def test_native(tried: Tried, config: type[ClientConfig], client: Callable[..., Any]) -> None:
    # Those that all clients have are tried with one of them.
    for name in config.CHECKS if config is AdminConfig else config.CHECKS.keys() - AdminConfig.CHECKS.keys():
        for base in BASES:
            for value in values(name):
                tried(name, lambda base=base, name=name, value=value: native(config, client, {**base, name: value}))


@pytest.mark.parametrize("client", [kafkars.Admin, kafkars.Producer, kafkars.Consumer])
def test_what_is_no_mapping(tried: Tried, client: Any) -> None:
    for value in values():
        for given in (value, [("sasl.password", value)]):
            tried("config", lambda given=given: client(given))
    tried("a name", lambda: client({PASSWORD.encode(): "sasl.password"}))


@pytest.mark.timeout(300)
def test_confluent_kafka(tried: Tried) -> None:
    bases: tuple[dict[str, Any], ...] = tuple(
        {name.replace("_", "."): value for name, value in base.items()} for base in BASES[:3]
    )

    def make(client: Any, settings: object) -> object:
        made = client(settings)
        made.close() if hasattr(made, "close") else None
        return made

    clients = (confluent_kafka.Producer, confluent_kafka.Consumer)
    # Most settings are of both. Beside those of TLS and SASL each value is tried with one of the two.
    turns = itertools.cycle(clients)
    for name in (*KNOWN, *TOPIC, "default.topic.config", "error_cb", "stats_cb", "on_delivery", "logger"):
        for base in bases:
            for value in values(name):
                for client in (next(turns),) if base else clients:
                    settings = {"bootstrap.servers": NOWHERE, "group.id": "g", **base, name: value}
                    tried(name, lambda client=client, settings=settings: make(client, settings))
    for value in values():
        for client in clients:
            tried("config", lambda client=client, value=value: client(value))
            tried("config", lambda client=client, value=value: client([("sasl.password", value)]))


KAFKA_BASES: tuple[dict[str, Any], ...] = (
    {},
    {"security_protocol": "SSL"},
    {
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "PLAIN",
        "sasl_plain_username": "alice",
        "sasl_plain_password": "Xq7",
    },
)


@pytest.mark.timeout(120)
def test_kafka_python(tried: Tried) -> None:
    for settings in (of_consumer, of_producer):
        for name in settings.DEFAULTS:
            for base in KAFKA_BASES:
                for value in values(name):
                    client = kafka.KafkaProducer if settings is of_producer else kafka.KafkaConsumer
                    given = {"bootstrap_servers": NOWHERE, "bootstrap_timeout_ms": 1, **base, name: value}
                    tried(name, lambda client=client, given=given: client(**given))


@pytest.mark.timeout(120)
@pytest.mark.filterwarnings("ignore:Unclosed", "ignore:api_version")
def test_aiokafka(tried: Tried) -> None:
    async def all_settings() -> None:
        for client in (aiokafka.AIOKafkaProducer, aiokafka.AIOKafkaConsumer):
            for name in inspect.signature(client).parameters:
                for base in KAFKA_BASES:
                    for value in values(name):
                        if name in {"loop", "topics"}:
                            continue
                        given = {"bootstrap_servers": NOWHERE, **base, name: value}
                        tried(name, lambda client=client, given=given: client(**given))

    asyncio.run(all_settings())


@pytest.mark.timeout(120)
def test_spark(tried: Tried) -> None:
    clients = [*client_settings.known_names(), *client_settings.CONVERTED, *client_settings.WITHOUT_EFFECT]
    names = [*OF_SOURCE, *OF_SINK, *("kafka." + name for name in clients)]
    address = {"kafka.bootstrap.servers": NOWHERE}
    stores = {"kafka.ssl.truststore.location": "a", "kafka.ssl.keystore.location": "a"}
    for name in names:
        for text in (PASSWORD, KEY, ODD[0]):
            for given in (address, {**address, **stores}):
                for streaming in (False, True):
                    read = {"subscribe": "a", **given, name: text}
                    tried(name, lambda read=read, streaming=streaming: source_options(read, streaming=streaming))
                    write = {**given, name: text}
                    tried(name, lambda write=write, streaming=streaming: sink_options(write, streaming=streaming))

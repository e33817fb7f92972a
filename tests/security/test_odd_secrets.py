"""Secrets that are no text of UTF-8, and errors about other settings: neither an error nor a frame that it has come
through holds one."""

from __future__ import annotations

import asyncio
import gc
import inspect
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import kafkars
import pytest
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat
from kafkars import AdminConfig, ConsumerConfig, ProducerConfig
from kafkars.admin import UserScramCredentialUpsertion
from kafkars.compat import aiokafka, confluent_kafka, kafka
from kafkars.compat.aiokafka.helpers import create_ssl_context
from kafkars.compat.confluent_kafka._properties import KNOWN
from kafkars.compat.confluent_kafka.admin import AdminClient
from kafkars.compat.kafka.consumer import _settings as of_consumer
from kafkars.compat.kafka.producer import _settings as of_producer
from kafkars.errors import ConfigError, InvalidArgumentError
from kafkars.spark.options import sink_options, source_options
from kafkars.testing import Certificate, EmbeddedBroker, Listener

from tests.support.certificates import Authority
from tests.support.held_text import held, locals_of

pytestmark = pytest.mark.timeout(120)
SECRET = "Xq7-canary"
SURROGATES = (SECRET + "\udcff", "\ud800" + SECRET)
NOWHERE = "127.0.0.1:1"
AUTHORITY = Authority("a")
CLIENT = AUTHORITY.issue("client")
LATIN = "groß-Xq7".encode("latin-1")
WRONG: tuple[Any, ...] = (object(), "Xq7\udcff", -1)

NATIVE: dict[str, Any] = {
    "bootstrap_servers": NOWHERE,
    "security_protocol": "sasl_ssl",
    "sasl_mechanism": "PLAIN",
    "sasl_username": "alice",
    "sasl_password": SECRET,
    "ssl_key_password": SECRET,
    "ssl_keystore_password": SECRET,
    "sasl_oauthbearer_client_secret": SECRET,
    "sasl_aws_msk_iam_secret_access_key": SECRET,
    "sasl_aws_msk_iam_session_token": SECRET,
}


def raised(make: Callable[[], object], *, frames: bool = True) -> BaseException | None:
    """The error of a call, which is to hold no secret, nor may the frames that it has come through."""
    try:
        made = make()
    except Exception as error:  # noqa: BLE001  whatever it is, it is told
        refused = error
    else:
        getattr(made, "close", lambda: None)()
        return None
    assert not [text for text in (repr(refused), str(refused), *held(refused)) if SECRET in text], repr(refused)
    places = [place for place, shown in locals_of(refused) if SECRET in shown]
    assert not (frames and places), places
    return refused


def beside(names: Iterator[str] | Any, base: dict[str, Any], make: Callable[[dict[str, Any]], object]) -> int:
    """How many errors there were with each of the settings made wrong in turn."""
    return sum(raised(lambda n=name, v=value: make({**base, n: v})) is not None for name in names for value in WRONG)


@pytest.mark.parametrize(
    ("config", "client"),
    [(AdminConfig, kafkars.Admin), (ProducerConfig, kafkars.Producer), (ConsumerConfig, kafkars.Consumer)],
)
def test_a_wrong_setting_beside_secrets(config: Any, client: Any) -> None:
    calls: tuple[Callable[[dict[str, Any]], object], ...] = (
        lambda settings: config(**settings),
        lambda settings: client(**settings),
        client,
        lambda settings: client({name.replace("_", "."): value for name, value in settings.items()}),
    )
    for make in calls:
        assert beside(config.CHECKS, NATIVE, make) > len(config.CHECKS)


def test_a_wrong_setting_of_confluent_kafka_beside_secrets() -> None:
    base = {
        "bootstrap.servers": NOWHERE,
        "group.id": "g",
        "security.protocol": "sasl_ssl",
        "sasl.mechanism": "PLAIN",
        "sasl.username": "alice",
        "sasl.password": SECRET,
        "ssl.key.password": SECRET,
        "ssl.keystore.password": SECRET,
    }
    for client in (confluent_kafka.Producer, confluent_kafka.Consumer, AdminClient):
        assert beside(KNOWN, base, client) > 50


def test_a_wrong_setting_of_kafka_python_beside_secrets() -> None:
    base = {
        "bootstrap_servers": NOWHERE,
        "bootstrap_timeout_ms": 1,
        "security_protocol": "SASL_SSL",
        "sasl_mechanism": "PLAIN",
        "sasl_plain_username": "alice",
        "sasl_plain_password": SECRET,
        "ssl_password": SECRET,
    }
    for settings, client in ((of_consumer, kafka.KafkaConsumer), (of_producer, kafka.KafkaProducer)):
        assert beside(settings.DEFAULTS, base, lambda given, client=client: client(**given)) > 50


@pytest.mark.filterwarnings("ignore:Unclosed", "ignore:api_version", "ignore:loop", "ignore::RuntimeWarning")
def test_a_wrong_setting_of_aiokafka_beside_secrets(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "asyncio")
    base = {
        "bootstrap_servers": NOWHERE,
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "PLAIN",
        "sasl_plain_username": "alice",
        "sasl_plain_password": SECRET,
    }

    async def all_settings() -> None:
        for client in (aiokafka.AIOKafkaProducer, aiokafka.AIOKafkaConsumer):
            names = [name for name in inspect.signature(client).parameters if name not in {"loop", "topics"}]
            assert beside(names, base, lambda given, client=client: client(**given) and None) > 10  # type: ignore[func-returns-value]
            for password in SURROGATES:
                made = client(**{**base, "sasl_plain_password": password})
                with pytest.raises(ValueError, match="UTF-8") as refused:
                    await made.start()
                assert raised(lambda refused=refused: throw(refused.value)) is not None

    asyncio.run(all_settings())
    gc.collect()  # here, where nobody minds that clients were not stopped


def throw(error: BaseException) -> None:
    raise error


def test_wrong_options_of_spark_beside_secrets() -> None:
    jaas = f'org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="{SECRET}";'
    base = {
        "kafka.bootstrap.servers": NOWHERE,
        "kafka.security.protocol": "SASL_SSL",
        "kafka.sasl.mechanism": "PLAIN",
        "kafka.sasl.jaas.config": jaas,
    }
    wrong = {"kafka.ssl.protocol.typo": "a", "kafka.ssl.truststore.location": "a", "kafka.sasl.mechanism": "X"}
    for name, value in {**wrong, "kafka.sasl.jaas.config": SECRET + " required a=b;", "kafka." + SECRET: "a"}.items():
        given = {**base, name: value}
        assert raised(lambda given=given: source_options({"subscribe": "a", **given}, streaming=False)), name
        assert raised(lambda given=given: sink_options(given, streaming=False)), name


@pytest.mark.parametrize("odd", [*SURROGATES, SECRET.encode() + b"\xff"], ids=["escaped", "lone", "bytes"])
def test_a_secret_that_is_no_text(odd: Any) -> None:
    plain = {"bootstrap_servers": NOWHERE, "security_protocol": "sasl_plaintext", "sasl_mechanism": "PLAIN"}
    error = raised(lambda: kafkars.Producer(**plain, sasl_username="u", sasl_password=odd))
    assert isinstance(error, ConfigError)
    assert str(error).startswith("sasl_password: ")
    dotted = {"bootstrap.servers": NOWHERE, "security.protocol": "sasl_plaintext", "sasl.mechanism": "PLAIN"}
    face = raised(
        lambda: confluent_kafka.Producer({**dotted, "sasl.username": "u", "sasl.password": odd}),
    )
    assert isinstance(face, confluent_kafka.KafkaException)
    error = raised(lambda: EmbeddedBroker(security="SASL_PLAINTEXT", users={"u": odd}))
    assert isinstance(error, ConfigError)
    pair = Certificate(CLIENT.pem, odd)
    assert isinstance(
        raised(lambda: EmbeddedBroker(listeners={"a": Listener("SSL", certificate=pair)})), (ConfigError, TypeError)
    )
    with EmbeddedBroker(security="SASL_PLAINTEXT", users={"u": "p"}) as broker:
        assert isinstance(raised(lambda: broker.add_user("v", odd)), ConfigError)
        with kafkars.Admin(broker.client_settings()) as admin:
            if isinstance(odd, str):
                for change in (
                    UserScramCredentialUpsertion("v", "SCRAM-SHA-256", odd),
                    UserScramCredentialUpsertion("v", SECRET, "p"),  # type: ignore[arg-type]
                    UserScramCredentialUpsertion(odd, "SCRAM-SHA-256", "p"),
                ):
                    # Users and mechanisms are shown by changes themselves.
                    is_password = change.password != "p"
                    error = raised(
                        lambda change=change: admin.alter_user_scram_credentials([change]), frames=is_password
                    )
                    assert isinstance(error, InvalidArgumentError)


@pytest.mark.parametrize("name", ["sasl_oauthbearer_client_id", "sasl_oauthbearer_scope", "ssl_ca_pem", "client_id"])
def test_any_text_of_a_setting_is_utf8(name: str) -> None:
    for odd in SURROGATES:
        for client in (kafkars.Producer, kafkars.Consumer, kafkars.Admin):
            error = raised(lambda client=client, odd=odd: client(**{"bootstrap_servers": NOWHERE, name: odd}))
            assert isinstance(error, ConfigError)
            assert str(error).startswith(name)


def test_what_functions_give_is_not_told() -> None:
    with EmbeddedBroker(security="SASL_PLAINTEXT", users={"u": "p"}) as broker:
        settings = {**broker.client_settings(), "sasl_mechanism": "PLAIN", "default_api_timeout_ms": 5000}
        for odd in (*SURROGATES, SECRET.encode(), [SECRET]):
            with kafkars.Admin({**settings, "sasl_password": lambda odd=odd: odd}) as admin:
                assert raised(admin.list_topics) is not None


def files(folder: Path) -> tuple[str, str]:
    """A certificate, and its key under a password that is no UTF-8."""
    certificate, key = folder / "client.pem", folder / "client.key"
    certificate.write_text(CLIENT.pem)
    key.write_bytes(CLIENT.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(LATIN)))
    return str(certificate), str(key)


@pytest.mark.parametrize("given", [LATIN, bytearray(LATIN), lambda: LATIN], ids=["bytes", "bytearray", "function"])
def test_the_password_of_a_key_may_be_any_bytes(given: Any, tmp_path: Path) -> None:
    certificate, key = files(tmp_path)
    ca = tmp_path / "ca.pem"
    ca.write_text(AUTHORITY.own.pem)
    server = AUTHORITY.issue("localhost")
    listener = Listener(
        "SSL",
        certificate=Certificate(server.pem, server.key_pem()),
        client_auth="required",
        client_ca_pem=AUTHORITY.own.pem,
    )
    with EmbeddedBroker(listeners={"a": listener}, topics={"t": 1}) as broker:
        tls = {"bootstrap_servers": broker.bootstrap_servers, "security_protocol": "SSL"}
        names = {"ssl_ca_location": str(ca), "ssl_certificate_location": certificate, "ssl_key_location": key}
        with kafkars.Admin(**{**tls, **names, "ssl_key_password": given}) as admin:
            assert "t" in admin.list_topics()
        in_python = {"ssl_cafile": str(ca), "ssl_certfile": certificate, "ssl_keyfile": key, "ssl_password": given}
        kafka.KafkaProducer(**tls, **in_python).close()
        if isinstance(given, bytes):
            dotted = {name.replace("_", "."): value for name, value in {**tls, **names}.items()}
            client = AdminClient({**dotted, "ssl.key.password": given})
            assert "t" in client.list_topics(timeout=10).topics
        context = create_ssl_context(cafile=str(ca), certfile=certificate, keyfile=key, password=given)

        async def send() -> None:
            producer = aiokafka.AIOKafkaProducer(**tls, ssl_context=context)
            await producer.start()
            await producer.send_and_wait("t", b"a")
            await producer.stop()

        asyncio.run(send())
    wrong = raised(lambda: kafkars.Admin(**{**tls, **names, "ssl_key_password": LATIN + b"\xff"}))
    assert "does not open the key" in str(wrong)


@pytest.mark.parametrize("odd", ["https://a/b c", "https://a/\0", "https://a/ü", "https://a/?b=ü", "https://a/\x7f"])
def test_an_endpoint_that_is_no_url_is_refused_at_once(odd: str) -> None:
    login = {"security_protocol": "sasl_plaintext", "sasl_mechanism": "OAUTHBEARER"}
    client = {"sasl_oauthbearer_client_id": "a", "sasl_oauthbearer_client_secret": SECRET}
    with pytest.raises(ConfigError, match=r"^sasl_oauthbearer_token_endpoint_url: has letters that no URL has"):
        AdminConfig(bootstrap_servers=NOWHERE, sasl_oauthbearer_token_endpoint_url=odd, **login, **client)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ssl.truststore.password", "ssl_ca_location"),
        ("ssl.truststore.type", "ssl_ca_location"),
        ("ssl.keystore.type", "PKCS#12"),
        ("enable.ssl.certificate.verification", "always checked"),
    ],
)
def test_settings_of_stores_lead_to_what_there_is(name: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        kafkars.Producer({"bootstrap.servers": NOWHERE, name: "x"})


def test_suites_are_named_and_passwords_are_not() -> None:
    tls = {"bootstrap_servers": NOWHERE, "security_protocol": "ssl", "ssl_ca_pem": AUTHORITY.own.pem}
    assert SECRET not in str(raised(lambda: kafkars.Admin(**tls, ssl_cipher_suites=SECRET)))  # type: ignore[arg-type]
    error = raised(lambda: kafkars.Admin(**tls, ssl_cipher_suites="ECDHE-RSA-NULL-SHA"))  # type: ignore[arg-type]
    assert '"ECDHE-RSA-NULL-SHA" is not offered' in str(error)
    of_another = {"ssl_enabled_protocols": "TLSv1.3", "ssl_cipher_suites": "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"}
    error = raised(lambda: kafkars.Admin(**tls, **of_another))  # type: ignore[arg-type]
    assert str(error).startswith("ssl_cipher_suites: none of them is for a version of TLS")


def test_an_api_version_that_is_none_is_not_quoted(caplog: pytest.LogCaptureFixture) -> None:
    error = raised(lambda: kafka.KafkaProducer(bootstrap_servers=NOWHERE, api_version=SECRET))
    assert isinstance(error, ValueError)
    assert SECRET not in caplog.text

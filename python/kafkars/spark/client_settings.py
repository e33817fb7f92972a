"""Translation of `kafka.*` options, which have the names of Java's clients, to settings of our clients."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from kafkars.config import ConsumerConfig, ProducerConfig, checks
from kafkars.config.client import ClientConfig
from kafkars.config.names import is_like_a_name, nearest
from kafkars.consumer import Consumer
from kafkars.errors import ConfigError
from kafkars.producer import Producer
from kafkars.spark import login

PREFIX = "kafka."

ALWAYS_BYTES = "keys and values are bytes here; use expressions of Spark to make something of them"

REFUSED = {
    "auto.offset.reset": "use startingOffsets, which says where a new query begins; a restarted one goes on from its checkpoint",
    "enable.auto.commit": "Spark keeps the offsets in its checkpoint; kafkars.commit.group commits them to a group besides",
    "interceptor.classes": "Java classes cannot run here",
    "key.deserializer": ALWAYS_BYTES,
    "value.deserializer": ALWAYS_BYTES,
    "key.serializer": ALWAYS_BYTES,
    "value.serializer": ALWAYS_BYTES,
    "transactional.id": "use kafkars.delivery=exactly-once, and kafkars.transactional.id.prefix for its beginning",
    "metric.reporters": "Java classes cannot run here",
    "security.providers": "Java classes cannot run here",
    "ssl.engine.factory.class": "Java classes cannot run here",
    "sasl.login.class": "Java classes cannot run here",
    "ssl.provider": "TLS is that of rustls here",
    "ssl.trustmanager.algorithm": "TLS is that of rustls here",
    "ssl.keymanager.algorithm": "TLS is that of rustls here",
    "ssl.secure.random.implementation": "TLS is that of rustls here",
}
"""Options of Java's clients that cannot be honoured, with what to do instead."""

WITHOUT_EFFECT = frozenset(
    """
    auto.include.jmx.reporter check.crcs client.dns.lookup compression.gzip.level compression.lz4.level
    compression.zstd.level enable.metrics.push exclude.internal.topics group.protocol max.poll.interval.ms
    max.poll.records metadata.max.idle.ms metadata.recovery.rebootstrap.trigger.ms metadata.recovery.strategy
    metrics.num.samples metrics.recording.level metrics.sample.window.ms partition.assignment.strategy
    partitioner.adaptive.partitioning.enable partitioner.availability.timeout.ms retries session.timeout.ms
    heartbeat.interval.ms group.instance.id group.remote.assignor socket.connection.setup.timeout.max.ms ssl.protocol
    sasl.login.refresh.buffer.seconds sasl.login.refresh.min.period.seconds sasl.login.refresh.window.factor
    sasl.login.refresh.window.jitter sasl.kerberos.kinit.cmd sasl.kerberos.min.time.before.relogin
    sasl.kerberos.ticket.renew.jitter sasl.kerberos.ticket.renew.window.factor
    """.split()
)
"""Options of Java's clients that have no effect here: a query is in no group, and our client always retries until its
time-outs and checks every checksum."""

PARTITIONERS = {
    "": "default",
    "org.apache.kafka.clients.producer.internals.DefaultPartitioner": "default",
    "org.apache.kafka.clients.producer.UniformStickyPartitioner": "murmur2_sticky",
    "org.apache.kafka.clients.producer.RoundRobinPartitioner": "round_robin",
}
"""Java's own partitioners, and the names of ours."""

SECURITY_TEXT = ("sasl.jaas.config", "partitioner.class", "partitioner.ignore.keys", "group.id")
SSL_STORES = (
    "ssl.truststore.type",
    "ssl.truststore.location",
    "ssl.truststore.password",
    "ssl.truststore.certificates",
    "ssl.keystore.type",
    "ssl.keystore.location",
    "ssl.keystore.password",
    "ssl.keystore.key",
    "ssl.keystore.certificate.chain",
    "ssl.key.password",
)
CONVERTED = (*SECURITY_TEXT, *SSL_STORES, *login.HANDLERS)


def known_names() -> dict[str, str]:
    """Returns every option of Java's clients that is a setting of ours, with our name."""
    fields = {**ConsumerConfig.CHECKS, **ProducerConfig.CHECKS}
    return {name.replace("_", "."): name for name in fields}


def translate(given: Mapping[str, str]) -> dict[str, str]:
    """Returns settings of our clients, of all kinds together, for options without their `kafka.`.

    Raises:
        ConfigError: A name is unknown or cannot be honoured. The message names the option and shows no secret.
    """
    known = known_names()
    checks.without_key("kafka.group.id", given.get("group.id"))
    settings: dict[str, str] = {}
    for name, value in given.items():
        option = PREFIX + name
        if name in REFUSED:
            raise ConfigError.of(option, f"not supported; {REFUSED[name]}")
        if name in WITHOUT_EFFECT or name in CONVERTED:
            continue
        if name == "ssl.endpoint.identification.algorithm" and not value.strip():
            settings[known[name]] = "none"
        elif name in {"receive.buffer.bytes", "send.buffer.bytes"} and value.strip() == "-1":
            continue
        elif name == "batch.size" and value.strip() == "0":
            # With Java's client 0 means that each record is a batch of its own.
            settings[known[name]] = "1"
        elif name in known:
            settings[known[name]] = value
        else:
            raise ConfigError(_unknown(option, name, known))
    settings.update(_stores(given))
    settings.update(login.settings(given))
    settings.update(_partitioner(given))
    settings.update(_level(given, settings))
    return settings


def check(settings: Mapping[str, str]) -> None:
    """Checks the values of all settings, so that a wrong one is refused before any job starts.

    Raises:
        ConfigError: One is wrong; the message names it as an option.
    """
    for config in (ConsumerConfig, ProducerConfig):
        make(config, part(settings, config))


def check_client(settings: Mapping[str, str], config: type[ClientConfig], **own: Any) -> None:
    """Checks the settings of one kind of client together.

    Args:
        settings: The settings of the options.
        config: The kind of client that the tasks will make.
        own: Settings that the tasks add.

    Raises:
        ConfigError: One is out of range, or contradicts another; the message names it as an option.
    """
    kind: type[Any] = Consumer if config is ConsumerConfig else Producer
    # Without those of TLS and SASL: their files may be on the executors only.
    secret = ("ssl_", "sasl_", "security_")
    plain = {name: value for name, value in part(settings, config).items() if not name.startswith(secret)}
    made = make(config, {**plain, **own})
    with named_as_option(config):
        kind(made).close(0)


def part(settings: Mapping[str, str], config: type[ClientConfig]) -> dict[str, str]:
    """Returns the settings that one kind of client has."""
    return {name: value for name, value in settings.items() if name in config.CHECKS}


def make(config: type[Any], values: Mapping[str, Any]) -> Any:
    """Makes a config of our client from text; messages name the option as it was written."""
    with named_as_option(config):
        return config.of(
            {name: checks.Text(value) if isinstance(value, str) else value for name, value in values.items()}, {}
        )


@contextmanager
def named_as_option(config: type[ClientConfig]) -> Iterator[None]:
    """Makes errors about a setting of ours name the option as it was written."""
    try:
        yield
    except ConfigError as error:
        if error.setting is not None and error.setting in config.CHECKS:
            raise ConfigError.of(PREFIX + error.setting.replace("_", "."), error.problem) from None
        raise


def _unknown(option: str, name: str, known: Mapping[str, str]) -> str:
    if not is_like_a_name(name):
        return (
            f"{PREFIX}...: what is given as the name of an option is none; it is not shown, because it may be a secret"
        )
    near = nearest(name, [*known, *WITHOUT_EFFECT, *CONVERTED])
    return f"{option}: unknown option" + (f"; did you mean {PREFIX}{near}?" if near else " of a Kafka client")


def _partitioner(given: Mapping[str, str]) -> dict[str, str]:
    if given.get("partitioner.ignore.keys", "false").strip().lower() == "true":
        raise ConfigError(
            "kafka.partitioner.ignore.keys: true is not supported; leave the key column out, or set a partition column"
        )
    name = given.get("partitioner.class")
    if name is None:
        return {}
    if name.strip() not in PARTITIONERS:
        raise ConfigError(
            f"kafka.partitioner.class: Java classes cannot run here; known are {', '.join(filter(None, PARTITIONERS))}, and the "
            "column `partition` chooses for each row"
        )
    return {"partitioner": PARTITIONERS[name.strip()]}


def _level(given: Mapping[str, str], settings: Mapping[str, str]) -> dict[str, str]:
    level = given.get(f"compression.{settings.get('compression_type', 'none').strip().lower()}.level")
    return {} if level is None else {"compression_level": level}


def _stores(given: Mapping[str, str]) -> dict[str, str]:
    """Translates Java's key and trust stores: PEM and PKCS#12 are supported, JKS is not."""
    settings: dict[str, str] = {}
    rename: Callable[[str, str], None] = lambda old, new: (  # noqa: E731
        settings.update({new: given[old]}) if old in given else None
    )
    trust = _type(given, "ssl.truststore", "ssl.truststore.certificates")
    if trust is not None:
        if trust != "PEM":
            raise ConfigError(
                "kafka.ssl.truststore.type: only PEM is supported (Java's default is JKS); make PEM of it "
                "(keytool -exportcert -rfc -keystore FILE -alias NAME > ca.pem) and set kafka.ssl.truststore.type=PEM"
            )
        rename("ssl.truststore.location", "ssl_ca_location")
        rename("ssl.truststore.certificates", "ssl_ca_pem")
    keys = _type(given, "ssl.keystore", "ssl.keystore.key")
    if keys == "PEM":
        rename("ssl.keystore.location", "ssl_certificate_location")
        rename("ssl.keystore.certificate.chain", "ssl_certificate_pem")
        rename("ssl.keystore.key", "ssl_key_pem")
        rename("ssl.key.password", "ssl_key_password")
    elif keys == "PKCS12":
        rename("ssl.keystore.location", "ssl_keystore_location")
        rename("ssl.keystore.password", "ssl_keystore_password")
    elif keys is not None:
        raise ConfigError(
            "kafka.ssl.keystore.type: only PEM and PKCS12 are supported (Java's default is JKS); make PKCS12 of it "
            "(keytool -importkeystore -srckeystore FILE -destkeystore FILE.p12 -deststoretype PKCS12) and set kafka.ssl.keystore.type=PKCS12"
        )
    return settings


def _type(given: Mapping[str, str], store: str, text: str) -> str | None:
    """Returns the type of a store; None if there is no store. Java's default is JKS."""
    if f"{store}.location" not in given and text not in given:
        return None
    return given.get(f"{store}.type", "JKS").strip().upper()

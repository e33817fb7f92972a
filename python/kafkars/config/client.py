"""Settings that every client has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from kafkars.config import checks, names, security
from kafkars.config.secret import Secret, SecretValue
from kafkars.config.security import AwsCredentialsProvider, TokenProvider
from kafkars.errors import ConfigError

if TYPE_CHECKING:
    from dataclasses import dataclass as settings
else:
    from kafkars._frozen import settings

C = TypeVar("C", bound="ClientConfig")


class ClientIdentity(NamedTuple):
    """The settings that a client keeps to be identified by in metrics and traces; none of them is secret."""

    client_id: str
    bootstrap_servers: tuple[str, ...]
    group_id: str | None
    is_transactional: bool


@settings(frozen=True, kw_only=True)
class ClientConfig:
    """Settings of every client: the cluster's addresses, time limits, TLS and SASL.

    Names are Kafka's with underscores; times are in milliseconds.
    """

    bootstrap_servers: str | Sequence[str]
    """Addresses to start from, as `"host:port"`, `"a:9092,b:9092"` or a list. Any one that answers is enough."""

    client_id: str = "kafkars"
    """Name of this client in broker logs and quotas."""

    request_timeout_ms: float = 30_000
    """How long one request may wait for its response before the connection is closed."""

    socket_connection_setup_timeout_ms: float = 10_000
    """How long one TCP connection may take to be set up."""

    reconnect_backoff_ms: float = 50
    """First pause before connecting again to a broker that failed; it doubles with each failure."""

    reconnect_backoff_max_ms: float = 1_000
    """Longest pause between attempts to connect. A broker that leads what is written or read is tried at least every
    `retry_backoff_max_ms`, and no call waits through the pause: metadata may tell of another leader meanwhile."""

    retry_backoff_ms: float = 100
    """First pause before a failed request is tried again; it doubles with each failure (KIP-580)."""

    retry_backoff_max_ms: float = 1_000
    """Longest pause between tries of a request."""

    metadata_max_age_ms: float = 300_000
    """Age at which the metadata of the cluster is fetched again."""

    connections_max_idle_ms: float = 540_000
    """Connections unused for this long are closed."""

    receive_message_max_bytes: int = 100_000_000
    """Largest response accepted from a broker, in bytes."""

    allow_auto_create_topics: bool = True
    """True if asking for an unknown topic may create it, where the broker allows that. Consumers have False."""

    topic_metadata_propagation_max_ms: float = 5_000
    """For how long brokers may say that there is no such topic before what asks for it (a send, `partitions_for()`,
    `end_offsets()`) fails with `UnknownTopicOrPartitionError`; the call's own time limit (`max_block_ms`,
    `default_api_timeout_ms`) bounds it. A topic takes a moment to be created, also one that `allow_auto_create_topics`
    creates, and to become known to every broker. librdkafka waits for 30 s, Java until the call's own limit."""

    close_timeout_ms: float = 20_000
    """How long `close()` without a `timeout` may take, and so the end of a `with` or `async with` block:
    less than the 30 s that Kubernetes grants a program, more than partitions usually need to find another leader. It is
    used up only by what is still to be acknowledged; see `close()` of each client for what ends sooner without
    brokers."""

    send_buffer_bytes: int | None = None
    """SO_SNDBUF of the sockets in bytes; None leaves it to the system."""

    receive_buffer_bytes: int | None = None
    """SO_RCVBUF of the sockets in bytes; None leaves it to the system."""

    security_protocol: str = "plaintext"
    """How connections are protected: "plaintext", "ssl" (TLS), "sasl_plaintext" (authenticated, not encrypted) or
    "sasl_ssl" (both)."""

    ssl_ca_location: str | PathLike[str] | None = None
    """A PEM file, or a directory of PEM files, with the certificate authorities that are trusted. Without this and
    `ssl_ca_pem` the system's are trusted."""

    ssl_ca_pem: str | None = None
    """The same as PEM text."""

    ssl_crl_location: str | PathLike[str] | None = None
    """A PEM file with certificate revocation lists. An issuer without a list is trusted; a list that has expired is
    an error."""

    ssl_certificate_location: str | PathLike[str] | None = None
    """A PEM file with this client's certificate, followed by the intermediate ones up to the authority."""

    ssl_certificate_pem: str | None = None
    """The same as PEM text, without the key: `repr()` of a config shows this text, but not `ssl_key_pem`."""

    ssl_key_location: str | PathLike[str] | None = None
    """A PEM file with the key of the certificate; None if it is in the certificate's file."""

    ssl_key_pem: SecretValue | Secret | None = None
    """The key as PEM text, or a function that returns it; for files use `ssl_key_location`."""

    ssl_key_password: SecretValue | bytes | Secret | None = None
    """Opens an encrypted key (PKCS#8): text, bytes, a `pathlib.Path` of a file, or a function."""

    ssl_keystore_location: str | PathLike[str] | None = None
    """A PKCS#12 file with certificate and key, in place of PEM files. Files are read again after they have changed."""

    ssl_keystore_password: SecretValue | Secret | None = None
    """Opens the PKCS#12 file: text, a `pathlib.Path` of a file, or a function."""

    ssl_endpoint_identification_algorithm: str = "https"
    """"https" checks that the broker's certificate names the host that is connected to, "none" does not."""

    ssl_enabled_protocols: str | Sequence[str] = ("TLSv1.2", "TLSv1.3")
    """Versions of TLS that may be used; of these the newest one that the broker supports is used."""

    ssl_cipher_suites: str | Sequence[str] = ()
    """Names of the cipher suites that may be used, as IANA writes them; empty for every safe one."""

    sasl_mechanism: str | None = None
    """How this client authenticates: "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI" or
    "AWS_MSK_IAM"."""

    sasl_username: SecretValue | Secret | None = None
    """The user name, for PLAIN and SCRAM: text, or a file or function as for the password, if both change together."""

    sasl_password: SecretValue | Secret | None = None
    """The user's password: text, a `pathlib.Path` of a file, or a function. A file is read, and a function called, for
    each connection."""

    sasl_oauthbearer_token_provider: TokenProvider | None = None
    """Returns a token for OAUTHBEARER, called for each connection on a thread of its own; an asynchronous one runs on
    the loop that was running when the client was made. It may return the token alone, or a tuple of the token, its
    expiry in seconds since 1970 and, if there are any, extensions."""

    sasl_oauthbearer_extensions: str | Mapping[str, str] = ()  # type: ignore[assignment]
    """SASL extensions that are sent with every token, as a mapping or as "a=1,b=2"."""

    sasl_oauthbearer_token_endpoint_url: str | None = None
    """URL of an endpoint that issues tokens for OAUTHBEARER by the client credentials grant of OpenID Connect, in place
    of a provider. A token is kept for four fifths of its lifetime and shared by the connections of a client."""

    sasl_oauthbearer_client_id: str | None = None
    """The client id for the token endpoint."""

    sasl_oauthbearer_client_secret: SecretValue | Secret | None = None
    """The client secret for the token endpoint: text, a `pathlib.Path` of a file, or a function."""

    sasl_oauthbearer_scope: str | None = None
    """The scope to ask the token endpoint for, if it needs one."""

    sasl_oauthbearer_token_endpoint_ca_location: str | PathLike[str] | None = None
    """A PEM file with the certificate authorities that are trusted for the endpoint; None for the system's."""

    sasl_oauthbearer_token_endpoint_ca_pem: str | None = None
    """The same as PEM text."""

    sasl_kerberos_service_name: str | None = None
    """The first part of the brokers' Kerberos principal, for GSSAPI; None stands for "kafka"."""

    sasl_kerberos_domain_name: str | None = None
    """The host in the brokers' Kerberos principal, if it is not the one that is connected to."""

    sasl_kerberos_principal: str | None = None
    """This client's Kerberos principal ("alice@REALM"); None for the tickets' owner, or the first one in the keytab."""

    sasl_kerberos_keytab: str | PathLike[str] | None = None
    """A file with the keys of the principal. Tickets are got with them and renewed; no `kinit` is needed."""

    sasl_kerberos_ccache: str | PathLike[str] | None = None
    """A cache with tickets, as Kerberos names it ("/tmp/tickets", "DIR:/run/tickets"); None for the system's
    (`KRB5CCNAME`)."""

    sasl_aws_msk_iam_region: str | None = None
    """The AWS region of the cluster, for AWS_MSK_IAM; None for the one in `AWS_REGION`, `AWS_DEFAULT_REGION`, the
    profile or the broker's name."""

    sasl_aws_msk_iam_access_key_id: str | None = None
    """The access key id. Without this, a profile and a provider, the environment is searched, then the profile
    `AWS_PROFILE` or "default"."""

    sasl_aws_msk_iam_secret_access_key: SecretValue | Secret | None = None
    """The secret access key: text, a `pathlib.Path` of a file, or a function."""

    sasl_aws_msk_iam_session_token: SecretValue | Secret | None = None
    """The session token that belongs to temporary keys: text, a `pathlib.Path` of a file, or a function."""

    sasl_aws_msk_iam_profile: str | None = None
    """A profile in `~/.aws/credentials` or `~/.aws/config` that has keys."""

    sasl_aws_msk_iam_credentials_provider: AwsCredentialsProvider | None = None
    """Returns a tuple of access key id, secret access key and session token or None, called for each connection on a
    thread of its own."""

    CHECKS: ClassVar[Mapping[str, Callable[[str, object], Any]]] = {
        "bootstrap_servers": checks.servers,
        "client_id": checks.text,
        "request_timeout_ms": checks.milliseconds(above=True),
        "socket_connection_setup_timeout_ms": checks.milliseconds(),
        "reconnect_backoff_ms": checks.milliseconds(),
        "reconnect_backoff_max_ms": checks.milliseconds(),
        "retry_backoff_ms": checks.milliseconds(),
        "retry_backoff_max_ms": checks.milliseconds(),
        "metadata_max_age_ms": checks.milliseconds(),
        "connections_max_idle_ms": checks.milliseconds(),
        "receive_message_max_bytes": checks.whole(1024, unit="bytes"),
        "allow_auto_create_topics": checks.flag,
        "topic_metadata_propagation_max_ms": checks.milliseconds(),
        "close_timeout_ms": checks.milliseconds(),
        "send_buffer_bytes": checks.optional(checks.whole(0, unit="bytes")),
        "receive_buffer_bytes": checks.optional(checks.whole(0, unit="bytes")),
        **security.CHECKS,
    }

    def __post_init__(self) -> None:
        """Normalises every field, so that the native module gets one type for each."""
        for name, check in self.CHECKS.items():
            value = check(name, getattr(self, name))
            checks.without_key(name, value)
            if check is not security.path:  # the operating system decides which text a path may hold
                checks.sendable(name, value)
            object.__setattr__(self, name, value)
        for name in self.CHECKS:
            if name.endswith("timeout_ms") or name in {"max_block_ms", "max_poll_interval_ms"}:
                checks.likely_seconds(name, getattr(self, name))
        if self.sasl_oauthbearer_token_endpoint_url is not None:
            from kafkars.config import oidc  # noqa: PLC0415  only where it is used

            object.__setattr__(self, "sasl_oauthbearer_token_provider", oidc.provider(self))
        if self.sasl_mechanism in {"AWS_MSK_IAM", "OAUTHBEARER"}:
            from kafkars.config import aws  # noqa: PLC0415  only where it is used

            object.__setattr__(self, "sasl_aws_msk_iam_credentials_provider", aws.provider(self))

    @classmethod
    def _hint(cls, name: str) -> str:
        """Returns advice for a setting that does not exist."""
        return names.hint(name, frozenset(cls.CHECKS))

    @classmethod
    def of(cls: type[C], config: C | Mapping[str, object] | None, settings: Mapping[str, object]) -> C:
        """Makes a config from a constructor's arguments: a config, a mapping, keywords, or a mapping and keywords.

        Raises:
            ConfigError: A setting is unknown, missing, given twice, contradictory or of the wrong type.
        """
        if isinstance(config, cls):
            if settings:
                both: dict[str, Any] = {name: getattr(config, name) for name in cls.CHECKS}
                both.update(settings)
                return cls(**both)
            return config
        if config is not None and not isinstance(config, Mapping):
            given: object = config
            advice = '; give addresses as bootstrap_servers="host:port"' if isinstance(given, str | list) else ""
            raise checks.wrong("config", config, f"{cls.__name__} or a mapping of settings", advice=advice)
        merged = checks.merge(cls.CHECKS, config, settings)
        if "bootstrap_servers" not in merged:
            raise ConfigError.of("bootstrap_servers", 'missing; name at least one broker, such as "localhost:9092"')
        return cls(**merged)

    def identity(self) -> ClientIdentity:
        """The settings that identify the client in metrics and traces."""
        group_id: str | None = getattr(self, "group_id", None)
        is_transactional = getattr(self, "transactional_id", None) is not None
        return ClientIdentity(self.client_id, tuple(self.bootstrap_servers), group_id, is_transactional)

"""What to tell about a setting that does not exist: what it is called here, whose it is, or which name is near."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

ELSEWHERE: Mapping[str, str] = {
    # kafka-python, aiokafka
    "api_version": "leave it out: each broker is asked what it speaks",
    "api_version_auto_timeout_ms": "leave it out: each broker is asked what it speaks, within request_timeout_ms",
    "consumer_timeout_ms": "give poll() a timeout in seconds",
    "loop": "leave it out: the clients of kafkars.aio use the loop that runs",
    "sasl_oauth_token_provider": "use sasl_oauthbearer_token_provider",
    "sasl_plain_password": "use sasl_password",
    "sasl_plain_username": "use sasl_username",
    "selector": "leave it out: the engine waits for sockets by itself",
    "sock_chunk_bytes": "use receive_buffer_bytes for the size of the socket's buffer",
    "ssl_cafile": "use ssl_ca_location",
    "ssl_certfile": "use ssl_certificate_location",
    "ssl_check_hostname": 'use ssl_endpoint_identification_algorithm ("https" or "none")',
    "ssl_context": "use ssl_ca_location, ssl_certificate_location and ssl_key_location",
    "ssl_crlfile": "use ssl_crl_location",
    "ssl_keyfile": "use ssl_key_location",
    "ssl_password": "use ssl_key_password",
    # Java
    "sasl_jaas_config": "use sasl_username and sasl_password",
    "ssl_keystore_type": "leave it out: ssl_keystore_location takes PKCS#12, and ssl_certificate_location PEM",
    "ssl_truststore_location": "use ssl_ca_location with a PEM file",
    "ssl_truststore_password": "leave it out: ssl_ca_location takes a PEM file, which has no password",
    "ssl_truststore_type": "leave it out: ssl_ca_location takes a PEM file",
    "retries": "use delivery_timeout_ms: a record is tried again until that time is over",
    # librdkafka
    "broker_address_family": "leave it out: every address of a name is tried in turn",
    "builtin_features": "leave it out: kafkars.__version__ says which kafkars this is",
    "debug": 'use logging.getLogger("kafkars").setLevel(logging.DEBUG)',
    "enable_ssl_certificate_verification": "leave it out: certificates are always checked; name the authority in"
    " ssl_ca_location",
    "enable_auto_offset_store": "leave it out: what the application has not asked past is not committed",
    "log_level": 'use logging.getLogger("kafkars").setLevel(...)',
    "max_in_flight": "use max_in_flight_requests_per_connection",
    "message_max_bytes": "use max_request_size",
    "message_send_max_retries": "use delivery_timeout_ms: a record is tried again until that time is over",
    "message_timeout_ms": "use delivery_timeout_ms",
    "queue_buffering_max_kbytes": "use buffer_memory, in bytes",
    "queue_buffering_max_messages": "use buffer_memory, in bytes",
    "queue_buffering_max_ms": "use linger_ms",
    "socket_timeout_ms": "use request_timeout_ms",
    "statistics_interval_ms": "call metrics() when you want figures",
}
"""What settings of other libraries are called here. Those that a client has by the same name never get here."""

LONGEST_NAME = 80


def unknown(key: str, name: str, names: frozenset[str]) -> str:
    """What to tell about a setting, written as `key`, that a client with the settings `names` does not have."""
    if not is_like_a_name(key):
        return "what is given as the name of a setting is none; it is not shown, because it may be a secret"
    return f"{key}: unknown setting; {hint(name, names)}"


def hint(name: str, names: frozenset[str]) -> str:
    """Where the user gets what a setting of that name is for."""
    owner = owner_of(name)
    if owner is not None:
        return f"it is a {owner}'s setting"
    if name in ELSEWHERE:
        return ELSEWHERE[name]
    near = nearest(name, names)
    return f"did you mean {near!r}?" if near is not None else "see kafkars.config for the settings there are"


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The one of `names` that was probably meant, or None where none is near enough."""
    import difflib  # noqa: PLC0415  only needed on the way to an error; keeps `import kafkars` quick

    known = list(names)
    begun = [each for each in known if len(name) >= SHORTEST_BEGINNING and each.startswith(name)]
    if len(begun) == 1:
        return begun[0]
    return next(iter(difflib.get_close_matches(name, known, n=1, cutoff=ALIKE)), None)


SHORTEST_BEGINNING = 5
"""So much of a name counts as its beginning, where only one name begins so."""

ALIKE = 0.75
"""From here on, names are near: "linger_msec" and "linger_ms", but not "api_version" and "bootstrap_servers"."""


def owner_of(name: str) -> str | None:
    """Which kind of client has a setting of that name."""
    return next((owner for owner, settings in OWNERS.items() if name in settings()), None)


OWNERS: dict[str, Callable[[], Collection[str]]] = {}
"""The settings of each kind of client. The package fills it, whose modules all import this one."""


def is_like_a_name(key: str) -> bool:
    """Whether something unknown may be shown as a name: a key or a whole file that stands where a name is expected may
    not.
    """
    return (
        len(key) <= LONGEST_NAME and key.replace(".", "").replace("_", "").replace("-", "").replace(" ", "").isalnum()
    )

"""Where a face tells a program something else than its original, and why. What stands here is what the face tells."""

from __future__ import annotations

from tests.security.faces.cases import PASSWORD_MECHANISMS

WRONG_PASSWORDS = tuple(f"{mechanism}, wrong password" for mechanism in PASSWORD_MECHANISMS)

DIFFERENCES: dict[tuple[str, str], dict[str, object]] = {
    # aiokafka takes the broker's refusal of a token for success, and finds out at the next request, or never.
    ("aiokafka", "OAUTHBEARER, expired token"): dict.fromkeys(
        ("produce", "consume", "administer"), "KafkaConnectionError"
    ),
    # kafka-python's consumer does not say that it cannot log in: it finds no version of the broker.
    **{("kafka", name): {"poll()": "SaslAuthenticationFailedError"} for name in WRONG_PASSWORDS},
    ("kafka", "OAUTHBEARER, expired token"): {"poll()": "SaslAuthenticationFailedError"},
    ("kafka", "OAUTHBEARER, the provider fails"): {"poll()": "KafkaConnectionError"},
    ("kafka", "a mechanism that is not offered"): {"poll()": "UnsupportedSaslMechanismError"},
    # kafka-python 2.0 asserted this, and 2.3 tries to log in as nobody.
    ("kafka", "no password"): {"KafkaProducer()": "AssertionError", "KafkaConsumer()": "AssertionError"},
    # The broker says in an alert why it hangs up; librdkafka reports the hanging up where TLS 1.3 is spoken.
    **{
        ("confluent", name): {f"{who}'s error_cb": ["_ALL_BROKERS_DOWN", "_SSL"] for who in ("producer", "consumer")}
        for name in ("no client certificate", "a client certificate of a stranger", "TLS to a plain port")
    },
    # The mechanism is GSSAPI then, which librdkafka's wheels do not have.
    ("confluent", "no mechanism"): {"Producer()": None, "Consumer()": None, "AdminClient()": None},
    # An error in librdkafka's binding: the consumer loses the exception.
    ("confluent", "OAUTHBEARER, the provider fails"): {"Consumer()": "SASL_AUTHENTICATION_FAILED"},
}

SLOWER: dict[tuple[str, str], dict[str, float]] = {
    # A broker that hangs up may be about to start: the administrator tries again until request_timeout_ms.
    ("aiokafka", "TLS to a plain port"): {"administer": 3.0},
}
"""Seconds that a face takes longer."""

UNTOLD = {
    # On a busy machine the original hears that the broker has closed the connection before it tells of the certificate.
    ("confluent", "a revoked certificate"): ("producer's error_cb", "consumer's error_cb"),
    # Whether error_cb has heard by then is a matter of time, in both.
    ("confluent", "a hanging broker, SASL"): ("producer's error_cb", "consumer's error_cb"),
    ("confluent", "a hanging broker, SSL"): ("producer's error_cb", "consumer's error_cb"),
    ("confluent", "plain to a TLS port"): ("producer's error_cb", "consumer's error_cb"),
    ("confluent", "another host"): ("producer's error_cb", "consumer's error_cb"),
    ("confluent", "PLAIN, name and password are changed"): ("producer's error_cb", "consumer's error_cb"),
}
"""Steps that are not compared."""

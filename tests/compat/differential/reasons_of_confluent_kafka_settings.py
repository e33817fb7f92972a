"""What stays different of the settings of confluent_kafka."""

from __future__ import annotations

from tests.compat.differential.reasons import Reason

REASONS = [
    Reason(
        ("*(conf=error_cb=None)", "*(conf=throttle_cb=None)", "*(conf=stats_cb=None)"),
        "TypeError or ValueError",
        "None is no callback",
        "Wrappers pass their own defaults on.",
    ),
    Reason(
        ("*(conf=security.protocol='sasl_*", "*(conf=security.protocol='SASL_*"),
        "_INVALID_ARG: the wheels have no GSSAPI, which is the default mechanism",
        "takes it",
        "GSSAPI works here, by the system's library.",
    ),
    Reason(
        ("*(conf=sasl.oauthbearer.metadata.authentication.type='aws_iam')",),
        "ValueError without `sasl.oauthbearer.method=oidc`",
        "takes it, as long as the protocol has no SASL",
        "What has no meaning is not looked at.",
    ),
    Reason(
        (
            "*(conf=topic.blacklist=*",
            "*(conf=offset.store.method=*",
            "*(conf=queuing.strategy='lifo')",
            "*(conf=queuing.strategy='LIFO')",
            "*(conf=request.required.acks=*",
            "*(conf=acks=*",
        ),
        "takes it; numbers of acknowledgements above 1 are refused by every broker since 0.9",
        "_INVALID_ARG with what to set instead",
        "The [table of properties](../reference/librdkafka-properties.md) says why each is refused.",
    ),
    Reason(
        ("Consumer(conf=group.id='')", "Consumer(conf=group.id=None)"),
        "hangs at its end",
        "ValueError",
        "A consumer without a group is none to librdkafka.",
    ),
    Reason(
        ("Consumer(unknown keyword)",),
        "ValueError about `group.id`, because keywords are settings",
        "_INVALID_ARG about the keyword",
        "Both are wrong with it; the order of checks differs.",
    ),
    Reason(
        ("*(conf=test.mock.num.brokers=*",),
        "starts a cluster for tests in the process",
        "_INVALID_ARG, which names `kafkars.testing.EmbeddedBroker`",
        "The engine's broker for tests is another one, with an address for all clients.",
    ),
]

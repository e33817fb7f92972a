"""What stays different of the settings of aiokafka."""

from __future__ import annotations

from tests.compat.differential.reasons import Reason

TIMES = (
    "metadata_max_age_ms",
    "request_timeout_ms",
    "linger_ms",
    "retry_backoff_ms",
    "connections_max_idle_ms",
    "transaction_timeout_ms",
    "fetch_max_wait_ms",
    "auto_commit_interval_ms",
    "max_poll_interval_ms",
    "session_timeout_ms",
    "heartbeat_interval_ms",
)
SIZES = ("max_batch_size", "max_request_size", "fetch_max_bytes", "fetch_min_bytes", "max_partition_fetch_bytes")

REASONS = [
    Reason(
        tuple(f"*({name}=*" for name in TIMES),
        "takes any number, and what is none; some calls fail later, or nothing is ever waited for",
        "ValueError or TypeError for negative times, times beyond what there can be, truth values, text, and None where it has no meaning",
        "A mistake is said where it is made.",
    ),
    Reason(
        tuple(f"*({name}=*" for name in SIZES),
        "the same",
        "the same; sizes of producers above 1 GiB are taken for 1 GiB",
        "The same.",
    ),
    Reason(
        (
            "*(client_id=*",
            "*(group_id=*",
            "*(group_instance_id=*",
            "*(client_rack=*",
            "*(transactional_id=*",
        ),
        "sends `str()` of what is no text; InvalidRequestError of the broker for an empty transactional id",
        "ValueError",
        "Names are text.",
    ),
    Reason(
        ("*(bootstrap_servers=*",),
        "fails when it starts",
        "TypeError or ValueError when it is made, also of the administrator",
        "A mistake is said where it is made.",
    ),
    Reason(
        ("*(partition_assignment_strategy=*",),
        "fails when it joins its group",
        "AttributeError, TypeError or ValueError when it is made or started",
        "The same.",
    ),
    Reason(
        ("*AIOKafkaConsumer(auto_offset_reset=*1)", "*AIOKafkaConsumer(auto_offset_reset=none)"),
        "AttributeError",
        "what is no text is `none`, as text that it does not know is",
        "The same, without the accident.",
    ),
    Reason(
        ("[fresh] started.*(sasl_mechanism=*",),
        "asks for a provider or for Kerberos also where the protocol has no SASL",
        "looks at the mechanism only where the protocol has SASL",
        "What has no meaning is not looked at.",
    ),
]

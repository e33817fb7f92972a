"""Settings of groups that cannot work are refused where the consumer is made, by name."""

from __future__ import annotations

from typing import Any

import pytest
from kafkars.errors import ConfigError

NOWHERE = "127.0.0.1:1"

CONTRADICTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "unknown protocol": ({"group_protocol": "raft"}, "group_protocol: .*'classic', 'consumer'"),
    "empty group": ({"group_id": ""}, "group_id: is empty"),
    "heartbeat above session": (
        {"heartbeat_interval_ms": 5_000, "session_timeout_ms": 4_000},
        "heartbeat_interval_ms: is 5000 ms, not below session_timeout_ms=4000",
    ),
    "heartbeat above the default session": (
        {"heartbeat_interval_ms": 45_000},
        "heartbeat_interval_ms: .*session_timeout_ms=45000",
    ),
    "no heartbeat": ({"heartbeat_interval_ms": 0}, "heartbeat_interval_ms: must be from 1"),
    "no time between polls": ({"max_poll_interval_ms": 0}, "max_poll_interval_ms: must be from 1"),
    "no pause between commits": ({"auto_commit_interval_ms": 0}, "auto_commit_interval_ms: must be from 1"),
    "empty instance": ({"group_instance_id": ""}, "group_instance_id: is empty"),
    "no assignor": ({"partition_assignment_strategy": []}, "partition_assignment_strategy: must name at least one"),
    "unknown assignor": (
        {"partition_assignment_strategy": "fair"},
        "partition_assignment_strategy: .*'cooperative-sticky'",
    ),
    "an assignor twice": (
        {"partition_assignment_strategy": ["range", "range"]},
        "partition_assignment_strategy: 'range' is named twice",
    ),
    "something that is no assignor": (
        {"partition_assignment_strategy": [object()]},
        r"partition_assignment_strategy: .*`name` and `assign\(\)`",
    ),
    "the broker's assignor in the classic protocol": (
        {"group_remote_assignor": "uniform"},
        'group_remote_assignor: needs group_protocol="consumer"',
    ),
    "assignors in the consumer protocol": (
        {"group_protocol": "consumer", "partition_assignment_strategy": "range"},
        "partition_assignment_strategy: cannot be set with group_protocol=",
    ),
    "session in the consumer protocol": (
        {"group_protocol": "consumer", "session_timeout_ms": 10_000},
        "session_timeout_ms: cannot be set with group_protocol=",
    ),
    "heartbeat in the consumer protocol": (
        {"group_protocol": "consumer", "heartbeat_interval_ms": 1_000},
        "heartbeat_interval_ms: cannot be set with group_protocol=",
    ),
    "stuck at once": ({"stuck_timeout_ms": 0}, "stuck_timeout_ms: must be above 0"),
    "a duration of months": ({"auto_offset_reset": "by_duration:P1M"}, "auto_offset_reset: .*by_duration:PT1H"),
}


@pytest.mark.parametrize("case", CONTRADICTIONS)
def test_contradictions_name_their_setting(client_api: Any, case: str) -> None:
    settings, message = CONTRADICTIONS[case]
    with pytest.raises(ConfigError, match=message) as raised:
        client_api.Consumer(bootstrap_servers=NOWHERE, **{"group_id": "g", **settings})
    assert raised.value.setting == message.partition(":")[0]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("group_instance_id", "a"),
        ("group_remote_assignor", "uniform"),
        ("partition_assignment_strategy", "range"),
        ("session_timeout_ms", 45_000),
        ("heartbeat_interval_ms", 3_000),
        ("enable_auto_commit", True),
    ],
)
def test_what_needs_a_group_says_so(client_api: Any, setting: str, value: object) -> None:
    with pytest.raises(ConfigError, match=f"{setting}: .*group_id") as raised:
        client_api.Consumer(bootstrap_servers=NOWHERE, **{setting: value})
    assert raised.value.setting == setting

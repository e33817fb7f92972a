"""Settings of the embedded broker that cannot be: each is refused by its name and value."""

from __future__ import annotations

from typing import Any

import pytest
from kafkars.errors import ConfigError
from kafkars.testing import EmbeddedBroker


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"port": 99_999}, "port: 99999 is not a port"),
        ({"port": -1}, "port: -1 is not a port"),
        ({"advertised_port": 65_536}, "advertised_port: 65536 is not a port"),
        ({"nodes": 100_000}, "nodes: 100000 is not a number of nodes"),
        ({"nodes": 101}, "nodes: 101 is not between 1 and 100"),
        ({"default_partitions": 10**12}, "default_partitions: 1000000000000 is not a number of partitions"),
        ({"default_replication_factor": 40_000}, "default_replication_factor: 40000 is not a number of replicas"),
        (
            {"default_replication_factor": 3, "nodes": 2},
            "default_replication_factor: 3 is more than nodes=2: each replica is on a node of its own",
        ),
        ({"requests_recorded": -1}, "requests_recorded: -1 is not a number of requests"),
        ({"topics": {"orders": 10**12}}, 'topic "orders": 1000000000000 is not a number of partitions'),
        ({"port": 65_535, "nodes": 2}, "port: 2 nodes do not fit above port 65535"),
    ],
    ids=str,
)
def test_a_setting_that_cannot_be_is_named_with_its_value(settings: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError) as refused:
        EmbeddedBroker(**settings)
    assert why in str(refused.value)


def test_a_topic_that_is_created_is_checked_alike() -> None:
    with EmbeddedBroker() as broker:
        with pytest.raises(ConfigError, match='topic "orders": 1000000000000 is not a number of partitions'):
            broker.create_topic("orders", 10**12)
        assert broker.topics() == []

"""Elections of leaders by the administrator, on both brokers, sync and asyncio."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from kafkars import Admin, errors

from tests.brokers import Broker


@pytest.fixture
def admin(broker: Broker, client_api: Any) -> Iterator[Admin]:
    with client_api.Admin(bootstrap_servers=broker.bootstrap_servers) as made:
        yield made


def test_where_the_right_replica_leads_no_election_is_needed(admin: Admin, topic: str) -> None:
    with pytest.raises(errors.ElectionNotNeededError) as raised:
        admin.elect_leaders("preferred", [(topic, 0)])
    assert (raised.value.topic, raised.value.partition) == (topic, 0)
    outcomes: Any = admin.elect_leaders("unclean", [(topic, 0), (topic, 99)], return_exceptions=True)
    assert [type(each) for each in outcomes.values()] == [
        errors.ElectionNotNeededError,
        errors.UnknownTopicOrPartitionError,
    ]


def test_of_all_partitions_only_those_that_needed_it_are_told(admin: Admin, topic: str) -> None:
    assert (topic, 0) not in admin.elect_leaders("preferred")


def test_a_type_that_is_none_is_refused_before_anything_is_asked(admin: Admin) -> None:
    wrong: Any = "clean"
    with pytest.raises(errors.InvalidArgumentError, match="'clean' is neither"):
        admin.elect_leaders(wrong)
    with pytest.raises(TypeError):
        admin.elect_leaders("preferred", "topic")  # type: ignore[arg-type]

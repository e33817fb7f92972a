"""Since which release of Kafka a call works is said where the call is described, and is so."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import kafkars
import pytest
from kafkars.admin import ConfigResource, UserScramCredentialUpsertion
from kafkars.errors import UnsupportedByBrokerError, UnsupportedCompressionTypeError
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import SECONDS

pytestmark = pytest.mark.timeout(60)

RELEASES = ["0.11", "1.0", "1.1", "2.0", "2.1", "2.2", "2.3", "2.4", "2.5", "2.6", "2.7", "2.8", "3.0"]
TOPIC = ConfigResource("topic", "t")
PLACE = ("t", 0)

CALLS: dict[str, Callable[[kafkars.Admin], Any]] = {
    "create_partitions": lambda admin: admin.create_partitions({"t": 2}, timeout=SECONDS),
    "delete_groups": lambda admin: admin.delete_groups(["g"], timeout=SECONDS),
    "describe_configs": lambda admin: admin.describe_configs([TOPIC], timeout=SECONDS),
    "describe_log_dirs": lambda admin: admin.describe_log_dirs(timeout=SECONDS),
    "elect_leaders": lambda admin: admin.elect_leaders("preferred", [PLACE], timeout=SECONDS),
    "alter_configs": lambda admin: admin.alter_configs({TOPIC: {"retention.ms": "1000"}}, timeout=SECONDS),
    "alter_partition_reassignments": lambda admin: admin.alter_partition_reassignments({PLACE: [0]}, timeout=SECONDS),
    "list_partition_reassignments": lambda admin: admin.list_partition_reassignments(timeout=SECONDS),
    "delete_group_offsets": lambda admin: admin.delete_group_offsets("g", [PLACE], timeout=SECONDS),
    "describe_user_scram_credentials": lambda admin: admin.describe_user_scram_credentials(timeout=SECONDS),
    "alter_user_scram_credentials": lambda admin: admin.alter_user_scram_credentials(
        [UserScramCredentialUpsertion("alice", "SCRAM-SHA-256", "wonderland")], timeout=SECONDS
    ),
    "describe_producers": lambda admin: admin.describe_producers([PLACE], timeout=SECONDS),
    "list_transactions": lambda admin: admin.list_transactions(timeout=SECONDS),
    "describe_transactions": lambda admin: admin.describe_transactions(["t"], timeout=SECONDS),
}


def said(call: str) -> str:
    """The release that the first paragraph of a call's description names."""
    text = " ".join((getattr(kafkars.Admin, call).__doc__ or "").partition("\n\n")[0].split())
    found = re.search(r"Kafka (\d+\.\d+) and newer", text)
    assert found is not None, f"{call}: since when?"
    return found[1]


def is_spoken(call: str, release: str) -> bool:
    """Whether a broker of a release has what the call asks for, whatever it makes of it."""
    with (
        EmbeddedBroker(version=release, topics={"t": 1}) as broker,
        kafkars.Admin(bootstrap_servers=broker.bootstrap_servers) as admin,
    ):
        try:
            CALLS[call](admin)
        except UnsupportedByBrokerError:
            return False
        except kafkars.errors.BrokerError:
            return True
    return True


@pytest.mark.parametrize("call", CALLS)
def test_a_call_works_since_the_release_that_it_names(call: str) -> None:
    since = RELEASES.index(said(call))
    assert [is_spoken(call, release) for release in RELEASES[since - 1 : since + 1]] == [False, True]


def test_every_other_call_works_with_all_of_them() -> None:
    text = {name: vars(kafkars.Admin)[name].__doc__ or "" for name in dir(kafkars.Admin) if name in vars(kafkars.Admin)}
    told = {name for name, doc in text.items() if " and newer" in " ".join(doc.partition("\n\n")[0].split())}
    assert told == set(CALLS)


def test_zstd_needs_2_1() -> None:
    with EmbeddedBroker(version="2.0", topics={"t": 1}) as broker:
        settings = {"bootstrap_servers": broker.bootstrap_servers, "compression_type": "zstd"}
        with kafkars.Producer(settings) as producer, pytest.raises(UnsupportedCompressionTypeError):
            producer.send("t", b"value" * 100).result(SECONDS)
    with EmbeddedBroker(version="2.1", topics={"t": 1}) as broker:
        settings["bootstrap_servers"] = broker.bootstrap_servers
        with kafkars.Producer(settings) as producer:
            assert producer.send("t", b"value" * 100).result(SECONDS).offset == 0

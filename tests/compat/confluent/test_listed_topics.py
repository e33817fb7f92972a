"""`list_topics()` of a topic that does not exist: who lets brokers create topics creates it, as the library does."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import pytest
from kafkars.testing import EmbeddedBroker

from tests.compat.confluent.conftest import SECONDS
from tests.support.waiting import eventually

ALLOW = "allow.auto.create.topics"
KINDS = {"producer": True, "admin": True, "consumer": False}
"""Clients, and whether they let brokers create topics without being told so."""


def client(ck: ModuleType, kind: str, settings: dict[str, Any]) -> Any:
    match kind:
        case "producer":
            return ck.Producer(settings)
        case "consumer":
            return ck.Consumer({**settings, "group.id": "listing"})
    return importlib.import_module(f"{ck.__name__}.admin").AdminClient(settings)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("allows", [None, True, False])
def test_a_topic_that_is_asked_for_is_created_where_that_is_allowed(
    ck: ModuleType, kind: str, allows: bool | None
) -> None:
    with EmbeddedBroker() as broker:
        settings = {"bootstrap.servers": broker.bootstrap_servers, **({} if allows is None else {ALLOW: allows})}
        made = client(ck, kind, settings)
        found = made.list_topics("new", timeout=SECONDS).topics["new"]
        if KINDS[kind] if allows is None else allows:
            assert (found.error, len(found.partitions)) == (None, 1)
            eventually(lambda: "new" in made.list_topics(timeout=SECONDS).topics, "the topic is listed")
        else:
            assert (found.error.name(), found.partitions) == ("UNKNOWN_TOPIC_OR_PART", {})
            assert "new" not in made.list_topics(timeout=SECONDS).topics


@pytest.mark.parametrize("kind", KINDS)
def test_where_brokers_create_nothing_the_answer_comes_soon(ck: ModuleType, kind: str) -> None:
    with EmbeddedBroker(auto_create_topics=False) as broker:
        made = client(ck, kind, {"bootstrap.servers": broker.bootstrap_servers, ALLOW: True})
        found = made.list_topics("new", timeout=SECONDS).topics["new"]
        assert (found.error.name(), found.partitions) == ("UNKNOWN_TOPIC_OR_PART", {})

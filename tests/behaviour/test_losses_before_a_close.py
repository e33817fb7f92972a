"""A member that its group has put out: what was read cannot be committed, and the log says so where the program does
not hear of it."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from kafkars import Consumer, Producer
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import SECONDS, eventually

RECORDS = 20
LINE = "what was read of them is read again"


@pytest.mark.parametrize("enable_auto_commit", [True, False])
@pytest.mark.parametrize("is_told", [False, True], ids=["closed", "polled"])
@pytest.mark.parametrize("listens", [True, False], ids=["listener", "no listener"])
def test_the_log_warns_of_what_will_be_read_again_and_nobody_hears_of(
    caplog: pytest.LogCaptureFixture, enable_auto_commit: bool, is_told: bool, listens: bool
) -> None:
    caplog.set_level(logging.INFO, "kafkars.group")
    heard: list[str] = []
    with EmbeddedBroker(topics={"topic": 1, "other": 1}) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send_many("topic", [b"value"] * RECORDS, partitions=0).result(SECONDS)
        consumer: Consumer[Any, Any] = Consumer(
            bootstrap_servers=broker.bootstrap_servers,
            group_id="group",
            auto_offset_reset="earliest",
            enable_auto_commit=enable_auto_commit,
            auto_commit_interval_ms=3_600_000,
            heartbeat_interval_ms=50,
        )
        listener = {"on_partitions_lost": lambda lost: heard.append(f"lost {len(lost)}")} if listens else {}
        consumer.subscribe(["topic", "other"], **listener)
        for _ in range(RECORDS):
            assert consumer.poll(SECONDS) is not None
        eventually(lambda: consumer.position(("other", 0)) == 0, "a position")
        # It does not come back meanwhile.
        broker.intercept("JoinGroup", "COORDINATOR_LOAD_IN_PROGRESS")
        with broker.intercept("Heartbeat", "UNKNOWN_MEMBER_ID", times=1):
            eventually(lambda: "kind=lost" in caplog.text, "the loss")
        if is_told:
            eventually(lambda: consumer.poll(0) is None and not consumer.assignment(), "the poll that tells of it")
        consumer.close()
    assert heard == ["lost 2"] * listens

    def lines() -> list[str]:
        return [each.getMessage() for each in caplog.records if LINE in each.getMessage()]

    if enable_auto_commit and not (is_told and listens):
        (line,) = eventually(lines, "the line")
        assert f"partitions=topic-0 at {RECORDS})" in line, "nothing of the other one was read"
    else:
        assert lines() == []

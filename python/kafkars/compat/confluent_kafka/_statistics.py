"""The statistics for `stats_cb`: JSON of the layout that librdkafka documents in its STATISTICS.md.

Values that kafkars does not measure are 0, or librdkafka's value for "not known". Until there is metadata, `brokers`
has the bootstrap addresses; then the brokers, without librdkafka's additional entries.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from kafkars.compat.confluent_kafka._arguments import Place
from kafkars.compat.confluent_kafka._broker_statistics import WINDOW, BrokerStatistics
from kafkars.types import OffsetAndMetadata, TopicPartition, Watermarks

UNKNOWN_OFFSET = -1001
SEQUENCES = 2**31
"""Sequence numbers of messages begin again after so many."""

STATES = {
    "unsubscribed": ("init", "init"),
    "joining": ("up", "wait-join"),
    "rebalancing": ("up", "wait-sync"),
    "stable": ("up", "steady"),
    "leaving": ("up", "wait-unassign-to-complete"),
    "expelled": ("up", "init"),
    "failed": ("term", "init"),
}
"""`state` and `join_state` of librdkafka for the engine's states of membership."""


class Statistics:
    """Makes the statistics of one client.

    Args:
        engine: The native client.
        client_id: `client.id`.
        kind: "producer", "consumer" or "admin".
        limits: `queue.buffering.max.messages`, and the bytes of `queue.buffering.max.kbytes`; of producers.
        is_idempotent: Whether a producer is.
        stored: Tells what a consumer has stored and not committed.
        committed: Tells what a consumer has committed last.
    """

    def __init__(
        self,
        engine: Any,
        *,
        client_id: str,
        kind: str,
        limits: tuple[int, int] = (0, 0),
        is_idempotent: bool = False,
        stored: Callable[[], Mapping[Place, OffsetAndMetadata]] = dict,
        committed: Callable[[], Mapping[Place, OffsetAndMetadata]] = dict,
    ) -> None:
        self._engine = engine
        self._is_idempotent = is_idempotent
        self._stored = stored
        self._committed = committed
        self._kind = kind
        self._type = "consumer" if kind == "consumer" else "producer"
        self._of_brokers = BrokerStatistics(self._type)
        self._limits = limits
        self._client_id = client_id
        self._made = time.monotonic()
        # How often metadata has come, and since when it is not known to have come again.
        self._refreshes, self._refreshed = 0, self._made
        self._assigned: frozenset[TopicPartition] = frozenset()
        self._assigned_since = self._made
        self._rebalances = 0

    def text(self) -> str:
        """Returns the current statistics."""
        now = time.monotonic()
        metrics: Mapping[str, Any] = self._engine.metrics()
        wire = metrics["client"]
        if wire["metadata_refreshes"] != self._refreshes:
            self._refreshes, self._refreshed = wire["metadata_refreshes"], now
        found: dict[str, Any] = {
            "name": f"{self._client_id}#{self._type}-{id(self._engine):x}",
            "client_id": self._client_id,
            "type": self._type,
            "ts": int(now * 1_000_000),
            "time": int(time.time()),
            "age": int((now - self._made) * 1_000_000),
            "replyq": 0,
            "msg_cnt": 0,
            "msg_size": 0,
            "msg_max": self._limits[0],
            "msg_size_max": self._limits[1],
            "simple_cnt": 0,
            "metadata_cache_cnt": 0,
            "brokers": {},
            "topics": {},
            "tx": wire["requests_sent"],
            "tx_bytes": wire["bytes_sent"],
            "rx": wire["responses_received"],
            "rx_bytes": wire["bytes_received"],
            "txmsgs": 0,
            "txmsg_bytes": 0,
            "rxmsgs": 0,
            "rxmsg_bytes": 0,
        }
        if self._kind == "consumer":
            found |= self._consumer(metrics, now)
        elif self._kind == "producer":
            found |= self._producer(metrics)
        for name, row in found["topics"].items():
            found["metadata_cache_cnt"] += self._leaders(name, row)
            row["metadata_age"] = int((now - self._refreshed) * 1000)
        found["brokers"] = self._brokers(found["topics"], now)
        import json  # noqa: PLC0415  only where statistics are wanted

        return json.dumps(found)

    def _producer(self, metrics: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "msg_cnt": metrics["unacknowledged"],
            "msg_size": metrics["buffer_used"],
            "txmsgs": metrics["records_sent"],
            "txmsg_bytes": metrics["bytes_uncompressed"],
            "topics": self._sent(),
        }

    def _sent(self) -> dict[str, Any]:
        topics: dict[str, Any] = {}
        for topic, number, records, size in self._engine._stored_by_partition():
            row = partition(number, None, None)
            row.update(txmsgs=records, txbytes=size, msgs=records, desired=False, fetch_state="none", next_offset=0)
            if self._is_idempotent:
                row.update(acked_msgid=records, next_ack_seq=records % SEQUENCES, next_err_seq=records % SEQUENCES)
            self._topic(topics, topic)["partitions"][str(number)] = row
        return topics

    def _consumer(self, metrics: Mapping[str, Any], now: float) -> dict[str, Any]:
        assigned = self._engine.assignment()
        if assigned != self._assigned:
            self._assigned, self._assigned_since = assigned, now
            self._rebalances += 1
        state, join_state = STATES.get(self._engine.health().state, ("init", "init"))
        age = int((now - self._assigned_since) * 1000)
        return {
            "rxmsgs": metrics["records_consumed"],
            "rxmsg_bytes": metrics["bytes_fetched"],
            "topics": self._topics(sorted(assigned)),
            "cgrp": {
                "state": state,
                "stateage": int((now - self._made) * 1000),
                "join_state": join_state,
                "rebalance_age": age,
                "rebalance_cnt": self._rebalances,
                "rebalance_reason": "",
                "assignment_size": len(assigned),
            },
        }

    def _brokers(self, topics: Mapping[str, Any], now: float) -> dict[str, Any]:
        led: dict[int | None, dict[str, Any]] = {}
        for topic, row in topics.items():
            for each in row["partitions"].values():
                place = {"topic": topic, "partition": each["partition"]}
                led.setdefault(each["leader"], {})[f"{topic}-{each['partition']}"] = place
        found: dict[str, Any] = {}
        for node, address, problem, _, counted in self._engine._brokers():
            entry = self._of_brokers.entry(node, address, problem, counted, int((now - self._made) * 1_000_000))
            found[entry["name"]] = entry | {"toppars": led.get(node, {})}
        return found

    def _leaders(self, name: str, row: dict[str, Any]) -> bool:
        """Sets the leaders in the partitions of a topic's entry. Returns whether any is known."""
        leaders = self._engine._leaders(name)
        for number, leader, epoch in leaders:
            known = row["partitions"].get(str(number))
            if known is not None:
                known.update(broker=leader, leader=leader, leader_epoch=epoch)
        return bool(leaders)

    def _topics(self, assigned: list[TopicPartition]) -> dict[str, Any]:
        lags = self._engine.lags()
        stored, committed = self._stored(), self._committed()
        topics: dict[str, Any] = {}
        for each in assigned:
            row = partition(each.partition, self._engine.watermarks(each), lags.get(each))
            at = (each.topic, each.partition)
            row["stored_leader_epoch"] = epoch_of(stored.get(at) or committed.get(at))
            self._lag(row, committed.get(at))
            self._topic(topics, each.topic)["partitions"][str(each.partition)] = row
        return topics

    def _lag(self, row: dict[str, Any], committed: OffsetAndMetadata | None) -> None:
        """Sets what has been committed of a partition; before, its lag is that of the position."""
        if committed is not None:
            offset = committed.offset
            row.update(commited_offset=offset, committed_offset=offset, committed_leader_epoch=epoch_of(committed))
            if row["hi_offset"] >= 0:
                row["consumer_lag"] = max(row["hi_offset"] - offset, 0)

    def _topic(self, topics: dict[str, Any], name: str) -> dict[str, Any]:
        """Returns the entry of a topic, which is made if it is missing."""
        empty = {
            "topic": name,
            "age": int((time.monotonic() - self._made) * 1000),
            "metadata_age": 0,
            "batchsize": WINDOW,
            "batchcnt": WINDOW,
            # That of messages which wait for a partition.
            "partitions": {"-1": partition(-1, None, None) | {"desired": False, "fetch_state": "none"}},
        }
        found: dict[str, Any] = topics.setdefault(name, empty)
        return found


def epoch_of(offset: OffsetAndMetadata | None) -> int:
    return -1 if offset is None or offset.leader_epoch is None else offset.leader_epoch


def partition(number: int, watermarks: Watermarks | None, lag: int | None) -> dict[str, Any]:
    """A partition that is read. Its offsets are those of the latest fetch."""
    low, high = watermarks or (UNKNOWN_OFFSET, UNKNOWN_OFFSET)
    position = high - lag if lag is not None and watermarks is not None else UNKNOWN_OFFSET
    return {
        "partition": number,
        "broker": -1,
        "leader": -1,
        "desired": True,
        "unknown": False,
        "msgq_cnt": 0,
        "msgq_bytes": 0,
        "xmit_msgq_cnt": 0,
        "xmit_msgq_bytes": 0,
        "fetchq_cnt": 0,
        "fetchq_size": 0,
        "fetch_state": "active",
        "query_offset": UNKNOWN_OFFSET,
        "next_offset": position,
        "app_offset": position,
        "stored_offset": position,
        "stored_leader_epoch": -1,
        "commited_offset": UNKNOWN_OFFSET,
        "committed_offset": UNKNOWN_OFFSET,
        "committed_leader_epoch": -1,
        "eof_offset": high,
        "lo_offset": low,
        "hi_offset": high,
        "ls_offset": high,
        "consumer_lag": -1 if lag is None else lag,
        "consumer_lag_stored": -1 if lag is None else lag,
        "leader_epoch": -1,
        "txmsgs": 0,
        "txbytes": 0,
        "rxmsgs": 0,
        "rxbytes": 0,
        "msgs": 0,
        "rx_ver_drops": 0,
        "msgs_inflight": 0,
        "next_ack_seq": 0,
        "next_err_seq": 0,
        "acked_msgid": 0,
    }

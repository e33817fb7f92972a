"""What an administrator does to a topic, by hand: independent of every client."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from tests.kafka import wire

if TYPE_CHECKING:
    from tests.brokers import Broker

DELETE_RECORDS, DELETE_RECORDS_VERSION = 21, 0


def delete_records(broker: Broker, topic: str, partition: int, before: int) -> None:
    """Deletes the records of a partition that are older than offset `before`."""
    place = struct.pack(">i", 1) + struct.pack(">iq", partition, before)
    body = struct.pack(">i", 1) + wire.string(topic) + place + struct.pack(">i", 10_000)
    answer = wire.Answer(
        wire.call(broker.bootstrap_servers.split(",")[0], DELETE_RECORDS, DELETE_RECORDS_VERSION, body)
    )
    # throttle time, count of topics, name, count of partitions, partition
    answer.int32()
    answer.int32()
    answer.string()
    answer.int32()
    answer.int32()
    # low watermark
    answer.skip(8)
    code = answer.int16()
    assert code == 0, f"records of {topic}-{partition} were not deleted: error {code}"

"""How far groups have come and topics reach, as confluent-kafka sees it: tests of our own calls do not rest on them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import confluent_kafka

if TYPE_CHECKING:
    from types import TracebackType

log = logging.getLogger(__name__)

SECONDS_PER_LOOK = 5.0


class Offsets:
    """Looks up the offsets of one topic, as a context manager."""

    def __init__(self, bootstrap: str, topic: str, partitions: int, group: str = "looks only") -> None:
        self._places = [confluent_kafka.TopicPartition(topic, partition) for partition in range(partitions)]
        # While a transaction is open that changes a group's offsets, the coordinator tells of them only when it has
        # ended.
        self._asking = confluent_kafka.Consumer(
            {"bootstrap.servers": bootstrap, "group.id": group, "isolation.level": "read_committed"}
        )

    def committed(self) -> dict[int, int]:
        """The group's offset in each partition; 0 where it has none. Asks until there is an answer."""
        while (found := self._committed()) is None:
            pass
        return found

    def ends(self) -> dict[int, int]:
        """Where each partition ends."""
        return {
            place.partition: self._asking.get_watermark_offsets(place, timeout=SECONDS_PER_LOOK)[1]
            for place in self._places
        }

    def _committed(self) -> dict[int, int] | None:
        try:
            places = self._asking.committed(self._places, timeout=SECONDS_PER_LOOK)
        except confluent_kafka.KafkaException as error:
            log.warning("asked in vain for the offsets of a group: %s", error)
            return None
        return {place.partition: max(0, place.offset) for place in places}

    def __enter__(self) -> Offsets:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._asking.close()

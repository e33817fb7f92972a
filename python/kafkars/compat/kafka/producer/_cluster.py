"""The cluster's metadata, for partitioners and for monitoring agents."""

from __future__ import annotations

from typing import Any

import kafkars
from kafkars.compat.kafka.errors import translated


class ClusterMetadata:
    """Metadata of topics; an unknown topic's is fetched."""

    controller = None
    """The engine does not ask which broker is the controller."""

    def __init__(self, engine: kafkars.Producer[Any, Any], seconds: float) -> None:
        self._engine = engine
        self._seconds = seconds
        self._seen: set[str] = set()

    def topics(self, exclude_internal_topics: bool = True) -> set[str]:
        """Returns the topics whose metadata was requested."""
        del exclude_internal_topics
        return set(self._seen)

    def partitions_for_topic(self, topic: str) -> set[int]:
        """Returns the partition numbers of a topic."""
        return {info.partition for info in self._infos(topic)}

    def available_partitions_for_topic(self, topic: str) -> set[int]:
        """Returns the partitions of a topic that have a leader."""
        return {info.partition for info in self._infos(topic) if info.leader is not None}

    def _infos(self, topic: str) -> list[Any]:
        with translated():
            found = self._engine.partitions_for(topic, timeout=self._seconds)
        self._seen.add(topic)
        return list(found)

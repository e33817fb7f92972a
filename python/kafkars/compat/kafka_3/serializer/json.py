"""JSON (`kafka.serializer.json`)."""

from __future__ import annotations

import json
from typing import Any

from kafkars.compat.kafka_3.serializer.abstract import Headers
from kafkars.compat.kafka_3.serializer.default import DefaultSerializer

__all__ = ["JsonSerializer"]


class JsonSerializer(DefaultSerializer):
    """Serializes to JSON and back; None passes unchanged."""

    def serialize(self, topic: str, headers: Headers, data: Any) -> Any:
        """Returns the serialized data."""
        return None if data is None else super().serialize(topic, headers, json.dumps(data))

    def deserialize(self, topic: str, headers: Headers, data: Any) -> Any:
        """Returns the deserialized object."""
        return None if data is None else json.loads(super().deserialize(topic, headers, data))

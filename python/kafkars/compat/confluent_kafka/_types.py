"""`confluent_kafka._types`: names of types, which programs import for their annotations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

HeadersType = dict[str, str | bytes | None] | list[tuple[str, str | bytes | None]]
"""Headers of a message."""

Serializer = Callable[[Any, Any], bytes]
"""Makes bytes of an object, with its `SerializationContext`."""

Deserializer = Callable[[bytes | None, Any], Any]
"""Makes an object of bytes, with their `SerializationContext`."""

DeliveryCallback = Callable[[Any | None, Any], None]
"""`on_delivery`: called with a `KafkaError` or None, and the `Message`."""

RebalanceCallback = Callable[[Any, list[Any]], None]
"""`on_assign`, `on_revoke` and `on_lost`: called with the consumer and partitions."""

AcknowledgementCommitCallback = Callable[[dict[Any, Any], Any | None], None]
"""Called with offsets and a `KafkaException` or None by consumers of share groups, which are not offered."""

"""librdkafka's properties: names, ranges and defaults as it has them, and what becomes of each here.

`docs/reference/librdkafka-properties.md` shows the table.
"""

from __future__ import annotations

from kafkars.compat.confluent_kafka._properties.client import CLIENT
from kafkars.compat.confluent_kafka._properties.consumer import CONSUMER
from kafkars.compat.confluent_kafka._properties.hidden import HIDDEN
from kafkars.compat.confluent_kafka._properties.producer import PRODUCER
from kafkars.compat.confluent_kafka._properties.property import Property
from kafkars.compat.confluent_kafka._properties.security import SECURITY

__all__ = ["ALL", "KNOWN", "TOPIC", "Property"]

ALL: tuple[Property, ...] = (*CLIENT, *SECURITY, *CONSUMER, *PRODUCER, *HIDDEN)
"""Every row of librdkafka's list of properties, and properties that it accepts but does not list."""

TOPIC: dict[str, Property] = {each.name: each for each in ALL if each.scope == "topic"}
"""Properties of topics, whose names may have the prefix `topic.`."""

KNOWN: dict[str, Property] = TOPIC | {each.name: each for each in ALL if each.scope == "global"}
"""Properties by name: if client and topics have one of the same name, it is the client's."""

"""What describes a topic, by the path of the library."""

from __future__ import annotations

from kafkars.compat.confluent_kafka.admin._results import TopicDescription

__all__ = ["TopicDescription"]

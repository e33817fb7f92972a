"""Settings and what has them, by the path of the library."""

from __future__ import annotations

from kafkars.compat.confluent_kafka.admin._resources import AlterConfigOpType, ConfigEntry, ConfigResource, ConfigSource

__all__ = ["AlterConfigOpType", "ConfigEntry", "ConfigResource", "ConfigSource"]

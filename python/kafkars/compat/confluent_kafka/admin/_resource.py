"""Kinds of resources, by the path of the library."""

from __future__ import annotations

from kafkars.compat.confluent_kafka.admin._resources import ResourcePatternType, ResourceType

__all__ = ["ResourcePatternType", "ResourceType"]

"""Serializers and deserializers (`kafka.serializer`)."""

from __future__ import annotations

from kafkars.compat.kafka.serializer.abstract import Deserializer, Serializer

__all__ = ["Deserializer", "Serializer"]

"""`confluent_kafka.avro.cached_schema_registry_client`: not offered; its names say what there is instead."""

from __future__ import annotations

from kafkars.compat.confluent_kafka._not_offered import SERIALIZE, others
from kafkars.compat.confluent_kafka.avro import CachedSchemaRegistryClient

__all__ = ["CachedSchemaRegistryClient"]

__getattr__ = others(__name__, SERIALIZE)

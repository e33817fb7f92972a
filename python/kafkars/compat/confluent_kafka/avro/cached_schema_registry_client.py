"""`confluent_kafka.avro.cached_schema_registry_client`: not offered; what programs name can be imported."""

from __future__ import annotations

from kafkars.compat.confluent_kafka._not_offered import SERIALIZE, classes, others
from kafkars.compat.confluent_kafka.avro.error import ClientError

__all__ = ["CachedSchemaRegistryClient", "ClientError"]

[CachedSchemaRegistryClient] = classes(__name__, SERIALIZE, "CachedSchemaRegistryClient")
__getattr__ = others(__name__, SERIALIZE)

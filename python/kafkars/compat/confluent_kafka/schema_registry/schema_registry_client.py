"""`confluent_kafka.schema_registry.schema_registry_client`: what programs name there can be imported."""

from __future__ import annotations

from kafkars.compat.confluent_kafka._not_offered import SERIALIZE, others
from kafkars.compat.confluent_kafka.schema_registry import (
    AsyncSchemaRegistryClient,
    Metadata,
    RegisteredSchema,
    Rule,
    RuleSet,
    Schema,
    SchemaReference,
    SchemaRegistryClient,
    SchemaRegistryError,
    ServerConfig,
)

__all__ = [
    "AsyncSchemaRegistryClient",
    "Metadata",
    "RegisteredSchema",
    "Rule",
    "RuleSet",
    "Schema",
    "SchemaReference",
    "SchemaRegistryClient",
    "SchemaRegistryError",
    "ServerConfig",
]

__getattr__ = others(__name__, SERIALIZE)

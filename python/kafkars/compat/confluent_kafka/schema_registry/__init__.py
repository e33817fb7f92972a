"""`confluent_kafka.schema_registry`: not offered but for what programs name beside it: schemas, subjects, errors."""

from __future__ import annotations

from typing import Any

from kafkars.compat.confluent_kafka._not_offered import SERIALIZE, Refusing, classes, functions, others
from kafkars.compat.confluent_kafka.schema_registry.error import SchemaRegistryError
from kafkars.compat.confluent_kafka.serialization import SerializationContext, SerializationError


class Schema(metaclass=Refusing):
    """A schema.

    Args:
        schema_str: Its text.
        schema_type: AVRO, JSON or PROTOBUF.
        references: What it refers to.
        metadata: Kept as it is.
        rule_set: Likewise.
    """

    INSTEAD = SERIALIZE

    def __init__(
        self,
        schema_str: str,
        schema_type: str = "AVRO",
        references: list[SchemaReference] | None = None,
        metadata: Any = None,
        rule_set: Any = None,
    ) -> None:
        self.schema_str = schema_str
        self.schema_type = schema_type
        self.references = references or []
        self.metadata = metadata
        self.rule_set = rule_set

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other) if isinstance(other, Schema) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.schema_str)


class SchemaReference(metaclass=Refusing):
    """A schema that another one refers to.

    Args:
        name: How it is named there.
        subject: Where the registry keeps it.
        version: Which version.
    """

    INSTEAD = SERIALIZE

    def __init__(self, name: str | None, subject: str | None, version: int | None) -> None:
        self.name = name
        self.subject = subject
        self.version = version

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other) if isinstance(other, SchemaReference) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.name, self.subject, self.version))


def topic_subject_name_strategy(ctx: SerializationContext | None, record_name: str | None = None, *_: Any) -> str:
    """The subject of a topic's keys or values: `topic-key`, `topic-value`."""
    del record_name
    if ctx is None:
        raise SerializationError("the subject of a topic needs a SerializationContext")
    return f"{ctx.topic}-{ctx.field}"


def topic_record_subject_name_strategy(
    ctx: SerializationContext | None, record_name: str | None, *_: Any
) -> str | None:
    """The subject of a record in a topic: `topic-record`."""
    if ctx is None:
        raise SerializationError("the subject of a topic needs a SerializationContext")
    return None if record_name is None else f"{ctx.topic}-{record_name}"


def record_subject_name_strategy(ctx: SerializationContext | None, record_name: str | None, *_: Any) -> str | None:
    """The subject of a record wherever it is: its name."""
    del ctx
    return record_name


def reference_subject_name_strategy(ctx: SerializationContext | None, schema_ref: SchemaReference) -> str | None:
    """The subject of a schema that is referred to: its name."""
    del ctx
    return schema_ref.name


SchemaRegistryClient, AsyncSchemaRegistryClient, RegisteredSchema, ServerConfig, Metadata, RuleSet, Rule = classes(
    __name__,
    SERIALIZE,
    "SchemaRegistryClient",
    "AsyncSchemaRegistryClient",
    "RegisteredSchema",
    "ServerConfig",
    "Metadata",
    "RuleSet",
    "Rule",
)
(
    header_schema_id_serializer,
    prefix_schema_id_serializer,
    dual_schema_id_deserializer,
    prefix_schema_id_deserializer,
) = functions(
    __name__,
    SERIALIZE,
    "header_schema_id_serializer",
    "prefix_schema_id_serializer",
    "dual_schema_id_deserializer",
    "prefix_schema_id_deserializer",
)

__getattr__ = others(__name__, SERIALIZE)

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
    "dual_schema_id_deserializer",
    "header_schema_id_serializer",
    "prefix_schema_id_deserializer",
    "prefix_schema_id_serializer",
    "record_subject_name_strategy",
    "reference_subject_name_strategy",
    "topic_record_subject_name_strategy",
    "topic_subject_name_strategy",
]

"""Basic types of Kafka's wire format (`aiokafka.protocol.types`)."""

from __future__ import annotations

from kafkars.compat._protocol.types import (
    AbstractType,
    Array,
    Boolean,
    Bytes,
    Float64,
    Int8,
    Int16,
    Int32,
    Int64,
    Schema,
    String,
    UInt32,
    UnsignedVarInt32,
)

__all__ = [
    "AbstractType",
    "Array",
    "Boolean",
    "Bytes",
    "Float64",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "Schema",
    "String",
    "UInt32",
    "UnsignedVarInt32",
]

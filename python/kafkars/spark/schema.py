"""The columns of Spark's Kafka source, as Spark and as Arrow know them."""

from __future__ import annotations

from typing import Any

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from kafkars.errors import ConfigError

HEADERS = ArrayType(StructType([StructField("key", StringType()), StructField("value", BinaryType())]))

COLUMNS = {
    "key": BinaryType(),
    "value": BinaryType(),
    "topic": StringType(),
    "partition": IntegerType(),
    "offset": LongType(),
    "timestamp": TimestampType(),
    "timestampType": IntegerType(),
    "headers": HEADERS,
}


def full(*, headers: bool) -> StructType:
    """What `load()` gives without a schema."""
    return StructType([StructField(name, kind) for name, kind in COLUMNS.items() if headers or name != "headers"])


def check_asked(schema: StructType) -> None:
    """Lets a program ask for some of the columns, in any order: what it does not ask for is not decoded.

    Raises:
        ConfigError: A column does not exist or has another type.
    """
    for field in schema.fields:
        if field.name not in COLUMNS:
            raise ConfigError(f"schema: there is no column {field.name!r}; there are {', '.join(COLUMNS)}")
        if not same(field.dataType, COLUMNS[field.name]):
            raise ConfigError(
                f"schema: the column {field.name!r} is {COLUMNS[field.name].simpleString()}, not "
                f"{field.dataType.simpleString()}; cast it after load()"
            )


def same(one: Any, other: Any) -> bool:
    """True if two types are equal but for what may be null."""
    return bool(one.simpleString() == other.simpleString())


def to_arrow(schema: StructType) -> Any:
    """The Arrow schema that Spark demands of the batches of `read`."""
    from pyspark.sql.pandas.types import to_arrow_schema  # noqa: PLC0415  imports pyarrow

    return to_arrow_schema(schema, timezone="UTC")

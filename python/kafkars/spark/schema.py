"""The columns of Spark's Kafka source, as types of Spark and of Arrow."""

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
from kafkars.spark import formats
from kafkars.spark.options import SourceOptions

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


def full(options: SourceOptions) -> StructType:
    """Returns the columns that `load()` has without a schema.

    Raises:
        ConfigError: Decoded columns have names or types that are not possible.
    """
    decoded = {each.column: each for each in options.formats}
    found: list[StructField] = []
    for name, kind in COLUMNS.items():
        form = decoded.get(name)
        if form is None:
            if options.include_headers or name != "headers":
                found.append(StructField(name, kind))
            continue
        made = formats.decoded_type(form)
        if not form.flatten:
            found.append(StructField(name, made))
        elif isinstance(made, StructType):
            found += made.fields
        else:
            raise ConfigError(f"value.columns: flatten needs a record, and the schema is of {made.simpleString()}")
    if not options.fail_fast:
        found += [StructField(each.corrupt, BinaryType()) for each in options.formats]
    names = [each.name.lower() for each in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConfigError(f"value.columns: with flatten there would be two columns {', '.join(twice)}; use struct")
    return StructType(found)


def check_asked(schema: StructType, options: SourceOptions) -> None:
    """Checks a program's own schema: some of the columns, in any order. Only these are decoded.

    Raises:
        ConfigError: A column does not exist, has another type or is named twice, or there is none.
    """
    there = {each.name: each.dataType for each in full(options).fields}
    there.setdefault("headers", HEADERS)
    asked = schema.names
    if not asked:
        raise ConfigError(f"schema: names no column; there are {', '.join(there)}")
    twice = sorted({name for name in asked if asked.count(name) > 1})
    if twice:
        raise ConfigError(f"schema: names {', '.join(twice)} twice")
    for field in schema.fields:
        if field.name not in there:
            raise ConfigError(f"schema: there is no column {field.name!r}; there are {', '.join(there)}")
        if not same(field.dataType, there[field.name]):
            raise ConfigError(
                f"schema: the column {field.name!r} is {there[field.name].simpleString()}, not "
                f"{field.dataType.simpleString()}; cast it after load()"
            )


def same(one: Any, other: Any) -> bool:
    """True if two types are equal apart from nullability."""
    return bool(one.simpleString() == other.simpleString())


def to_arrow(schema: StructType) -> Any:
    """Returns the Arrow schema that Spark requires of the batches of `read`."""
    from pyspark.sql.pandas.types import to_arrow_schema  # noqa: PLC0415  imports pyarrow

    return to_arrow_schema(schema, timezone="UTC")

"""Decodes keys and values to columns, a batch at a time, with the native module."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_type, to_arrow_schema
from pyspark.sql.types import (
    ArrayType,
    CalendarIntervalType,
    DataType,
    DayTimeIntervalType,
    MapType,
    NullType,
    StringType,
    StructField,
    StructType,
)

from kafkars._kafkars import ArrowBatch, PayloadDecoder
from kafkars.errors import DeserializationError
from kafkars.spark import avro, ddl
from kafkars.spark.payload_format import PayloadFormat
from kafkars.types import TopicPartition

LOG = logging.getLogger("kafkars.spark")

MISSING_SECONDS = 5.0
"""Seconds after which a registry is asked again for a schema that it did not have: it may have been registered
since."""

MOST_ASKED_AGAIN = 16
"""The most of these schemas that are asked for at a time: damaged payloads may name any number of ids."""

HOW_TO_GO_ON = "With the option mode=PERMISSIVE it becomes null, and its bytes are in the column {column}."


@dataclass
class Decoded:
    """The decoded keys or values of a batch."""

    values: Any
    """An Arrow array."""
    poison: list[int]
    """Rows that could not be decoded."""


class Decoder:
    """Decodes the keys or values of batches, and caches the schemas of the registry."""

    def __init__(self, form: PayloadFormat) -> None:
        self.form = form
        self.wrapped = False
        """Whether the schema is not a record's, so that a record was put around it."""
        self._missing: dict[int, float] = {}
        """For each id without a schema the time at which the registry was last asked for it."""
        if form.kind == "utf8":
            self._native = PayloadDecoder.utf8()
            self.type: DataType = StringType()
        elif form.kind == "json":
            self.type = ddl.parse(form.schema or "")
            self._native = PayloadDecoder.json(to_arrow_schema(self.type, timezone="UTC"))
        else:
            schema, self.wrapped = avro.as_record(form.schema or "")
            self._native = PayloadDecoder.avro(schema, framed=form.registry is not None)
            found = _spark_type(pa.struct(list(pa.schema(self._native))))
            self.type = found.fields[0].dataType if self.wrapped else found
        self._target = to_arrow_schema(StructType([StructField("value", self.type)]), timezone="UTC").field(0).type

    def decode(
        self, batch: ArrowBatch, offsets: Any, rows: int, partition: TopicPartition, *, fail_fast: bool
    ) -> Decoded:
        """Decodes the first rows of a batch.

        Raises:
            DeserializationError: A key or value cannot be decoded, and `fail_fast` is true.
            SchemaRegistryError: The registry cannot be asked for a schema.
        """
        column = self.form.column
        # A query that has failed is started again at once, and asks again: the schema may be there by then.
        patience = 0.0 if fail_fast else MISSING_SECONDS
        again = [number for number, asked in self._missing.items() if time.monotonic() - asked >= patience]
        for number in [*again[:MOST_ASKED_AGAIN], *self._native.unknown_schema_ids(batch, column, rows)]:
            self._learn(number)
        decoded, refused = self._native.decode(batch, column, rows)
        values = pa.array(decoded)
        if self.wrapped:
            values = values.flatten()[0]
        values, misfits = self._cast(values)
        poison = sorted([*refused, *misfits])
        if poison:
            self._tell(poison, offsets, partition, fail_fast=fail_fast)
        return Decoded(values, [row for row, _ in poison])

    def _learn(self, number: int) -> None:
        registry = self.form.registry
        if registry is None:
            return
        self._missing.pop(number, None)
        try:
            schema, wrapped = avro.as_record(registry.by_id(number))
        except (LookupError, ValueError) as error:
            self._native.add_schema(number, problem=str(error))
            self._missing[number] = time.monotonic()
            return
        if self.wrapped and not wrapped:
            self._native.add_schema(number, problem="it is a record's, and the schema asked for is not")
        else:
            self._native.add_schema(number, schema)

    def _cast(self, values: Any) -> tuple[Any, list[tuple[int, str]]]:
        """Returns the values in Spark's type, and those that do not fit: a time in ms may be too large for one in
        us.
        """
        if values.type == self._target:
            return values, []
        try:
            return values.cast(self._target), []
        except pa.ArrowInvalid as error:
            if len(values) == 1:
                return pa.nulls(1, self._target), [(0, str(error))]
            middle = len(values) // 2
            first, misfits = self._cast(values[:middle])
            second, more = self._cast(values[middle:])
            return pa.concat_arrays([first, second]), [*misfits, *((row + middle, why) for row, why in more)]

    def _tell(self, poison: list[tuple[int, str]], offsets: Any, partition: TopicPartition, *, fail_fast: bool) -> None:
        row, reason = poison[0]
        offset = offsets[row].as_py()
        form = self.form
        message = (
            f"the {form.column} at {partition.topic}-{partition.partition}, offset {offset} is not what "
            f"{form.column}.format={form.kind} says: {reason}"
        )
        if fail_fast:
            raise DeserializationError(
                f"{message}. {HOW_TO_GO_ON.format(column=form.corrupt)}",
                topic=partition.topic,
                partition=partition.partition,
                offset=offset,
            )
        LOG.warning("%d of %d cannot be decoded and are null: %s", len(poison), len(offsets), message)


@lru_cache(maxsize=16)
def decoder(form: PayloadFormat) -> Decoder:
    """Returns the decoder of a format, which a worker keeps for its next tasks."""
    return Decoder(form)


def spark_type(form: PayloadFormat) -> DataType:
    """Returns the type that a format decodes into.

    Raises:
        ValueError: Its schema is not valid, or has a type that Spark does not have.
    """
    return Decoder(form).type


def _spark_type(kind: Any, path: str = "") -> Any:
    """Returns Spark's type for one of Arrow."""
    if pa.types.is_struct(kind):
        return StructType([StructField(each.name, _spark_type(each.type, f"{path}.{each.name}")) for each in kind])
    if pa.types.is_list(kind):
        return ArrayType(_spark_type(kind.value_type, f"{path}[]"))
    if pa.types.is_map(kind):
        return MapType(_spark_type(kind.key_type, path), _spark_type(kind.item_type, f"{path}[]"))
    try:
        found = from_arrow_type(kind)
        to_arrow_schema(StructType([StructField("value", found)]), timezone="UTC")
    except Exception as error:
        raise ValueError(_has_no_type(path, kind)) from error
    if isinstance(found, (NullType, DayTimeIntervalType, CalendarIntervalType)) or pa.types.is_time(kind):
        raise ValueError(_has_no_type(path, kind))
    return found


def _has_no_type(path: str, kind: Any) -> str:
    return f"the field {path.lstrip('.') or 'value'} is {kind}, for which there is no column in Spark"

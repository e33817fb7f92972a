"""The data source `format("kafkars")`, which PySpark instantiates for each query."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pyspark.sql.datasource import DataSource, DataSourceReader
from pyspark.sql.types import StructType

from kafkars.errors import ConfigError
from kafkars.spark import schema as columns_of_spark
from kafkars.spark.batch import BatchReader, PushingReader
from kafkars.spark.options import SourceOptions, sink_options, source_options
from kafkars.spark.processes import pushes_filters, spare_modules


class KafkaSource(DataSource):
    """Kafka as a source and a sink; see `kafkars.spark`."""

    @classmethod
    def name(cls) -> str:
        """Returns the name for `format()`."""
        return "kafkars"

    def schema(self) -> StructType:
        """Returns the columns if the program gives no schema. Options are checked here, as soon as `load()` is
        called.
        """
        return columns_of_spark.full(self._options(streaming=None))

    def reader(self, schema: StructType) -> DataSourceReader:
        """Returns the reader of a batch query."""
        options = self._options(streaming=False)
        columns_of_spark.check_asked(schema, options)
        return (PushingReader if pushes_filters() else BatchReader)(options, schema)

    def streamReader(self, schema: StructType) -> Any:  # noqa: N802  Spark's name
        """Returns the reader of a streaming query."""
        from kafkars.spark.stream import StreamReader  # noqa: PLC0415  a batch query does not need it

        options = self._options(streaming=True)
        columns_of_spark.check_asked(schema, options)
        return StreamReader(options, schema)

    def writer(self, schema: StructType, overwrite: bool) -> Any:
        """Returns the writer of a batch query."""
        from kafkars.spark.sink import BatchWriter  # noqa: PLC0415  a reading query does not need it

        if overwrite:
            raise ConfigError('mode: records are appended to a topic, never overwritten; use mode("append")')
        return BatchWriter(sink_options(dict(self.options), streaming=False), schema)

    def streamWriter(self, schema: StructType, overwrite: bool) -> Any:  # noqa: N802  Spark's name
        """Returns the writer of a streaming query. In complete mode each batch appends the whole result, as with
        Spark's own sink.
        """
        from kafkars.spark.sink import StreamWriter  # noqa: PLC0415  likewise

        del overwrite
        return StreamWriter(sink_options(dict(self.options), streaming=True), schema)

    def _options(self, *, streaming: bool | None) -> SourceOptions:
        """Returns the options, with the schemas from the registry."""
        spare_modules()
        found = source_options(dict(self.options), streaming=streaming)
        return replace(found, formats=tuple(each.resolved() for each in found.formats))

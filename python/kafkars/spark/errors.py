"""Errors that only occur in Spark jobs."""

from __future__ import annotations

from kafkars.errors import KafkaError


class DataLossError(KafkaError):
    """Records that the query was to read are gone, and `failOnDataLoss` is true."""

    name = "DATA_LOSS"


class ReplayDiffersError(KafkaError):
    """A micro-batch that was written before was replayed with other rows, so it can be neither skipped nor written."""

    name = "REPLAY_DIFFERS"


class SchemaRegistryError(KafkaError):
    """The schema registry cannot be asked, or has no such schema."""

    name = "SCHEMA_REGISTRY"

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        """The status of the registry's HTTP response; None if there was none."""

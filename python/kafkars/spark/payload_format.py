"""The format that keys or values are decoded with."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kafkars.errors import ConfigError
from kafkars.spark.registry import SchemaRegistry


@dataclass(frozen=True)
class PayloadFormat:
    """The options for keys, or for values."""

    column: str
    """`key` or `value`."""
    kind: str
    """`utf8`, `json` or `avro`."""
    schema: str | None = None
    """The columns of JSON, or the reader's schema of Avro, which is None until it comes from the registry."""
    subject: str | None = None
    """The subject of the reader's schema in the registry."""
    registry: SchemaRegistry | None = None
    """The registry of the schemas whose ids payloads have; None for payloads without the registry's framing."""
    flatten: bool = False
    """Whether the fields of the value are columns of their own."""

    @property
    def corrupt(self) -> str:
        """The name of the column for the bytes of payloads that cannot be decoded."""
        return f"{self.column}_corrupt"

    def resolved(self) -> PayloadFormat:
        """Returns the format with the reader's schema.

        Raises:
            ConfigError: The registry has no schema that can be used.
            SchemaRegistryError: The registry cannot be asked.
        """
        if self.schema is not None or self.registry is None or self.subject is None:
            return self
        try:
            return replace(self, schema=self.registry.newest(self.subject))
        except LookupError as error:
            raise ConfigError(f"{self.column}.subject: the newest schema of {self.subject!r}: {error}") from None

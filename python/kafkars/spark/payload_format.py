"""How keys or values are decoded."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kafkars.errors import ConfigError
from kafkars.spark.registry import SchemaRegistry


@dataclass(frozen=True)
class PayloadFormat:
    """What the options say of keys, or of values."""

    column: str
    """`key` or `value`."""
    kind: str
    """`utf8`, `json` or `avro`."""
    schema: str | None = None
    """Columns of JSON; the reader's schema of Avro, None until the registry has been asked for it."""
    subject: str | None = None
    """Where the registry has the reader's schema."""
    registry: SchemaRegistry | None = None
    """Where the schemas are that payloads name; None for payloads without the registry's framing."""
    flatten: bool = False
    """Whether the fields of the value are columns of their own."""

    @property
    def corrupt(self) -> str:
        """The column with the bytes of what could not be decoded."""
        return f"{self.column}_corrupt"

    def resolved(self) -> PayloadFormat:
        """The same, with the reader's schema.

        Raises:
            ConfigError: The registry has none that can be used.
            SchemaRegistryError: The registry cannot be asked.
        """
        if self.schema is not None or self.registry is None or self.subject is None:
            return self
        try:
            return replace(self, schema=self.registry.newest(self.subject))
        except LookupError as error:
            raise ConfigError(f"{self.column}.subject: the newest schema of {self.subject!r}: {error}") from None

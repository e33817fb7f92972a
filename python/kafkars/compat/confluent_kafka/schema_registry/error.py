"""`confluent_kafka.schema_registry.error`: the exceptions, for programs that catch them."""

from __future__ import annotations

__all__ = ["OAuthTokenError", "SchemaParseException", "SchemaRegistryError", "UnknownType"]


class SchemaRegistryError(Exception):
    """A registry has refused a request.

    Args:
        http_status_code: The status of its answer.
        error_code: Its own code.
        error_message: Its text.
    """

    UNKNOWN = -1

    def __init__(self, http_status_code: int, error_code: int, error_message: str) -> None:
        super().__init__(http_status_code, error_code, error_message)
        self.http_status_code = http_status_code
        self.error_code = error_code
        self.error_message = error_message

    def __str__(self) -> str:
        return f"{self.error_message} (HTTP status code {self.http_status_code}, SR code {self.error_code})"


class OAuthTokenError(Exception):
    """A token could not be got."""


class SchemaParseException(Exception):  # noqa: N818  the library's name
    """A schema cannot be read."""


class UnknownType(ValueError):  # noqa: N818  the library's name
    """A schema names a type that there is not."""

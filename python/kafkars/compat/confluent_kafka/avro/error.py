"""`confluent_kafka.avro.error`."""

from __future__ import annotations

__all__ = ["ClientError"]


class ClientError(Exception):
    """A registry has refused a request.

    Args:
        message: Why.
        http_code: The status of its answer.
    """

    def __init__(self, message: str, http_code: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.http_code = http_code

    def __repr__(self) -> str:
        return f"ClientError(error={self.message})"

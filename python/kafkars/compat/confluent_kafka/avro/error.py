"""`confluent_kafka.avro.error`: the exception, for programs that catch it."""

from __future__ import annotations

__all__ = ["ClientError"]


class ClientError(Exception):
    """A registry has refused a request."""

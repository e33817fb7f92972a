"""`kafka.oauth`, where kafka-python 2.0 had it."""

from __future__ import annotations

from kafkars.compat.kafka.sasl.oauth import AbstractTokenProvider

__all__ = ["AbstractTokenProvider"]

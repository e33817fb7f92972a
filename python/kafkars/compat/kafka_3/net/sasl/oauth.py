"""`AbstractTokenProvider`, where kafka-python 3 has it (`kafka.net.sasl.oauth`)."""

from __future__ import annotations

from kafkars.compat.kafka.sasl.oauth import AbstractTokenProvider

__all__ = ["AbstractTokenProvider"]

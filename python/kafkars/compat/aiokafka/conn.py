"""Names that programs import from `aiokafka.conn`; connections themselves are not exposed."""

from __future__ import annotations

from kafkars.compat.aiokafka.abc import AbstractTokenProvider

__all__ = ["AbstractTokenProvider"]

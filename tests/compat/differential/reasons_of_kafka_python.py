"""What stays different of kafka-python."""

from __future__ import annotations

from tests.compat.differential.reasons import Reason

REASONS: list[Reason] = []

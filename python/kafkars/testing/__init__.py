"""Help for tests of programs that use Kafka: a broker inside the test process."""

from __future__ import annotations

from kafkars.testing.broker import EmbeddedBroker

__all__ = ["EmbeddedBroker"]

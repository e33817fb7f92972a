"""Groups (`kafka.coordinator`)."""

from __future__ import annotations

from kafkars.compat.kafka_3.coordinator import assignors as assignors

"""How values are sampled (`kafka.metrics.metric_config`)."""

from __future__ import annotations

import sys
from typing import Any

from kafkars.compat.kafka.metrics.quota import Quota

__all__ = ["MetricConfig"]


class MetricConfig:
    """How many samples a metric keeps and when one is complete.

    Args:
        quota: The bound of the values; None for none.
        samples: The number of samples; at least 1 if set later.
        event_window: The number of values after which a sample is complete.
        time_window_ms: The milliseconds after which a sample is complete.
        tags: Tags of every metric.
    """

    __slots__ = ("_samples", "event_window", "quota", "tags", "time_window_ms")

    def __init__(
        self,
        quota: Quota | None = None,
        samples: int = 2,
        event_window: int = sys.maxsize,
        time_window_ms: float = 30_000,
        tags: dict[Any, Any] | None = None,
    ) -> None:
        self.quota = quota
        self._samples = samples
        self.event_window = event_window
        self.time_window_ms = time_window_ms
        self.tags: dict[Any, Any] = tags or {}

    @property
    def samples(self) -> int:
        """The number of samples.

        Raises:
            ValueError: It is set to less than 1.
        """
        return self._samples

    @samples.setter
    def samples(self, value: int) -> None:
        if value < 1:
            raise ValueError("samples: at least 1 is expected")
        self._samples = value

"""Statistics of recorded values (`kafka.metrics.stats`)."""

from __future__ import annotations

from kafkars.compat.kafka.metrics.stats.avg import Avg
from kafkars.compat.kafka.metrics.stats.count import Count
from kafkars.compat.kafka.metrics.stats.histogram import Histogram
from kafkars.compat.kafka.metrics.stats.max_stat import Max
from kafkars.compat.kafka.metrics.stats.min_stat import Min
from kafkars.compat.kafka.metrics.stats.percentile import Percentile
from kafkars.compat.kafka.metrics.stats.percentiles import Percentiles
from kafkars.compat.kafka.metrics.stats.rate import Rate
from kafkars.compat.kafka.metrics.stats.sensor import Sensor
from kafkars.compat.kafka.metrics.stats.total import Total

__all__ = ["Avg", "Count", "Histogram", "Max", "Min", "Percentile", "Percentiles", "Rate", "Sensor", "Total"]

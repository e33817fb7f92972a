"""Histograms (`kafka.metrics.stats.histogram`)."""

from __future__ import annotations

import math
from typing import Protocol

__all__ = ["Histogram"]

FEWEST_BINS = 2


class BinScheme(Protocol):
    """Maps values to bins, and bins to their lower bounds."""

    @property
    def bins(self) -> int:
        """The number of bins."""
        ...

    def from_bin(self, b: int) -> float:
        """Returns the lower bound of a bin."""
        ...

    def to_bin(self, x: float) -> int:
        """Returns the bin that a value falls into."""
        ...


class Histogram:
    """Counts values by bin."""

    def __init__(self, bin_scheme: BinScheme) -> None:
        self._bin_scheme = bin_scheme
        self.clear()

    def clear(self) -> None:
        """Forgets all values."""
        self._hist = [0.0] * self._bin_scheme.bins
        self._count = 0.0

    def record(self, value: float) -> None:
        """Counts a value."""
        self._hist[self._bin_scheme.to_bin(value)] += 1.0
        self._count += 1.0

    def value(self, quantile: float) -> float:
        """Returns the lower bound of the bin of a quantile (between 0 and 1); NaN if nothing was recorded."""
        if not self._count:
            return math.nan
        seen = 0.0
        for number, count in enumerate(self._hist[:-1]):
            seen += count
            if seen / self._count > float(quantile):
                return self._bin_scheme.from_bin(number)
        return math.inf

    @property
    def counts(self) -> list[float]:
        """The number of values of each bin."""
        return self._hist

    def __str__(self) -> str:
        told = [f"{self._bin_scheme.from_bin(number):.10f}:{count:.0f}" for number, count in enumerate(self._hist[:-1])]
        return "{" + ",".join([*told, f"{math.inf}:{self._hist[-1]}"]) + "}"

    class ConstantBinScheme:
        """Bins of equal width between two values; the first and the last take the values beyond.

        Raises:
            ValueError: There are fewer than two bins.
        """

        def __init__(self, bins: int, min_val: float, max_val: float) -> None:
            if bins < FEWEST_BINS:
                raise ValueError("at least 2 bins are needed")
            self._min = float(min_val)
            self._max = float(max_val)
            self._bins = int(bins)
            self._width = (max_val - min_val) / (bins - 2)

        @property
        def bins(self) -> int:
            """The number of bins."""
            return self._bins

        def from_bin(self, b: int) -> float:
            """Returns the lower bound of a bin."""
            if b == 0:
                return -math.inf
            return math.inf if b == self._bins - 1 else self._min + (b - 1) * self._width

        def to_bin(self, x: float) -> int:
            """Returns the bin that a value falls into."""
            if x < self._min:
                return 0
            return self._bins - 1 if x > self._max else int((x - self._min) / self._width + 1)

    class LinearBinScheme:
        """Bins from 0 on, each wider than the previous one by a constant; the last takes the values beyond."""

        def __init__(self, num_bins: int, max_val: float) -> None:
            self._bins = num_bins
            self._max = max_val
            self._scale = max_val / (num_bins * (num_bins - 1) / 2)

        @property
        def bins(self) -> int:
            """The number of bins."""
            return self._bins

        def from_bin(self, b: int) -> float:
            """Returns the lower bound of a bin."""
            return math.inf if b == self._bins - 1 else b * (b + 1.0) / 2.0 * self._scale

        def to_bin(self, x: float) -> int:
            """Returns the bin that a value falls into.

            Raises:
                ValueError: The value is negative.
            """
            if x < 0.0:
                raise ValueError("a value is negative")
            return self._bins - 1 if x > self._max else int(-0.5 + math.sqrt(2.0 * x / self._scale + 0.25))

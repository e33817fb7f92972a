"""Version ranges as the schemas write them: "3+", "0-12", "4", "none"."""

from __future__ import annotations

from dataclasses import dataclass

HIGHEST = 32767


@dataclass(frozen=True)
class Versions:
    """A range with both ends included; empty when `low` is above `high`."""

    low: int
    high: int

    @property
    def is_empty(self) -> bool:
        return self.low > self.high

    def intersect(self, other: Versions) -> Versions:
        return Versions(max(self.low, other.low), min(self.high, other.high))

    def covers(self, other: Versions) -> bool:
        return other.is_empty or (self.low <= other.low and other.high <= self.high)

    def condition(self, within: Versions) -> str | None:
        """The Rust condition on `version` for this range, given that it lies in `within`; None when always true."""
        if self.covers(within):
            return None
        if within.high <= self.high:
            return f"version >= {self.low}"
        if self.low <= within.low:
            return f"version <= {self.high}"
        if self.low == self.high:
            return f"version == {self.low}"
        return f"({self.low}..={self.high}).contains(&version)"

    def since(self, within: Versions) -> str:
        """For people: where in `within` this range lies; empty when it covers all of it."""
        if self.covers(within):
            return ""
        if within.high <= self.high:
            return f"since version {self.low}"
        if self.low == self.high:
            return f"version {self.low} only"
        if self.low <= within.low:
            return f"up to version {self.high}"
        return f"versions {self.low} to {self.high}"

    def __str__(self) -> str:
        return "-" if self.is_empty else f"{self.low}-{self.high}"


NONE = Versions(1, 0)


def parse(text: str | None) -> Versions:
    if text is None or text == "none":
        return NONE
    if text.endswith("+"):
        return Versions(int(text[:-1]), HIGHEST)
    low, _, high = text.partition("-")
    return Versions(int(low), int(high or low))

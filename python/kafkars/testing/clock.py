"""The embedded broker's clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkars import _kafkars


class Clock:
    """The clock of the broker's time-outs, retention and log-append times; see `EmbeddedBroker.clock`.

    It runs with the machine's clock, or stands still if the broker was started with `clock="manual"` or after
    `freeze()`. A long poll also ends in real time, so that clients go on reading while the clock stands still.

    Clients go by real time, and their heartbeats start their sessions anew. To advance the clock by more than
    `session.timeout.ms` ends the session of every member; those that are alive join again with their next heartbeat.
    """

    __slots__ = ("_broker",)

    def __init__(self, broker: _kafkars.EmbeddedBroker) -> None:
        self._broker = broker

    def now_ms(self) -> int:
        """The time in milliseconds since 1970, as timestamps of records are."""
        return self._broker._now_ms()

    def advance(self, seconds: float) -> None:
        """Moves the time ahead; whatever is due by then happens at once.

        Args:
            seconds: The number of seconds, 0 or more; fractions are kept.

        Raises:
            InvalidArgumentError: The number is negative or too large.
        """
        self._broker._advance_clock(seconds)

    def freeze(self) -> None:
        """Stops the clock where it is; it can still be advanced."""
        self._broker._freeze_clock(frozen=True)

    def unfreeze(self) -> None:
        """Lets the clock run on from where it is."""
        self._broker._freeze_clock(frozen=False)

    @property
    def frozen(self) -> bool:
        """True if the time moves only by `advance()`."""
        return self._broker._clock_is_frozen()

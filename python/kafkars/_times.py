"""Times in the unit of Kafka."""

from __future__ import annotations


class Milliseconds(int):
    """A number of milliseconds that is accepted as it is. kafkars refuses a plain `int` that looks like another unit,
    but the original libraries and Spark send any number to the cluster.
    """

    __slots__ = ()

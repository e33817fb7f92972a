"""The release of a broker, derived from the request versions that it supports, as in kafka-python."""

from __future__ import annotations

from collections.abc import Mapping

PRODUCE, FETCH, LIST_OFFSETS, METADATA, LEADER_AND_ISR, OFFSET_FETCH, JOIN_GROUP = 0, 1, 2, 3, 4, 9, 11
ADD_PARTITIONS_TO_TXN, DESCRIBE_ACLS, DESCRIBE_LOG_DIRS, DESCRIBE_CLIENT_QUOTAS = 24, 29, 35, 48

FIRST_SEEN: Mapping[tuple[int, ...], tuple[int, int]] = {
    (4, 3): (DESCRIBE_LOG_DIRS, 5),
    (4, 2): (LIST_OFFSETS, 11),
    (4, 1): (PRODUCE, 13),
    (4, 0): (LIST_OFFSETS, 10),
    (3, 9): (FETCH, 17),
    (3, 8): (PRODUCE, 11),
    (3, 7): (FETCH, 16),
    (3, 6): (ADD_PARTITIONS_TO_TXN, 4),
    (3, 5): (FETCH, 15),
    (3, 4): (LEADER_AND_ISR, 7),
    (3, 3): (DESCRIBE_ACLS, 3),
    (3, 2): (JOIN_GROUP, 9),
    (3, 1): (FETCH, 13),
    (3, 0): (LIST_OFFSETS, 7),
    (2, 8): (PRODUCE, 9),
    (2, 7): (FETCH, 12),
    (2, 6): (DESCRIBE_CLIENT_QUOTAS, 0),
    (2, 5): (DESCRIBE_ACLS, 2),
    (2, 4): (PRODUCE, 8),
    (2, 3): (FETCH, 11),
    (2, 2): (LIST_OFFSETS, 5),
    (2, 1): (FETCH, 10),
    (2, 0): (FETCH, 8),
    (1, 1): (FETCH, 7),
    (1, 0): (METADATA, 5),
    (0, 11): (METADATA, 4),
    (0, 10, 2): (OFFSET_FETCH, 2),
    (0, 10, 1): (METADATA, 2),
}
"""A request version that came with each release, the newest release first."""

OLDEST = (0, 10, 0)
"""The first release with ApiVersions requests."""

NEWEST_OF_2 = (2, 6)
"""The release that kafka-python 2 reports for every newer broker."""
NEWEST_OF_3 = (4, 3)
"""The release that kafka-python 3 reports for every newer broker."""


def release_of(versions: Mapping[int, tuple[int, int]], newest: tuple[int, ...]) -> tuple[int, ...] | None:
    """Returns the release of a broker with these API versions, at most `newest`; None if there are no versions."""
    if not versions:
        return None
    for release, (request, version) in FIRST_SEEN.items():
        lowest, highest = versions.get(request, (0, -1))
        if release <= newest and lowest <= version <= highest:
            return release
    return OLDEST

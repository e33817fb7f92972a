"""Cases that fail for a known reason. They are left out of the short form, and each goes when its reason has gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.refusals.cases import Case

KNOWN: dict[str, str] = {
    "classic/JoinGroup/MEMBER_ID_REQUIRED": "the member comes back with its id at once, again and again",
    "classic/SyncGroup/ILLEGAL_GENERATION": "joins anew without a pause",
    "classic/SyncGroup/REBALANCE_IN_PROGRESS": "joins anew without a pause",
    "*/OffsetCommit/FENCED_INSTANCE_ID": "the membership ends, and the error does not say so",
    "*/ConsumerGroupHeartbeat/UNKNOWN_MEMBER_ID": "joins anew without a pause",
}
"""Workload (or `*`), request and fault, with the reason."""


def reason(case: Case) -> str | None:
    """Why the case fails, if that is known."""
    for pattern, why in KNOWN.items():
        workload, api, fault = pattern.split("/")
        if case.fault == fault and api == case.api and workload in {"*", case.workload}:
            return why
    return None

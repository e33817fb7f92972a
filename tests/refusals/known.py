"""Cases that fail for a known reason. They are left out of the short form, and each goes when its reason has gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.refusals.cases import Case

KNOWN: dict[str, str] = {
    "*/Fetch/FETCH_SESSION_ID_NOT_FOUND": "a persistent refusal of the session is repeated without a pause",
    "*/Fetch/INVALID_FETCH_SESSION_EPOCH": "likewise",
    "*/Fetch/FETCH_SESSION_TOPIC_ID_ERROR": "likewise",
    "*/Fetch/OFFSET_OUT_OF_RANGE": "the reset forgets the pause",
    "classic/JoinGroup/MEMBER_ID_REQUIRED": "the member comes back with its id at once, again and again",
    "classic/SyncGroup/ILLEGAL_GENERATION": "joins anew without a pause",
    "classic/SyncGroup/REBALANCE_IN_PROGRESS": "joins anew without a pause",
    "classic/SyncGroup/UNKNOWN_MEMBER_ID": "joins anew without a pause",
    "classic/SyncGroup/INCONSISTENT_GROUP_PROTOCOL": "the membership ends, and the error does not say so",
    "classic/SyncGroup/silent": "is waited for as long as JoinGroup",
    "*/ConsumerGroupHeartbeat/UNKNOWN_MEMBER_ID": "joins anew without a pause",
    "*/FENCED_INSTANCE_ID": "the membership ends, and the error does not say so",
}
"""Workload (or `*`), request and fault, with the reason; without the request it is meant for each."""


def reason(case: Case) -> str | None:
    """Why the case fails, if that is known."""
    for pattern, why in KNOWN.items():
        parts = pattern.split("/")
        workload, api, fault = parts if len(parts) == 3 else (parts[0], "*", parts[1])
        if case.fault == fault and workload in {"*", case.workload} and api in {"*", case.api}:
            return why
    return None

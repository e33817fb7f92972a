"""Cases that fail for a known reason. They are left out of the short form, and each goes when its reason has gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.refusals.cases import Case

KNOWN: dict[str, str] = {}
"""Workload (or `*`), request and fault, with the reason."""


def reason(case: Case) -> str | None:
    """Why the case fails, if that is known."""
    for pattern, why in KNOWN.items():
        workload, api, fault = pattern.split("/")
        if case.fault == fault and api == case.api and workload in {"*", case.workload}:
            return why
    return None

"""Unsigned tokens (`enable.sasl.oauthbearer.unsecure.jwt`), for brokers of tests."""

from __future__ import annotations

import base64
import json
import time
from typing import Any

DEFAULTS = {
    "principalClaimName": "sub",
    "principal": "",
    "scopeClaimName": "scope",
    "scope": "",
    "lifeSeconds": "3600",
}
EXTENSION = "extension_"


def unsecured(config: str | None) -> tuple[str, float, str, dict[str, str]]:
    """Makes a token in the form of `oauth_cb`'s result.

    Args:
        config: `sasl.oauthbearer.config`: words such as `principal=alice scope=a,b lifeSeconds=60
            extension_tenant=one`.

    Raises:
        ValueError: A word is not known, or the principal is missing.
    """
    found, extensions = dict(DEFAULTS), {}
    for word in (config or "").split():
        name, equals, value = word.partition("=")
        if name.startswith(EXTENSION) and equals:
            extensions[name.removeprefix(EXTENSION)] = value
        elif name in DEFAULTS and equals and value:
            found[name] = value
        else:
            raise ValueError(
                f"sasl.oauthbearer.config: expected words such as principal=admin, of {', '.join(DEFAULTS)} and {EXTENSION}NAME"
            )
    if not found["principal"]:
        raise ValueError("sasl.oauthbearer.config: principal= is missing")
    now = time.time()
    ends = now + float(found["lifeSeconds"])
    claims: dict[str, Any] = {found["principalClaimName"]: found["principal"], "iat": now, "exp": ends}
    if found["scope"]:
        claims[found["scopeClaimName"]] = found["scope"].split(",")
    return f"{part({'alg': 'none'})}.{part(claims)}.", ends, found["principal"], extensions


def part(content: dict[str, Any]) -> str:
    """Encodes a part of a JWT."""
    return base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=").decode()

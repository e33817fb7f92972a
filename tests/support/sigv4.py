"""What AWS demands of a signed request, checked by the book: the other side of what the engine signs."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from datetime import datetime, timedelta, timezone
from urllib.parse import parse_qsl, quote, urlsplit

SERVICE, ACTION, ALGORITHM = "kafka-cluster", "kafka-cluster:Connect", "AWS4-HMAC-SHA256"
FIELDS = {"version", "host", "user-agent", "action"} | {
    f"x-amz-{name}" for name in ("algorithm", "credential", "date", "expires", "signature", "signedheaders")
}
LONGEST = 900


def check_message(message: bytes, keys: dict[str, str], *, host: str, region: str, token: str | None = None) -> str:
    """Whose key has signed a message of AWS_MSK_IAM. Everything that a broker would refuse is an AssertionError."""
    fields = json.loads(message)
    expected = FIELDS | ({"x-amz-security-token"} if token else set())
    assert set(fields) == expected, set(fields) ^ expected
    assert all(isinstance(value, str) for value in fields.values())
    assert fields["version"] == "2020_10_22"
    assert fields["host"] == host
    assert fields["user-agent"]
    signed = {name: value for name, value in fields.items() if name.startswith("x-amz-") or name == "action"}
    return check_parameters(signed, keys, host=host, region=region, token=token)


def check_token(value: str, keys: dict[str, str], *, region: str, token: str | None = None) -> str:
    """The same for a token of OAUTHBEARER, which is a URL."""
    url = urlsplit(base64.urlsafe_b64decode(value + "=" * (-len(value) % 4)).decode())
    host = f"kafka.{region}.amazonaws.com"
    assert (url.scheme, url.netloc, url.path) == ("https", host, "/")
    parameters = {name.lower(): text for name, text in parse_qsl(url.query, strict_parsing=True)}
    assert parameters.pop("user-agent")
    return check_parameters(parameters, keys, host=host, region=region, token=token)


def check_parameters(
    parameters: dict[str, str], keys: dict[str, str], *, host: str, region: str, token: str | None
) -> str:
    assert parameters["action"] == ACTION
    assert parameters["x-amz-algorithm"] == ALGORITHM
    assert parameters["x-amz-signedheaders"] == "host"
    assert parameters.get("x-amz-security-token") == token
    assert 0 < int(parameters["x-amz-expires"]) <= LONGEST
    moment = parameters["x-amz-date"]
    signed_at = datetime.strptime(moment, "%Y%m%dT%H%M%SZ").replace(tzinfo=timezone.utc)
    assert abs(datetime.now(timezone.utc) - signed_at) < timedelta(minutes=5)
    key, *scope = parameters["x-amz-credential"].split("/")
    assert scope == [moment[:8], region, SERVICE, "aws4_request"]
    names = {"action": "Action", "x-amz-signedheaders": "X-Amz-SignedHeaders"}
    listed = sorted(
        (quote(names.get(name, name.title()), safe="-_.~"), quote(value, safe="-_.~"))
        for name, value in parameters.items()
        if name != "x-amz-signature"
    )
    query = "&".join(f"{name}={value}" for name, value in listed)
    request = "\n".join(["GET", "/", query, f"host:{host}", "", "host", hashlib.sha256(b"").hexdigest()])
    hashed = hashlib.sha256(request.encode()).hexdigest()
    signing = ("AWS4" + keys[key]).encode()
    for part in scope:
        signing = hmac.new(signing, part.encode(), hashlib.sha256).digest()
    text = "\n".join([ALGORITHM, moment, "/".join(scope), hashed])
    expected = hmac.new(signing, text.encode(), hashlib.sha256).hexdigest()
    assert hmac.compare_digest(parameters["x-amz-signature"], expected), "the signature is another"
    return key

"""What the embedded broker offers when it passes for a release, beside a real broker of that release."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from kafkars.testing import EmbeddedBroker

from tests.kafka import wire

if TYPE_CHECKING:
    from tests.brokers import Broker

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(60)]

API_VERSIONS = 18
# Of streams groups, which the embedded broker leaves out.
UNKNOWN_FEATURES = {"streams.version"}


@dataclass
class Offer:
    """An answer to ApiVersions."""

    apis: dict[int, tuple[int, int]]
    supported: dict[str, tuple[int, int]]
    finalized: dict[str, tuple[int, int]]


@pytest.mark.parametrize("api_version", [3, 4])
def test_a_release_is_imitated_by_what_it_offers(
    kafka_cluster: Broker, pytestconfig: pytest.Config, api_version: int
) -> None:
    address = kafka_cluster.bootstrap_servers.split(",")[0]
    if ask(address, 3).apis[API_VERSIONS][1] < api_version:
        pytest.skip("this release has no such version of ApiVersions")
    with EmbeddedBroker(version=pytestconfig.getoption("--kafka-version")) as embedded:
        ours = ask(embedded.bootstrap_servers, api_version)
    real = ask(address, api_version)
    highest = {api: real.apis.get(api, (None, None))[1] for api in ours.apis}
    assert {api: high for api, (_, high) in ours.apis.items()} == highest
    # Old versions of requests that Kafka 4 has given up are not there in any release that is imitated.
    assert all(ours.apis[api][0] >= real.apis[api][0] for api in ours.apis)
    assert ours.supported == {name: levels for name, levels in real.supported.items() if name not in UNKNOWN_FEATURES}
    assert ours.finalized == {name: levels for name, levels in real.finalized.items() if name not in UNKNOWN_FEATURES}


def test_a_version_of_api_versions_that_is_too_new_is_refused_alike(
    kafka_cluster: Broker, pytestconfig: pytest.Config
) -> None:
    with EmbeddedBroker(version=pytestconfig.getoption("--kafka-version")) as embedded:
        answers = [
            wire.call(address, API_VERSIONS, 60, b"\0")
            for address in (embedded.bootstrap_servers, kafka_cluster.bootstrap_servers.split(",")[0])
        ]
    assert answers[0] == answers[1]


def ask(address: str, version: int) -> Offer:
    """What a broker offers, by version 3 or 4."""
    body = wire_string("tests") + wire_string("1") + b"\0"
    return parse(wire.call(address, API_VERSIONS, version, b"\0" + body))


def wire_string(text: str) -> bytes:
    return bytes([len(text) + 1]) + text.encode()


def parse(body: bytes) -> Offer:
    """Reads version 3 or 4: lengths are varints, and features are in tags."""
    reader = Reader(body)
    assert reader.take(">h") == 0
    apis = {}
    for _ in range(reader.varint() - 1):
        api, low, high = reader.take(">h"), reader.take(">h"), reader.take(">h")
        apis[api] = (low, high)
        assert reader.varint() == 0
    reader.take(">i")  # throttle time
    tags = {}
    for _ in range(reader.varint()):
        tag, size = reader.varint(), reader.varint()
        tags[tag] = Reader(reader.bytes(size))
    assert reader.rest() == 0
    finalized = {name: (low, high) for name, (high, low) in features(tags.get(2)).items()}
    return Offer(apis, features(tags.get(0)), finalized)


def features(reader: Reader | None) -> dict[str, tuple[int, int]]:
    """Names and two levels each."""
    found = {}
    if reader is not None:
        for _ in range(reader.varint() - 1):
            name = reader.bytes(reader.varint() - 1).decode()
            found[name] = (reader.take(">h"), reader.take(">h"))
            assert reader.varint() == 0
    return found


class Reader:
    """Takes fields off bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def bytes(self, size: int) -> bytes:
        found = self.data[self.at : self.at + size]
        assert len(found) == size
        self.at += size
        return found

    def take(self, form: str) -> int:
        (value,) = struct.unpack(form, self.bytes(struct.calcsize(form)))
        return int(value)

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.take(">B")
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def rest(self) -> int:
        return len(self.data) - self.at

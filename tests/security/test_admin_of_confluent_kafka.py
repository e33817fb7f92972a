"""`AdminClient` about access control and credentials: the library and the face answer alike, on both brokers."""

from __future__ import annotations

import importlib
import logging
import os
import time
import traceback
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest

from tests.security.conftest import ALICE, BOB, PASSWORDS, SecureKafka

pytestmark = pytest.mark.timeout(180)

SECRET = b"correct-horse-battery-staple"
SECONDS = 20
LIBRARY, FACE = "confluent_kafka", "kafkars.compat.confluent_kafka"


class Side:
    """One of the two libraries, with a name for what belongs to it alone."""

    def __init__(self, module: str, kafka: SecureKafka) -> None:
        self.api = importlib.import_module(f"{module}.admin")
        self.types = importlib.import_module(module)
        self.own = f"{module.split('.', maxsplit=1)[0]}-{os.getpid()}"
        self.kafka = kafka

    def client(self, user: str = ALICE) -> Any:
        return self.api.AdminClient(
            {
                "bootstrap.servers": self.kafka.address("SASL"),
                "security.protocol": "SASL_PLAINTEXT",
                "sasl.mechanism": "SCRAM-SHA-256",
                "sasl.username": user,
                "sasl.password": PASSWORDS[user],
            }
        )

    def rule(self, kind: str = "AclBinding", **parts: Any) -> Any:
        given = {
            "restype": "topic",
            "name": self.own,
            "resource_pattern_type": "literal",
            "principal": f"User:{self.own}",
            "host": "*",
            "operation": "read",
            "permission_type": "allow",
        }
        return getattr(self.api, kind)(**{**given, **parts})

    def everything(self, **parts: Any) -> Any:
        given = {"restype": "any", "name": None, "resource_pattern_type": "any", "host": None, "operation": "any"}
        return self.rule("AclBindingFilter", **{**given, "permission_type": "any", **parts})

    def told(self, value: Any) -> str:
        """A value, or the error of a future, in words that are the same on both sides."""
        if isinstance(value, Future):
            problem = value.exception(SECONDS)
            if problem is not None:
                check_no_secret(problem)
            return self.told(value.result() if problem is None else problem.args[0])
        if isinstance(value, dict):
            return str(sorted((self.told(key), self.told(each)) for key, each in value.items()))
        if isinstance(value, list):
            return str(sorted(map(self.told, value)))
        return self.word(value).replace(self.own, "own")

    def word(self, value: Any) -> str:
        """The same of what has nothing in it."""
        kind = type(value).__name__
        if kind == "KafkaError":
            return str(value.name())
        if kind == "TopicPartition":
            return f"{value.topic}-{value.partition} {value.error and value.error.name()}"
        if kind == "UserScramCredentialsDescription":
            return f"{value.user} {self.told(value.scram_credential_infos)}"
        return f"{value.mechanism} {value.iterations}" if kind == "ScramCredentialInfo" else str(value)


def check_no_secret(problem: BaseException) -> None:
    assert SECRET.decode() not in "".join(traceback.format_exception(problem))


def settled(ask: Callable[[], str], wanted: Callable[[str], bool]) -> str:
    """An answer once a change has reached the broker that is asked."""
    end = time.monotonic() + SECONDS
    while not wanted(last := ask()):
        assert time.monotonic() < end, last
    return last


def rules(side: Side) -> list[str]:
    client = side.client()
    added = [
        side.rule(),
        side.rule(resource_pattern_type="prefixed", operation="all", permission_type="deny", host="127.0.0.9"),
        side.rule(restype="group", operation="describe"),
        side.rule(restype="broker", name="kafka-cluster", operation="alter"),
    ]
    said = [side.told(client.create_acls(added)), side.told(client.create_acls(added[:1]))]
    found = settled(lambda: side.told(client.describe_acls(side.everything())), lambda said: said.count("own") >= 7)
    said.append(found)
    match = side.everything(restype="topic", name=f"{side.own}-longer", resource_pattern_type="match")
    said.append(side.told(client.describe_acls(match)))
    said.append(side.told(client.create_acls([side.rule(principal="nobody"), side.rule(operation="write")])))
    said.append(side.told(client.describe_acls(side.everything(principal="User:nobody at all"))))
    said.append(
        side.told(client.delete_acls([side.everything(permission_type="deny"), side.everything(restype="group")]))
    )
    said.append(side.told(client.delete_acls([side.everything()])))
    return said


def credentials(side: Side) -> list[str]:
    client, api = side.client(), side.api
    sha_256, sha_512 = api.ScramMechanism.SCRAM_SHA_256, api.ScramMechanism.SCRAM_SHA_512

    def made(user: str, iterations: int, mechanism: Any = sha_256, **more: Any) -> Any:
        info = api.ScramCredentialInfo(mechanism, iterations)
        return api.UserScramCredentialUpsertion(f"{side.own}{user}", info, SECRET, **more)

    def described() -> str:
        return side.told(client.describe_user_scram_credentials([side.own]))

    said = [side.told(client.alter_user_scram_credentials([made("", 5000, salt=b"salt"), made("-few", 100)]))]
    said.append(settled(described, lambda said: "5000" in said))
    said.append(side.told(client.alter_user_scram_credentials([made("", 6000, sha_512)])))
    said.append(settled(described, lambda said: "6000" in said))
    everybody = client.describe_user_scram_credentials().result(SECONDS)
    said.append(side.told(everybody[side.own]))
    said.append(side.told(client.alter_user_scram_credentials([made("-many", 20_000)])))
    said.append(side.told(client.alter_user_scram_credentials([made("-twice", 4096), made("-twice", 4096, sha_512)])))
    for mechanism in (sha_256, sha_512, sha_512):
        gone = [api.UserScramCredentialDeletion(side.own, mechanism)]
        said.append(side.told(client.alter_user_scram_credentials(gone)))
    said.append(settled(described, lambda said: "SCRAM" not in said))
    return said


def elections(side: Side) -> list[str]:
    client, kinds = side.client(), side.types.ElectionType
    topic = side.kafka.new_topic()
    named = [side.types.TopicPartition(topic, 0), side.types.TopicPartition(topic, 99)]
    said = [side.told(client.elect_leaders(kind, named)).replace(topic, "topic") for kind in kinds]
    return [*said, side.told(client.elect_leaders(kinds.PREFERRED))]


def refusals(side: Side) -> list[str]:
    bob = side.client(BOB)
    info = side.api.ScramCredentialInfo(side.api.ScramMechanism.SCRAM_SHA_256, 4096)
    return [
        side.told(bob.create_acls([side.rule()])),
        side.told(bob.delete_acls([side.everything()])),
        side.told(bob.alter_user_scram_credentials([side.api.UserScramCredentialUpsertion(side.own, info, SECRET)])),
        side.told(bob.elect_leaders(side.types.ElectionType.PREFERRED)),
    ]


@pytest.mark.parametrize("program", [rules, credentials, elections, refusals])
def test_the_face_says_what_the_library_says(
    secure_kafka: SecureKafka, program: Callable[[Side], list[str]], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    assert program(Side(FACE, secure_kafka)) == program(Side(LIBRARY, secure_kafka))
    assert SECRET.decode() not in caplog.text


def test_who_may_not_look_is_told_so(secure_kafka: SecureKafka) -> None:
    """The library answers `describe_acls()` with nothing here, and breaks its memory at the other call."""
    side = Side(FACE, secure_kafka)
    bob = side.client(BOB)
    assert side.told(bob.describe_acls(side.everything())) == "CLUSTER_AUTHORIZATION_FAILED"
    assert side.told(bob.describe_user_scram_credentials()) == "CLUSTER_AUTHORIZATION_FAILED"
    assert side.told(bob.describe_user_scram_credentials([ALICE])) == "[('alice', 'CLUSTER_AUTHORIZATION_FAILED')]"

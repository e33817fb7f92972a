"""The administrator's calls about access control and credentials, on real Kafka and the embedded broker."""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from kafkars import Admin, errors
from kafkars.admin import (
    AclBinding,
    AclBindingFilter,
    ScramCredentialInfo,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)

from tests.security.conftest import ALICE, BOB, PASSWORDS, SecureKafka

pytestmark = pytest.mark.timeout(180)

SECRET = "correct-horse-battery-staple"
NEW = "carla"


@pytest.fixture
def admin(secure_kafka: SecureKafka, client_api: Any) -> Iterator[Admin]:
    with client_api.Admin(login(secure_kafka, ALICE, PASSWORDS[ALICE])) as made:
        yield made


def login(kafka: SecureKafka, user: str, password: str, mechanism: str = "SCRAM-SHA-256") -> dict[str, Any]:
    return {
        "bootstrap_servers": kafka.address("SASL"),
        "security_protocol": "sasl_plaintext",
        "sasl_mechanism": mechanism,
        "sasl_username": user,
        "sasl_password": password,
        "default_api_timeout_ms": 20_000,
    }


def until(found: Callable[[], Any], expected: Any) -> None:
    """Waits until a change has reached the broker that is asked."""
    end = time.monotonic() + 20
    while (last := found()) != expected:
        assert time.monotonic() < end, last


def test_rules_are_added_found_and_removed(admin: Admin, secure_kafka: SecureKafka) -> None:
    topic = secure_kafka.new_topic()
    read = AclBinding("User:dora", "read", "topic", topic)
    many = AclBinding("User:dora", "all", "topic", topic[:-1], "prefixed", "deny", "127.0.0.9")
    group = AclBinding("User:dora", "describe", "group", f"group of {topic}")
    dora = AclBindingFilter("User:dora")

    assert admin.create_acls([read, many, group, read]) == {read: None, many: None, group: None}
    until(lambda: set(admin.describe_acls(dora)), {read, many, group})
    assert admin.describe_acls(AclBindingFilter("User:dora", "read", "topic", topic, "literal", "allow", "*")) == [read]
    matching = AclBindingFilter("User:dora", resource_type="topic", resource_name=topic, pattern_type="match")
    assert set(admin.describe_acls(matching)) == {read, many}
    assert set(admin.describe_acls()) >= {read, many, group}

    denied, nobody = AclBindingFilter("User:dora", permission="deny"), AclBindingFilter("User:nobody")
    assert admin.delete_acls([denied, nobody]) == {denied: {many: None}, nobody: {}}
    until(lambda: set(admin.describe_acls(dora)), {read, group})
    assert admin.delete_acls([dora]) == {dora: {read: None, group: None}}
    until(lambda: admin.describe_acls(dora), [])


def test_a_rule_that_makes_no_sense_fails_by_itself(admin: Admin, secure_kafka: SecureKafka) -> None:
    topic = secure_kafka.new_topic()
    good = AclBinding("User:emil", "read", "topic", topic)
    bad = AclBinding("no principal", "read", "topic", topic)
    outcomes: Any = admin.create_acls([bad, good], return_exceptions=True)
    assert list(outcomes) == [bad, good]
    assert outcomes[good] is None
    assert isinstance(outcomes[bad], errors.InvalidRequestError)
    with pytest.raises(errors.InvalidRequestError):
        admin.create_acls([good, bad])
    assert admin.delete_acls([AclBindingFilter("User:emil")]) == {AclBindingFilter("User:emil"): {good: None}}


def test_who_may_not_administrate_is_told_so(secure_kafka: SecureKafka, client_api: Any) -> None:
    rule = AclBinding("User:bob", "all", "cluster")
    with client_api.Admin(login(secure_kafka, BOB, PASSWORDS[BOB])) as bob:
        refusals: list[Callable[[], Any]] = [
            bob.describe_acls,
            lambda: bob.create_acls([rule]),
            lambda: bob.delete_acls([AclBindingFilter("User:bob")]),
            bob.describe_user_scram_credentials,
            lambda: bob.alter_user_scram_credentials([UserScramCredentialUpsertion(BOB, "SCRAM-SHA-256", SECRET)]),
            lambda: bob.elect_leaders("preferred"),
        ]
        for refused in refusals:
            with pytest.raises(errors.ClusterAuthorizationFailedError) as raised:
                refused()
            assert SECRET not in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize("mechanism", ["SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_a_user_that_was_made_can_log_in(
    admin: Admin, secure_kafka: SecureKafka, client_api: Any, mechanism: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    user = f"{NEW}-{mechanism[-3:]}-{client_api.name}"
    made = UserScramCredentialUpsertion(user, mechanism, SECRET, iterations=5000)
    assert SECRET not in repr(made)
    assert admin.alter_user_scram_credentials([made]) == {user: None}
    told = {user: (ScramCredentialInfo(mechanism, 5000),)}
    until(lambda: admin.describe_user_scram_credentials([user], return_exceptions=True), told)
    assert admin.describe_user_scram_credentials()[user] == told[user]
    with client_api.Admin(login(secure_kafka, user, SECRET, mechanism)) as theirs:
        assert theirs.describe_cluster().brokers

    assert admin.alter_user_scram_credentials([UserScramCredentialDeletion(user, mechanism)]) == {user: None}

    def gone() -> type:
        found: Any = admin.describe_user_scram_credentials([user], return_exceptions=True)
        return type(found[user])

    until(gone, errors.ResourceNotFoundError)
    with pytest.raises(errors.ResourceNotFoundError):
        admin.describe_user_scram_credentials([user])
    assert SECRET not in caplog.text


def test_every_user_has_its_own_outcome(admin: Admin) -> None:
    def made(user: str, iterations: int) -> UserScramCredentialUpsertion:
        return UserScramCredentialUpsertion(user, "SCRAM-SHA-256", SECRET.encode(), iterations, b"a salt")

    twice = UserScramCredentialUpsertion("twice", "SCRAM-SHA-512", SECRET)
    changes = [
        made("few", 1),
        made("many", 20_000),
        made("absurd", 2_000_000_000),
        made("twice", 4096),
        twice,
        UserScramCredentialDeletion("nobody", "SCRAM-SHA-256"),
    ]
    outcomes: Any = admin.alter_user_scram_credentials(changes, return_exceptions=True)
    assert {user: type(outcome) for user, outcome in outcomes.items()} == {
        "few": errors.UnacceptableCredentialError,
        "many": errors.UnacceptableCredentialError,
        "absurd": errors.UnacceptableCredentialError,
        "twice": errors.DuplicateResourceError,
        "nobody": errors.ResourceNotFoundError,
    }
    assert not any(SECRET in f"{outcome!r}{outcome}" for outcome in outcomes.values())

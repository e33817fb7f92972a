"""What the administrator refuses before anything is asked: no broker is there. No message shows a password."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from kafkars import Admin, errors
from kafkars.admin import (
    AclBinding,
    AclBindingFilter,
    ConfigResource,
    NewTopic,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)

SECRET = "correct-horse-battery-staple"  # noqa: S105


@pytest.fixture
def admin() -> Iterator[Admin]:
    with Admin(bootstrap_servers="127.0.0.1:1") as made:
        yield made


def upsertion(**parts: Any) -> UserScramCredentialUpsertion:
    return UserScramCredentialUpsertion(**{"user": "alice", "mechanism": "SCRAM-SHA-256", "password": SECRET, **parts})


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        (upsertion(mechanism="PLAIN"), errors.InvalidArgumentError),
        (upsertion(mechanism="UNKNOWN"), errors.InvalidArgumentError),
        (upsertion(iterations=0), errors.InvalidArgumentError),
        (upsertion(iterations=-1), errors.InvalidArgumentError),
        (upsertion(iterations=2**40), errors.InvalidArgumentError),
        (upsertion(iterations="4096"), TypeError),
        (upsertion(password=""), errors.InvalidArgumentError),
        (upsertion(password=[SECRET]), TypeError),
        (upsertion(salt=SECRET), TypeError),
        (upsertion(user=7), TypeError),
        (UserScramCredentialDeletion("alice", "scram"), errors.InvalidArgumentError),  # type: ignore[arg-type]
        (("alice", "SCRAM-SHA-256", SECRET), TypeError),
        (SECRET, TypeError),
    ],
)
def test_credentials_that_are_none_are_refused_without_showing_them(admin: Admin, wrong: Any, kind: type) -> None:
    with pytest.raises(kind) as raised:
        admin.alter_user_scram_credentials([wrong])
    assert SECRET not in f"{raised.value!r}{raised.value}"


def test_one_credential_is_no_list(admin: Admin) -> None:
    wrong: Any = upsertion()
    with pytest.raises(TypeError) as raised:
        admin.alter_user_scram_credentials(wrong)
    assert SECRET not in str(raised.value)


@pytest.mark.parametrize(
    "parts",
    [{"operation": "fly"}, {"resource_type": "table"}, {"pattern_type": "regex"}, {"permission": "maybe"}],
)
def test_rules_in_words_that_kafka_does_not_have_are_refused(admin: Admin, parts: dict[str, Any]) -> None:
    rule: dict[str, Any] = {"principal": "User:alice", "operation": "read", "resource_type": "topic", **parts}
    with pytest.raises(errors.InvalidArgumentError, match=next(iter(parts))):
        admin.create_acls([AclBinding(**rule)])
    with pytest.raises(errors.InvalidArgumentError, match=next(iter(parts))):
        admin.describe_acls(AclBindingFilter(**parts))


@pytest.mark.parametrize(
    "parts", [{"operation": "any"}, {"resource_type": "any"}, {"pattern_type": "match"}, {"permission": "unknown"}]
)
def test_what_is_for_filters_is_no_part_of_a_rule(admin: Admin, parts: dict[str, Any]) -> None:
    rule: dict[str, Any] = {"principal": "User:alice", "operation": "read", "resource_type": "topic", **parts}
    with pytest.raises(errors.InvalidArgumentError, match=next(iter(parts))):
        admin.create_acls([AclBinding(**rule)])


@pytest.mark.parametrize("wrong", [7, None, b"User:alice"])
def test_names_in_rules_are_text(admin: Admin, wrong: Any) -> None:
    with pytest.raises(TypeError, match="principal"):
        admin.create_acls([AclBinding(wrong, "read", "topic", "orders")])


def test_what_is_wrong_with_settings_of_a_topic_is_told(admin: Admin) -> None:
    configs: Any = {"retention.ms": 86_400_000}
    with pytest.raises(TypeError, match=r"topic 'orders': 'retention\.ms' is set to int, .* write \"86400000\""):
        admin.create_topics([NewTopic("orders", configs=configs)])
    with pytest.raises(TypeError, match="'preallocate' is set to bool, and values are text; write \"true\""):
        admin.alter_configs({ConfigResource("topic", "orders"): {"preallocate": True}})  # type: ignore[dict-item]
    names: Any = ["orders"]
    with pytest.raises(TypeError, match=r"expected ConfigResource or \(\"topic\", name\), not 'orders'"):
        admin.describe_configs(names)

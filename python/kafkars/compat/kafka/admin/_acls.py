"""Access control rules: requests of the administration clients of kafka-python 2 and 3, and their translation of the
answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kafkars.admin import AclBinding, AclBindingFilter, acls
from kafkars.compat.kafka.admin._answers import code_of
from kafkars.compat.kafka.admin._connection import Connection
from kafkars.compat.kafka.admin.acl_resource import (
    ACL,
    ACLFilter,
    ACLOperation,
    ACLPermissionType,
    ACLResourcePatternType,
    ResourcePattern,
    ResourceType,
)
from kafkars.compat.kafka.errors import IllegalArgumentError, NoError, for_code
from kafkars.errors import KafkaError


class AclCalls(Connection):
    """Calls about ACLs, with the answers of kafka-python 2."""

    def describe_acls(self, acl_filter: ACLFilter) -> tuple[list[ACL], type[NoError]]:
        """Returns the rules that match a filter, and `NoError`.

        Raises:
            SecurityDisabledError: The brokers have no authorizer.
            BrokerResponseError: The brokers' error, in its own class.
        """
        with self._asking() as admin:
            found = admin.describe_acls(engine_filter(acl_filter), timeout=self._seconds())
        return [rule(each) for each in found], NoError

    def create_acls(self, acls: Sequence[ACL]) -> dict[str, list[Any]]:
        """Adds rules. "succeeded" of the result has those that were added, "failed" the others with the class of the error.

        Raises:
            IllegalArgumentError: An item is not an `ACL`.
        """
        made = self._created(acls)
        return {
            "succeeded": [each for each, kind in made if kind is NoError],
            "failed": [(each, kind) for each, kind in made if kind is not NoError],
        }

    def _created(self, given: Sequence[ACL]) -> list[tuple[ACL, Any]]:
        check(given, ACL, "acls must contain ACL objects")
        with self._asking() as admin:
            found: Mapping[Any, Any] = admin.create_acls(
                [engine_rule(each) for each in given], timeout=self._seconds(), return_exceptions=True
            )
            return [(each, for_code(code_of(found[engine_rule(each)])[0])) for each in given]

    def delete_acls(self, acl_filters: Sequence[ACLFilter]) -> list[tuple[ACLFilter, list[Any], Any]]:
        """Removes the rules that match filters. Returns for each filter the rules, each with its error class, and the
        error class of the filter.

        Raises:
            IllegalArgumentError: An item is not an `ACLFilter`.
        """
        return self._deleted(acl_filters)

    def _deleted(self, given: Sequence[ACLFilter]) -> list[tuple[ACLFilter, list[Any], Any]]:
        check(given, ACLFilter, "acl_filters must contain ACLFilter type objects")
        with self._asking() as admin:
            found: Mapping[Any, Any] = admin.delete_acls(
                [engine_filter(each) for each in given], timeout=self._seconds(), return_exceptions=True
            )
            return [deleted(each, found[engine_filter(each)]) for each in given]


def check(given: Iterable[object], kind: type, text: str) -> None:
    """Checks the type of each item.

    Raises:
        IllegalArgumentError: An item is of another type.
    """
    if not all(isinstance(each, kind) for each in given):
        raise IllegalArgumentError(text)


def deleted(asked: ACLFilter, found: Mapping[AclBinding, Any] | KafkaError) -> tuple[ACLFilter, list[Any], Any]:
    """Returns the outcome for a filter."""
    rows = {} if isinstance(found, KafkaError) else found
    rules = [(rule(each), for_code(code_of(outcome)[0])) for each, outcome in rows.items()]
    return asked, rules, for_code(code_of(found)[0])


def engine_rule(of: ACL) -> AclBinding:
    """Returns a rule in kafkars' form."""
    where = of.resource_pattern
    return AclBinding(
        of.principal,  # type: ignore[arg-type]  # the brokers refuse None
        acls.OPERATION_NAMES[of.operation],
        acls.RESOURCE_TYPE_NAMES[where.resource_type],
        where.resource_name,  # type: ignore[arg-type]
        acls.PATTERN_TYPE_NAMES[where.pattern_type],
        acls.PERMISSION_NAMES[of.permission_type],
        of.host,  # type: ignore[arg-type]
    )


def engine_filter(of: ACLFilter) -> AclBindingFilter:
    """Returns a filter in kafkars' form."""
    where = of.resource_pattern
    return AclBindingFilter(
        of.principal,
        acls.OPERATION_NAMES[of.operation],
        acls.RESOURCE_TYPE_NAMES[where.resource_type],
        where.resource_name,
        acls.PATTERN_TYPE_NAMES[where.pattern_type],
        acls.PERMISSION_NAMES[of.permission_type],
        of.host,
    )


def rule(of: AclBinding) -> ACL:
    """Returns a rule of kafkars' in kafka-python's form."""
    return ACL(
        of.principal,
        of.host,
        ACLOperation(acls.OPERATIONS[of.operation]),
        ACLPermissionType(acls.PERMISSIONS[of.permission]),
        ResourcePattern(
            ResourceType(acls.RESOURCE_TYPES[of.resource_type]),
            of.resource_name,
            ACLResourcePatternType(acls.PATTERN_TYPES[of.pattern_type]),
        ),
    )

"""The calls of `AdminClient` about access control lists, credentials and elections."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

import kafkars
from kafkars import errors
from kafkars.compat.confluent_kafka._model import ElectionType
from kafkars.compat.confluent_kafka._partition import TopicPartition
from kafkars.compat.confluent_kafka._translate import of_engine
from kafkars.compat.confluent_kafka.admin import _arguments as arguments
from kafkars.compat.confluent_kafka.admin import _scram as scram
from kafkars.compat.confluent_kafka.admin._acl import (
    AclBinding,
    AclBindingFilter,
    binding,
    engine_binding,
    engine_filter,
)
from kafkars.compat.confluent_kafka.admin._futures import Questions, of_distinct
from kafkars.compat.confluent_kafka.error import KafkaError
from kafkars.types import TopicPartition as Place

Futures = dict[str, "Future[Any]"]


class SecurityCalls:
    """Calls that need an authorizer or SCRAM at the brokers, and elections."""

    _admin_: kafkars.Admin
    _questions_: Questions

    def create_acls(self, acls: list[AclBinding], **kwargs: Any) -> dict[AclBinding, Future[Any]]:
        """Adds rules; each future's result is None. Options: `request_timeout`."""
        given = arguments.options(kwargs)
        named = arguments.distinct(acls, AclBinding, "AclBinding")
        for each in named:
            refuse_unknown(each)
        asked = {each: engine_binding(each) for each in named}
        return self._questions_.ask_each(
            asked,
            lambda: self._admin_.create_acls(list(asked.values()), timeout=given["timeout"], return_exceptions=True),
        )

    def describe_acls(self, acl_binding_filter: AclBindingFilter, **kwargs: Any) -> Future[Any]:
        """Rules that a filter takes; the future's result is a list of `AclBinding`. Options: `request_timeout`."""
        given = arguments.options(kwargs)
        if not isinstance(acl_binding_filter, AclBindingFilter):
            raise TypeError(f"expected AclBindingFilter, not {type(acl_binding_filter).__name__}")
        wanted = engine_filter(acl_binding_filter)
        return self._questions_.ask(
            lambda: [binding(each) for each in self._admin_.describe_acls(wanted, timeout=given["timeout"])]
        )

    def delete_acls(
        self, acl_binding_filters: list[AclBindingFilter], **kwargs: Any
    ) -> dict[AclBindingFilter, Future[Any]]:
        """Removes the rules that filters take; each future's result is the list of them, as `AclBinding`. Options:
        `request_timeout`.
        """
        given = arguments.options(kwargs)
        named = arguments.distinct(acl_binding_filters, AclBindingFilter, "AclBindingFilter")
        asked = {each: engine_filter(each) for each in named}

        def deleted(found: Mapping[Any, Any]) -> list[AclBinding]:
            for refused in found.values():
                if isinstance(refused, errors.KafkaError):
                    raise refused
            return [binding(each) for each in found]

        return self._questions_.ask_each(
            asked,
            lambda: self._admin_.delete_acls(list(asked.values()), timeout=given["timeout"], return_exceptions=True),
            deleted,
        )

    def describe_user_scram_credentials(self, users: list[str] | None = None, **kwargs: Any) -> Future[Any] | Futures:
        """How users' passwords are kept: of those named a future each, whose result is a
        `UserScramCredentialsDescription`; without names one future with a dict of these. Options: `request_timeout`.
        """
        given = arguments.options(kwargs)
        named = scram.users(users)
        limit = given["timeout"]
        if named is None:
            return self._questions_.ask(
                lambda: {
                    user: scram.description(user, found)
                    for user, found in self._admin_.describe_user_scram_credentials(timeout=limit).items()
                }
            )

        def ask() -> Mapping[str, Any]:
            found: Mapping[str, Any] = self._admin_.describe_user_scram_credentials(
                named, timeout=limit, return_exceptions=True
            )
            return {
                user: each if isinstance(each, BaseException) else scram.description(user, each)
                for user, each in found.items()
            }

        return self._questions_.ask_each({each: each for each in named}, of_distinct(named, ask), lambda found: found)

    def alter_user_scram_credentials(
        self, alterations: list[scram.UserScramCredentialAlteration], **kwargs: Any
    ) -> Futures:
        """Sets and deletes passwords; a future for each user, whose result is None. Options: `request_timeout`."""
        given = arguments.options(kwargs)
        changes = scram.alterations(alterations)
        asked = [scram.engine_alteration(each) for each in changes]
        return self._questions_.ask_each(
            {each.user: each.user for each in changes},
            lambda: self._admin_.alter_user_scram_credentials(asked, timeout=given["timeout"], return_exceptions=True),
        )

    def elect_leaders(
        self, election_type: ElectionType, partitions: list[TopicPartition] | None = None, **kwargs: Any
    ) -> Future[Any]:
        """Elects leaders, of all partitions where none are named; the future's result says for each partition what went
        wrong, or None. Options: `operation_timeout`, `request_timeout`.
        """
        given = arguments.options(kwargs, "operation_timeout")
        if not isinstance(election_type, ElectionType):
            raise TypeError(f"election_type must be ElectionType, not {type(election_type).__name__}")
        if partitions is not None and not isinstance(partitions, list):
            raise TypeError(f"Expected 'partitions' to be a list, got '{type(partitions).__name__}'")
        named = None if partitions is None else arguments.partitions(partitions, offsets=None, of="'partitions'")
        places = None if named is None else [Place(each.topic, each.partition) for each in named]
        kind: Any = election_type.name.lower()

        def ask() -> dict[TopicPartition, Any]:
            found: Mapping[Any, Any] = self._admin_.elect_leaders(
                kind, places, timeout=given["timeout"], return_exceptions=True
            )
            return dict(outcome(of, problem) for of, problem in found.items())

        return self._questions_.ask(of_distinct(places or (), ask))


def refuse_unknown(rule: AclBinding) -> None:
    """What is UNKNOWN can be described, but no rule can be made of it.

    Raises:
        ValueError: A part of the rule is UNKNOWN.
    """
    for part in (rule.restype, rule.resource_pattern_type, rule.operation, rule.permission_type):
        if not part.value:
            raise ValueError(f"a rule cannot be made with {part}")


def outcome(of: Place, problem: errors.KafkaError | None) -> tuple[TopicPartition, KafkaError | None]:
    """A partition, which names its error as well, and the error."""
    error = None if problem is None else of_engine(problem)
    partition = TopicPartition(of.topic, of.partition, 0)
    partition._error = error
    return partition, error

"""The calls of both `Admin` classes about access control lists and SCRAM credentials."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kafkars._kafkars import Admin as Native
from kafkars.admin import acls, scram
from kafkars.admin._calls import AdminCall, gathered, in_range, itself, nothing, several
from kafkars.admin.acls import AclBinding, AclBindingFilter
from kafkars.admin.scram import ScramCredentialInfo, UserScramCredentialDeletion, UserScramCredentialUpsertion
from kafkars.errors import KafkaError


@in_range
def describe_acls(native: Native, of: AclBindingFilter | None, *, timeout: float | None) -> AdminCall[list[AclBinding]]:
    wanted = AclBindingFilter() if of is None else of
    if not isinstance(wanted, AclBindingFilter):
        raise TypeError(f"expected AclBindingFilter, not {type(wanted).__name__}")
    request = native.describe_acls(acls.filter_to_native(wanted), timeout)
    return AdminCall(request, lambda answer: [acls.binding_of_native(row) for row in answer])


@in_range
def create_acls(
    native: Native, bindings: Iterable[AclBinding], *, timeout: float | None, return_exceptions: bool
) -> AdminCall[dict[AclBinding, None]]:
    asked = list(dict.fromkeys(several(bindings, AclBinding)))
    request = native.create_acls([acls.binding_to_native(one) for one in asked], timeout)

    def result(answer: list[KafkaError | None]) -> dict[AclBinding, None]:
        return gathered(list(zip(asked, answer, strict=True)), return_exceptions, itself, nothing)

    return AdminCall(request, result)


@in_range
def delete_acls(
    native: Native, filters: Iterable[AclBindingFilter], *, timeout: float | None, return_exceptions: bool
) -> AdminCall[dict[AclBindingFilter, dict[AclBinding, None]]]:
    asked = list(dict.fromkeys(several(filters, AclBindingFilter)))
    request = native.delete_acls([acls.filter_to_native(one) for one in asked], timeout)

    def deleted(_: AclBindingFilter, rows: list[tuple[Any, KafkaError | None]]) -> dict[AclBinding, None]:
        return gathered(rows, return_exceptions, acls.binding_of_native, nothing)

    def result(answer: list[Any]) -> dict[AclBindingFilter, dict[AclBinding, None]]:
        return gathered(list(zip(asked, answer, strict=True)), return_exceptions, itself, deleted)

    return AdminCall(request, result)


@in_range
def describe_user_scram_credentials(
    native: Native, users: Iterable[str] | None, *, timeout: float | None, return_exceptions: bool
) -> AdminCall[dict[str, tuple[ScramCredentialInfo, ...]]]:
    names = None if users is None else list(dict.fromkeys(several(users, str)))

    def told(_: str, rows: list[tuple[int, int]]) -> tuple[ScramCredentialInfo, ...]:
        return tuple(
            ScramCredentialInfo(scram.MECHANISM_NAMES.get(mechanism, "UNKNOWN"), iterations)
            for mechanism, iterations in rows
        )

    request = native.describe_user_scram_credentials(names, timeout)
    return AdminCall(request, lambda answer: gathered(answer, return_exceptions, str, told))


@in_range
def alter_user_scram_credentials(
    native: Native,
    alterations: Iterable[UserScramCredentialUpsertion | UserScramCredentialDeletion],
    *,
    timeout: float | None,
    return_exceptions: bool,
) -> AdminCall[dict[str, None]]:
    if isinstance(alterations, (UserScramCredentialUpsertion, UserScramCredentialDeletion)):
        raise TypeError(f"expected several in a list, not one {type(alterations).__name__}")
    request = native.alter_user_scram_credentials([scram.to_native(one) for one in alterations], timeout)
    return AdminCall(request, lambda answer: gathered(answer, return_exceptions, str, nothing))

"""ACLs with the answers of kafka-python 3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kafkars.compat.kafka.admin._acls import AclCalls as Older
from kafkars.compat.kafka.admin.acl_resource import ACL, ACLFilter
from kafkars.compat.kafka.errors import NoError


class AclCalls(Older):
    """Calls about ACLs."""

    def create_acls(self, acls: Sequence[ACL]) -> dict[str, list[Any]]:
        """Adds rules. "succeeded" of the result has those that were added, "failed" the error classes of the others.

        Raises:
            IllegalArgumentError: An item is not an `ACL`.
        """
        made = self._created(acls)
        return {
            "succeeded": [each for each, kind in made if kind is NoError],
            "failed": [kind for _, kind in made if kind is not NoError],
        }

    def delete_acls(self, acl_filters: Sequence[ACLFilter]) -> list[tuple[ACLFilter, list[Any], Any]]:
        """Removes the rules that match filters. Returns for each filter the rules and its error class.

        Raises:
            IllegalArgumentError: An item is not an `ACLFilter`.
        """
        return [(asked, [each for each, _ in rules], kind) for asked, rules, kind in self._deleted(acl_filters)]

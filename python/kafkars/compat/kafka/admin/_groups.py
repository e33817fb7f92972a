"""What coordinators answer of groups, as kafka-python shows it: DescribeGroups alone, undecoded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import kafkars
from kafkars.admin import GroupDescription
from kafkars.admin.acls import operations
from kafkars.compat.kafka.errors import of
from kafkars.errors import GroupIdNotFoundError, KafkaError

DEAD = "Dead"
GROUP_ID_NOT_FOUND = 69
NOTHING_TOLD = -(2**31)
"""In the place of operations."""


class ClassicMember(NamedTuple):
    """A member, with what it and its group's leader said of it."""

    member_id: str
    group_instance_id: str | None
    client_id: str
    client_host: str
    metadata: bytes
    assignment: bytes


class ClassicGroup(NamedTuple):
    """A group."""

    error_code: int
    error_message: str | None
    state: str
    protocol_type: str
    protocol: str
    rows: Sequence[tuple[str, str | None, str, str, bytes, bytes]]
    operation_bits: int

    @property
    def members(self) -> list[ClassicMember]:
        """Its members."""
        return [ClassicMember(*row) for row in self.rows]

    @property
    def is_of_consumers(self) -> bool:
        """True if what members say is in the form of consumers."""
        return self.protocol_type in {"", "consumer"}

    @property
    def is_gone(self) -> bool:
        """True if the coordinator knows no such group, or none of this protocol."""
        return self.error_code == GROUP_ID_NOT_FOUND or self.state == DEAD

    @property
    def operations(self) -> frozenset[str] | None:
        """What this client may do with it; None where that was not told."""
        return None if self.operation_bits == NOTHING_TOLD else operations(self.operation_bits)


def described(
    admin: kafkars.Admin, names: Sequence[str], *, newest: int, seconds: float
) -> Iterator[tuple[str, ClassicGroup | GroupDescription]]:
    """Each group: as DescribeGroups answers in version `newest` or older, or as the engine describes it if the group is
    one of KIP-848, of which kafka-python hears that it is gone.

    Raises:
        BrokerResponseError: A coordinator refuses to tell.
    """
    answer = admin._native.classic_answers(list(names), newest + 1, seconds).wait()
    for name, row in answer:
        if isinstance(row, KafkaError):
            raise of(row) from row
        found = ClassicGroup(*row)
        newer = of_newer_protocol(admin, name, seconds) if found.is_gone else None
        yield name, newer or found


def of_newer_protocol(admin: kafkars.Admin, name: str, seconds: float) -> GroupDescription | None:
    """A group of KIP-848; None if there is none of that name."""
    try:
        (found,) = admin.describe_groups([name], include_authorized_operations=True, timeout=seconds).values()
    except GroupIdNotFoundError:
        return None
    return found if found.group_type == "Consumer" else None

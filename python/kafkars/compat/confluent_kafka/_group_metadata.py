"""What `consumer_group_metadata()` hands to `send_offsets_to_transaction()`: bytes that programs carry and do not look
at.
"""

from __future__ import annotations

import struct

from kafkars.types import ConsumerGroupMetadata

MAGIC = b"CGMDv2:"


def packed(metadata: ConsumerGroupMetadata) -> bytes:
    """As the library lays it out: generation, group, member, and the instance where there is one."""
    instance = metadata.group_instance_id
    text = [metadata.group_id.encode(), metadata.member_id.encode()]
    parts = [MAGIC, struct.pack("=i", metadata.generation_id), *(part + b"\0" for part in text)]
    parts += [b"\1"] if instance is None else [b"\0", instance.encode() + b"\0"]
    return b"".join(parts)


def unpacked(metadata: object) -> ConsumerGroupMetadata:
    """The same back.

    Raises:
        TypeError: It is not what `consumer_group_metadata()` gives.
    """
    if not isinstance(metadata, bytes) or not metadata.startswith(MAGIC):
        raise TypeError("expected Consumer Group Metadata object, as consumer_group_metadata() gives it")
    rest = metadata[len(MAGIC) :]
    try:
        (generation,) = struct.unpack("=i", rest[:4])
        group, member, instance = rest[4:].split(b"\0", 2)
        name = instance[1:-1].decode() if instance[:1] == b"\0" else None
        return ConsumerGroupMetadata(group.decode(), generation, member.decode(), name)
    except (struct.error, ValueError) as problem:
        raise TypeError("this Consumer Group Metadata object is damaged") from problem

"""The bytes that `consumer_group_metadata()` returns for `send_offsets_to_transaction()`, opaque to programs."""

from __future__ import annotations

import struct

from kafkars.types import ConsumerGroupMetadata

MAGIC = b"CGMDv2:"


def packed(metadata: ConsumerGroupMetadata) -> bytes:
    """Encodes generation, group, member, and the instance if there is one, in the library's layout."""
    instance = metadata.group_instance_id
    text = [metadata.group_id.encode(), metadata.member_id.encode()]
    parts = [MAGIC, struct.pack("=i", metadata.generation_id), *(part + b"\0" for part in text)]
    parts += [b"\1"] if instance is None else [b"\0", instance.encode() + b"\0"]
    return b"".join(parts)


def unpacked(metadata: object) -> ConsumerGroupMetadata:
    """Decodes what `packed()` has encoded.

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

"""Calls of pure functions that are made on the original once (record.py) and on the face in each run."""

from __future__ import annotations

import hashlib
import random
import struct
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

HASH_SEED = "7"
"""What Python's own hash of text and bytes depends on."""

Import = Callable[[str], Any]


def told(call: Callable[[], Any]) -> Any:
    """What a call tells, as JSON has it."""
    try:
        return plain(call())
    except Exception as error:  # noqa: BLE001  whatever it is, it is what the program is told
        return ["raises", type(error).__name__]


def plain(value: Any) -> Any:
    """A value without what is not in JSON."""
    if isinstance(value, bytes):
        return f"hex {value.hex()}"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return [type(value).__name__, *map(plain, value)]
    if isinstance(value, dict):
        return [[plain(key), plain(item)] for key, item in sorted(value.items())]
    if isinstance(value, (str, int, float, type(None))):
        return value
    if isinstance(value, Iterable):
        return [plain(each) for each in value]
    return repr(value)


def keys(count: int = 10_000) -> list[bytes]:
    """The same keys each time: short and long, of any bytes."""
    chance = random.Random(9)
    return [chance.randbytes(chance.choice((0, 1, 2, 3, 4, 5, 7, 8, 12, 31, 64))) for _ in range(count)]


def calls(load: Import) -> dict[str, Callable[[], Any]]:
    """All calls, by name.

    Args:
        load: Imports a module by its name below `kafka.`, which it is given with.
    """
    return {
        **_partitioners(load),
        **_requests(load),
        **_answers(load),
        **_messages(load),
        **_util(load),
        **_codec(load),
    }


def _partitioners(load: Import) -> dict[str, Callable[[], Any]]:
    hashed = load("kafka.partitioner.hashed")
    round_robin = load("kafka.partitioner.roundrobin")
    found: dict[str, Callable[[], Any]] = {}

    def table(kind: Any, partitions: list[int]) -> str:
        made = kind(partitions)
        chosen = [made.partition(key) for key in keys()]
        return hashlib.sha256(repr(chosen).encode()).hexdigest()

    def others(kind: Any) -> list[int]:
        made = kind([0, 1, 2])
        return [made.partition(key, [7, 8, 9, 10]) for key in keys(50)]

    for kind in ("Murmur2Partitioner", "LegacyPartitioner", "HashedPartitioner"):
        for count in (1, 2, 3, 7, 12, 100):
            found[f"{kind} of {count}"] = partial(table, getattr(hashed, kind), list(range(count)))
        found[f"{kind} of some"] = partial(table, getattr(hashed, kind), [3, 5, 11])
        found[f"{kind} given others"] = partial(others, getattr(hashed, kind))
        found[f"{kind} of none"] = partial(getattr(hashed, kind)([]).partition, b"key")
    found["murmur2"] = lambda: hashlib.sha256(repr([hashed.murmur2(key) for key in keys()]).encode()).hexdigest()
    for key in (b"", b"a", "text", "\u00e4", 12, None, bytearray(b"array"), 1.5):
        found[f"murmur2 of {key!r}"] = partial(hashed.murmur2, key)

    def turns(first: list[int], then: list[int]) -> list[int]:
        made = round_robin.RoundRobinPartitioner(first)
        chosen = [made.partition(b"key") for _ in range(5)]
        chosen += [made.partition(b"key", then) for _ in range(5)]
        return chosen + [made.partition(None) for _ in range(3)]

    found["RoundRobinPartitioner"] = lambda: turns([0, 1, 2], [0, 1, 2])
    found["RoundRobinPartitioner with others"] = lambda: turns([0, 1, 2], [4, 5])
    found["RoundRobinPartitioner of none"] = lambda: turns([], [])
    found["Partitioner"] = lambda: load("kafka.partitioner.base").Partitioner([0]).partition(b"key")
    return found


def _requests(load: Import) -> dict[str, Callable[[], Any]]:
    common, protocol = load("kafka.common"), load("kafka.protocol")
    it = protocol.KafkaProtocol
    message = protocol.create_message
    produce = [
        common.ProduceRequest(b"one", 0, [message(b"a"), message(b"b", b"key"), message(None, b"tomb")]),
        common.ProduceRequest(b"two", 1, [message(b"")]),
        common.ProduceRequest(b"one", 2, []),
    ]
    fetch = [common.FetchRequest(b"one", 0, 10, 1024), common.FetchRequest(b"two", 1, 20, 100)]
    offsets = [common.OffsetRequest(b"one", 0, -1, 1), common.OffsetRequest(b"one", 4, 12345, 7)]
    commits = [common.OffsetCommitRequest(b"one", 0, 123, None), common.OffsetCommitRequest(b"one", 1, 234, b"said")]
    stored = [common.OffsetFetchRequest(b"one", 0), common.OffsetFetchRequest(b"two", 1)]
    return {
        "produce": lambda: it.encode_produce_request(b"client", 7, produce, 2, 100),
        "produce nothing": lambda: it.encode_produce_request(b"client", 7),
        "produce twice": lambda: it.encode_produce_request(b"client", 7, [produce[0], produce[0]]),
        "produce magic 1": lambda: it.encode_produce_request(
            b"c", 7, [common.ProduceRequest(b"one", 0, [common.Message(1, 0, None, b"")])]
        ),
        "produce text": lambda: it.encode_produce_request(
            b"c", 7, [common.ProduceRequest(b"one", 0, [message("text")])]
        ),
        "fetch": lambda: it.encode_fetch_request(b"client", 8, fetch, 2, 300),
        "fetch nothing": lambda: it.encode_fetch_request(b"client", 8),
        "offsets": lambda: it.encode_offset_request(b"client", 9, offsets),
        "offsets nothing": lambda: it.encode_offset_request(b"client", 9),
        "metadata": lambda: it.encode_metadata_request(b"client", 10, [b"one", b"two"]),
        "metadata payloads": lambda: it.encode_metadata_request(b"client", 10, [b"one"], payloads=[b"two"]),
        "metadata all": lambda: it.encode_metadata_request(b"client", 10),
        "coordinator": lambda: it.encode_consumer_metadata_request(b"client", 11, b"group"),
        "commit": lambda: it.encode_offset_commit_request(b"client", 12, b"group", commits),
        "committed": lambda: it.encode_offset_fetch_request(b"client", 13, b"group", stored),
        "committed in Kafka": lambda: it.encode_offset_fetch_request(b"client", 13, b"group", stored, True),
        "keys": lambda: [value for name, value in sorted(vars(it).items()) if name.endswith("_KEY")],
    }


def _answers(load: Import) -> dict[str, Callable[[], Any]]:
    protocol = load("kafka.protocol")
    it = protocol.KafkaProtocol
    message_set = it._encode_message_set([protocol.create_message(b"v1", b"k1"), protocol.create_message(None, b"k2")])

    def topics(*partitions: bytes) -> bytes:
        count = struct.pack(">i", len(partitions))
        return struct.pack(">ii", 7, 1) + struct.pack(">h3s", 3, b"one") + count + b"".join(partitions)

    whole = {
        "produce": topics(struct.pack(">ihq", 0, 0, 10), struct.pack(">ihq", 1, 6, -1)),
        "fetch": topics(
            struct.pack(">ihqi", 0, 0, 99, len(message_set)) + message_set, struct.pack(">ihqi", 1, 1, 9, 0)
        ),
        "offset": topics(struct.pack(">ihiqq", 0, 0, 2, 30, 4), struct.pack(">ihi", 1, 3, 0)),
        "offset_commit": topics(struct.pack(">ih", 0, 0), struct.pack(">ih", 1, 16)),
        "offset_fetch": topics(struct.pack(">iqh4sh", 0, 10, 4, b"said", 0), struct.pack(">iqhh", 1, -1, -1, 3)),
        "metadata": struct.pack(">iiih4si", 7, 1, 5, 4, b"host", 9092)
        + struct.pack(">ihh3si", 1, 0, 3, b"one", 1)
        + struct.pack(">hiiiiiii", 9, 0, 5, 2, 5, 6, 1, 5),
        "consumer_metadata": struct.pack(">ihih4si", 7, 0, 5, 4, b"host", 9092),
    }
    found: dict[str, Callable[[], Any]] = {}
    for name, data in whole.items():
        decode = getattr(it, f"decode_{name}_response")
        found[f"answer {name}"] = partial(decode, data)
        # Each place where an answer can be cut off, but for its messages: those end quietly there.
        for end in range(0, len(data), 3):
            found[f"answer {name} of {end} bytes"] = partial(decode, data[:end])
    return found


def _messages(load: Import) -> dict[str, Callable[[], Any]]:
    common, protocol = load("kafka.common"), load("kafka.protocol")
    it = protocol.KafkaProtocol
    pairs = [(b"v1", b"k1"), (None, b"k2"), (b"v3" * 100, None)]
    whole = it._encode_message_set([protocol.create_message(*pair) for pair in pairs])
    compressed = it._encode_message_set(protocol.create_message_set(pairs, protocol.CODEC_SNAPPY, b"key"))
    zipped = it._encode_message_set(protocol.create_message_set(pairs, protocol.CODEC_GZIP, b"key"))
    damaged = whole[:30] + b"\xff" + whole[31:]
    found: dict[str, Callable[[], Any]] = {
        "message": lambda: it._encode_message(common.Message(0, 0, b"key", b"test")),
        "message of no key": lambda: it._encode_message(common.Message(0, 3, None, b"")),
        "message set": lambda: whole,
        "message set read": lambda: it._decode_message_set_iter(whole),
        "snappy set read": lambda: it._decode_message_set_iter(compressed),
        "gzip set read": lambda: it._decode_message_set_iter(zipped),
        "damaged": lambda: it._decode_message_set_iter(damaged),
        "header": lambda: it._encode_message_header(b"client", 4, 10, 1),
        "create_message": lambda: protocol.create_message(b"value", b"key"),
        "create_snappy_message": lambda: protocol.create_snappy_message(pairs, b"key")[:3],
        "snappy inside": lambda: load("kafka.codec").snappy_decode(protocol.create_snappy_message(pairs).value),
        "create_message_set": lambda: protocol.create_message_set(pairs),
        "create_message_set of another codec": lambda: protocol.create_message_set(pairs, 3),
        "gzip inside": lambda: load("kafka.codec").gzip_decode(protocol.create_gzip_message(pairs).value),
    }
    # Cut off within the first message. Behind it the original raises StopIteration, which is an error in Python since
    # 3.7.
    for end in range(1, 30, 4):
        found[f"message set of {end} bytes"] = partial(it._decode_message_set_iter, whole[:end])
    return found


def _util(load: Import) -> dict[str, Callable[[], Any]]:
    util, common = load("kafka.util"), load("kafka.common")
    found: dict[str, Callable[[], Any]] = {}
    for value in (b"", b"some", None, "text", 5):
        for name in ("write_int_string", "write_short_string", "kafka_bytestring"):
            found[f"{name}({value!r})"] = partial(getattr(util, name), value)
    found["write_short_string of much"] = lambda: util.write_short_string(bytes(33000))
    for data in (
        b"",
        b"\xff\xff",
        b"\x00\x02ab",
        b"\x00\x02a",
        b"\xff\xff\xff\xff",
        b"\x00\x00\x00\x02abc",
        b"\x00\x00\x00\x05a",
    ):
        for name in ("read_int_string", "read_short_string"):
            found[f"{name}({data!r})"] = partial(getattr(util, name), data, 0)
    for data in (b"", b"1234", b"\xff" * 100):
        found[f"crc32({data!r})"] = partial(util.crc32, data)
    found["relative_unpack"] = lambda: util.relative_unpack(">hh", b"\x00\x01\x00\x00\x02", 0)
    found["relative_unpack of little"] = lambda: util.relative_unpack(">hh", b"\x00\x01\x00", 0)
    place = common.TopicAndPartition
    found["group"] = lambda: util.group_by_topic_and_partition([place(b"a", 1), place(b"a", 2), place(b"b", 3)])
    found["group twice"] = lambda: util.group_by_topic_and_partition([place(b"a", 1), place(b"a", 1)])
    found["timer of 0"] = lambda: util.ReentrantTimer(0, print)
    found["timer of nothing"] = lambda: util.ReentrantTimer(1, None)
    for number in (0, -1, *range(1, 19), 99):
        found[f"error {number}"] = partial(common.check_error, common.OffsetCommitResponse(b"t", 0, number))
    found["errors"] = lambda: {number: kind.__name__ for number, kind in common.kafka_errors.items()}
    found["retried"] = lambda: [kind.__name__ for kind in common.RETRY_ERROR_TYPES]
    return found


def _codec(load: Import) -> dict[str, Callable[[], Any]]:
    codec = load("kafka.codec")
    text = b"SNAPPY" * 50 + b"XERIAL" * 50
    header = b"\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01"
    return {
        "has": lambda: [codec.has_gzip(), codec.has_snappy()],
        "snappy in blocks": lambda: codec.snappy_encode(text, xerial_compatible=True, xerial_blocksize=300),
        "snappy of nothing in blocks": lambda: codec.snappy_encode(b"", True),
        "snappy read": lambda: codec.snappy_decode(codec.snappy_encode(text)),
        "snappy blocks read": lambda: codec.snappy_decode(codec.snappy_encode(text, True, 100)),
        "gzip read": lambda: codec.gzip_decode(codec.gzip_encode(text, 1)),
        "xerial": lambda: [
            codec._detect_xerial_stream(data)
            for data in (header, header + b"more", b"", b"\x00", b"\x01" + header[1:] + b"x")
        ],
    }

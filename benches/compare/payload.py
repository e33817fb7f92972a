"""Records to send: realistic text of an exact size, the same in every run and for every client."""

from __future__ import annotations

import random
import zlib

SEED = 20_260_101
POOL = 10_000
WORDS = (
    "account address amount approved basket billing cancelled carrier category checkout city colour country courier "
    "created currency customer delivery discount dispatched email express failed feedback gift invoice item language "
    "loyalty market mobile name note online order paid parcel partner payment pending phone postcode price product "
    "promotion quantity rating received refund region returned review seller session shipped size status store street "
    "subtotal supplier tax total tracking updated value voucher warehouse website weight zone"
).split()


def pool(size: int, count: int = POOL) -> list[tuple[bytes, bytes]]:
    """`count` different (key, value) pairs, values of `size` bytes. Clients cycle through them."""
    chance = random.Random(SEED)
    return [(b"customer-%06d" % chance.randrange(1_000_000), value(chance, size)) for _ in range(count)]


def value(chance: random.Random, size: int) -> bytes:
    """JSON-like text: field names repeat and numbers do not, so it compresses about as well as real events do."""
    parts = [f'{{"id":{chance.randrange(10**9)},"at":{1_700_000_000_000 + chance.randrange(10**10)}']
    length = len(parts[0])
    while length < size:
        field = f',"{chance.choice(WORDS)}":"{chance.choice(WORDS)} {chance.randrange(10**6)}"'
        parts.append(field)
        length += len(field)
    return ("".join(parts)[: size - 1] + "}").encode()


def checksum_of_one(key: bytes, value: bytes) -> int:
    """One record's part of a checksum. Parts are added up, so order between partitions does not matter."""
    return zlib.crc32(value, zlib.crc32(key))


def checksum(records: int, size: int) -> int:
    """What `records` records of this size must add up to."""
    parts = [checksum_of_one(key, value) for key, value in pool(size)]
    whole, rest = divmod(records, len(parts))
    return whole * sum(parts) + sum(parts[:rest])

"""Records that have broken clients before: absent and empty fields, headers of every kind, sizes from 0 to beyond a
block."""

from __future__ import annotations

import random

from tests.interop.peers import Sample

START = 1_600_000_000_000


def samples(count: int = 300) -> list[Sample]:
    chance = random.Random(20_260_101)
    special = [
        Sample(None, None, START),
        Sample(b"", b"", START + 1),
        Sample(b"only a key", None, START + 2),
        Sample(None, b"only a value", START + 3),
        Sample(
            b"k",
            b"headers",
            START + 4,
            (("a", b"1"), ("a", b"2"), ("empty", b""), ("ünïcödé ☃", b"\xff")),
        ),
        # Times that go backwards within a batch, as they do between machines.
        Sample(b"k", b"earlier", START - 1_000_000),
        # Larger than a block of snappy (64 KiB) and of lz4 (64 KiB), once squeezable and once not.
        Sample(b"big", b"kafka and " * 20_000, START + 5),
        Sample(b"random", chance.randbytes(150_000), START + 6),
    ]
    ordinary = [
        Sample(
            b"key-%d" % chance.randrange(50),
            b'{"n": %d, "text": "%s"}' % (number, b"lorem ipsum " * chance.randrange(12)),
            START + 10 + number,
            (("trace", b"%032x" % chance.getrandbits(128)),) if number % 3 == 0 else (),
        )
        for number in range(count - len(special))
    ]
    return special + ordinary

"""Random programs see the same on aiokafka and on its face. Long form: `make face-programs`."""

from __future__ import annotations

import pytest

from tests.compat.differential.aiokafka_programs.kinds import KINDS
from tests.compat.differential.aiokafka_programs.playing import alike, difference

SEEDS = range(5)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_program_sees_the_same(kind: str, seed: int) -> None:
    make, player = KINDS[kind]
    assert difference(player, make(seed)) is None


def test_what_is_different_is_found() -> None:
    assert alike(
        [1, {"raised": "KafkaError", "is": [], "says": None}], [1, {"raised": "KafkaError", "is": [], "says": None}]
    )
    assert not alike(
        [1, {"raised": "KafkaError", "is": [], "says": None}], [1, {"raised": "ValueError", "is": [], "says": None}]
    )
    assert not alike({"plain 0": [(0, b"a")]}, {"plain 0": [(1, b"a")]})
    assert not alike([1], [1, 2])

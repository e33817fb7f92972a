"""The page for migrating tells of every test of the original that fails, and how many there are of a kind."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.compat.kafka_legacy import conversations
from tests.compat.kafka_legacy.reasons_of_the_original_suite import REASONS

PAGE = Path(__file__).resolve().parents[3] / "docs" / "migrating" / "kafka-python-0.9.md"


def test_the_page_has_each_reason() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for reason in REASONS:
        for module, count in Counter(name.partition(".")[0] for name in reason.tests).items():
            assert f"| {count} of `{module}` | {reason.why} |" in page
    assert f"and {sum(len(reason.tests) for reason in REASONS)} fail" in page


def test_the_page_has_what_conversations_tell_otherwise() -> None:
    page = PAGE.read_text(encoding="utf-8")
    reasons = [why for reasons in conversations.REASONS.values() for why in reasons.values()]
    assert [why for why in reasons if why not in page] == []

"""The judges of these tests see what is wrong."""

from __future__ import annotations

from pathlib import Path

from tests.chaos.journal import ASSIGNED, COMMITTED, READ, Journal, Told
from tests.chaos.ledger import Ledger

STORED = {(0, offset) for offset in range(4)}


def told(folder: Path, *steps: tuple[int, str, int]) -> Told:
    """Journals of partition 0: a member, what it did, and the offset."""
    journals: dict[int, Journal] = {}
    for member, what, offset in steps:
        if member not in journals:
            journals[member] = Journal(folder / f"{member}.journal")
        journals[member].write(what, [(0, offset)])
    for journal in journals.values():
        journal.close()
    return Told(sorted(folder.glob("*.journal")))


def reads(member: int, *offsets: int) -> list[tuple[int, str, int]]:
    return [(member, ASSIGNED, 0), *((member, READ, offset) for offset in offsets)]


def test_reading_again_what_was_not_committed_is_right(tmp_path: Path) -> None:
    found = told(tmp_path, *reads(1, 0, 1, 2), (1, COMMITTED, 2), *reads(2, 2, 3))
    assert found.differences(STORED) == []
    assert found.duplicates() == 1


def test_reading_again_what_was_committed_is_wrong(tmp_path: Path) -> None:
    found = told(tmp_path, *reads(1, 0, 1, 2), (1, COMMITTED, 3), *reads(2, 2, 3))
    assert found.differences(STORED) == ["2.journal read 2 of partition 0, got when 3 was committed"]


def test_records_left_out_are_seen(tmp_path: Path) -> None:
    found = told(tmp_path, *reads(1, 0, 2, 3))
    assert found.differences(STORED) == [
        "1 of 4 never read: [(0, 1)]",
        "1.journal read 2 of partition 0 where 1 was next",
    ]


def test_records_from_nowhere_are_seen(tmp_path: Path) -> None:
    found = told(tmp_path, *reads(1, 0, 1, 2, 3, 4), (2, READ, 0))
    assert found.differences(STORED) == [
        "1 read that were never stored: [(0, 4)]",
        "2.journal read 0 of partition 0, which it was never given",
    ]


def test_lines_that_a_kill_has_torn_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "1.journal"
    path.write_bytes(b"assigned 1.000000 0 0 .\nread 1.000000 0 0 .\nread 1.000000 0 1")
    journal = Journal(path)
    journal.write(READ, [(0, 1), (0, 2), (0, 3)])
    journal.close()
    assert Told([path]).differences(STORED) == []


def test_a_ledger_sees_what_is_missing_doubled_and_misplaced() -> None:
    ledger = Ledger(keys=1)
    sent = [ledger.next_record() for _ in range(4)]
    assert ledger.differences(sent) == []
    assert ledger.differences(sent[:3]) == ["key 0: 1 of 4 missing: [3]"]
    assert ledger.differences([*sent, sent[3]]) == ["key 0: 1 more than once: [3]"]
    assert ledger.differences([sent[1], sent[0], *sent[2:]]) == ["key 0: out of order: [(1, 0)]"]
    assert ledger.differences([*sent, (b"0", b"0:9")]) == ["key 0: numbers that were never sent: [9]"]

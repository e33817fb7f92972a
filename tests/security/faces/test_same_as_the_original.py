"""Every case of `cases.py` tells a program the same on a face and on its original, and no later."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.security.conftest import SecureKafka
from tests.security.faces.case import is_raised
from tests.security.faces.cases import NAMES, ONLY_CONFLUENT, case_of
from tests.security.faces.conftest import KAFKA_PYTHON, ORIGINALS, Program
from tests.security.faces.differences import DIFFERENCES, SLOWER, UNTOLD

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.timeout(240),
    # Minutes, most of which the originals wait.
    pytest.mark.parametrize("secure_kafka", ["kafka"], indirect=True),
]
log = logging.getLogger(__name__)
SLACK = 5.0
"""Seconds that a face may be later: the two share processors."""


COMPARED = [
    (library, name) for library in ORIGINALS for name in NAMES if library == "confluent" or name not in ONLY_CONFLUENT
]


@pytest.mark.parametrize(("library", "name"), COMPARED, ids=[f"{library}-{name}" for library, name in COMPARED])
def test_a_program_is_told_the_same(  # noqa: PLR0917  fixtures
    library: str,
    name: str,
    secure_kafka: SecureKafka,
    clients: Path,
    mute: str,
    programs: dict[tuple[str, str], Program],
) -> None:
    assert (KAFKA_PYTHON / "kafka").is_dir(), "kafka-python is not in .cache: run `make .cache/kafka-python-2/.ready`"

    def run(side: str) -> Any:
        return programs[library, side].run(case_of(name, secure_kafka, clients, mute))

    with ThreadPoolExecutor() as pool:
        (expected, their_seconds), (found, our_seconds) = pool.map(run, ("original", "face"))
    log.info("%s, %s: original %s %s, face %s %s", library, name, expected, their_seconds, found, our_seconds)
    listed = DIFFERENCES.get((library, name), {})
    for step, ours in listed.items():
        told = found[step]
        assert ours == told or (is_raised(told) and (ours in told[1] or ours == told[2])), (step, told)
        assert not agrees(expected[step], told), f"{step} is listed and no difference any more"
    # Where the face's constructor raises, its later steps are missing, and the other way round.
    expected = {step: told for step, told in expected.items() if step in found or not listed}
    for step in (*listed, *UNTOLD.get((library, name), ())):
        expected.pop(step, None)
    different = {
        step: (told, found.get(step))
        for step, told in expected.items()
        if not agrees(told, found.get(step, "MISSING")) and not has_lost_the_reason(told, found.get(step))
    }
    assert different == {}
    slower = SLOWER.get((library, name), {})
    for step, seconds in our_seconds.items():
        assert seconds <= their_seconds.get(step, seconds) + slower.get(step, 0.0) + SLACK, step


def agrees(theirs: Any, ours: Any) -> bool:
    """Whether a program cannot tell the two apart: what catches the original's error catches the face's."""
    if is_raised(theirs) and is_raised(ours):
        return theirs[1][0] in ours[1] and theirs[2] == ours[2]
    if isinstance(theirs, list) and isinstance(ours, list) and not is_raised(theirs):
        # librdkafka tells of a lost connection at times, beside the reason, which counts.
        return {*theirs} - {"_TRANSPORT"} == {*ours} - {"_TRANSPORT"}
    return bool(theirs == ours)


def has_lost_the_reason(theirs: Any, ours: Any) -> bool:
    """Whether the original's callback heard of a lost connection where the face's heard of TLS. In TLS 1.3 the broker
    hangs up right behind the alert that says why; where librdkafka comes late to read that, it tells only of the end.
    """
    if not (isinstance(theirs, list) and isinstance(ours, list)) or is_raised(theirs) or is_raised(ours):
        return False
    if "_TRANSPORT" not in theirs or "_SSL" in theirs or "_SSL" not in ours:
        return False
    return agrees(theirs, [each for each in ours if each != "_SSL"])

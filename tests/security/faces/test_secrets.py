"""Secrets show themselves nowhere: not in what a face logs, raises or prints, with every line of the log that there
is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.security.conftest import SecureKafka
from tests.security.faces.cases import ONLY_CONFLUENT, SASL, TLS, case_of
from tests.security.faces.conftest import ORIGINALS, Program

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.timeout(240),
    pytest.mark.parametrize("secure_kafka", ["kafka"], indirect=True),
]
WITH_SECRETS = (
    "SSL with an encrypted key",
    "SSL with texts of PEM",
    *(name for name in SASL if not name.startswith("SASL_SSL")),
)
WORDS = ("Xq7", "PRIVATE KEY-----")


@pytest.mark.parametrize("library", ORIGINALS)
def test_nothing_that_is_said_holds_a_secret(library: str, secure_kafka: SecureKafka, clients: Path, mute: str) -> None:
    assert {*WITH_SECRETS} <= {*SASL, *TLS}
    program, told, tokens = Program(library, "face", "verbose"), "", []
    try:
        for name in WITH_SECRETS:
            if library != "confluent" and name in ONLY_CONFLUENT:
                continue
            case = case_of(name, secure_kafka, clients, mute)
            tokens += [case.token] if case.token else []
            told += str(program.run(case))
    finally:
        said = told + program.stop()
    assert "kafkars" in said
    for word in (*WORDS, *tokens):
        assert word not in said, said[max(0, said.index(word) - 500) :][:600]

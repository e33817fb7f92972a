"""Why a test of a framework that passes on the original does not on the face."""

from __future__ import annotations

from fnmatch import fnmatchcase

from tests.frameworks.suites.suite import Suite

OF_AIOKAFKA = "opentelemetry-instrumentation-aiokafka::tests/test_instrumentation.py::TestAIOKafkaInstrumentation"
REPLACED = "it replaces inner objects of the original ({}), which the face does not have"

REASONS: dict[str, str] = {
    f"{OF_AIOKAFKA}::test_get*": REPLACED.format("the client's bootstrap, the fetcher's next_record"),
    f"{OF_AIOKAFKA}::test_send*": REPLACED.format("the message accumulator"),
}
"""By patterns of `framework::file::test`."""


def reason(suite: Suite, test: str) -> str | None:
    """Why this test does not pass on the face; None where nothing says so."""
    name = f"{suite.name}::{test}"
    # Brackets of parameters mean themselves.
    found = (why for pattern, why in REASONS.items() if fnmatchcase(name, pattern.replace("[", "[[]")))
    return next(found, None)

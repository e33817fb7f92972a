"""A failed test shows what went wrong in a program, however long the stack below it is."""

from __future__ import annotations

import pytest

from tests.spark.logs import END, FEW, excerpt

pytestmark = pytest.mark.spark

FRAME = "\tat java.base/java.io.ObjectInputStream.readObject(ObjectInputStream.java:509)\n"


def test_a_short_log_is_shown_as_it_is() -> None:
    assert excerpt("started\nValueError: no\n") == "started\nValueError: no\n"


def test_the_errors_before_the_end_are_shown_too() -> None:
    first, cause = "java.lang.ClassCastException: cannot assign", "Caused by: java.io.EOFException"
    shown = excerpt(f"started\n{first}\n{FRAME * 100}{cause}\n{FRAME * 100}the end").splitlines()
    assert shown[:3] == [first, cause, "[...]"]
    assert shown[-1] == "the end"
    assert sum(map(len, shown[3:])) <= END


def test_of_many_errors_the_first_and_the_last_are_shown() -> None:
    shown = excerpt("".join(f"Error: {number}\n{FRAME}" for number in range(1_000)) + FRAME * 100).splitlines()
    assert shown[: 2 * FEW] == [f"Error: {number}" for number in [*range(FEW), *range(1_000 - FEW, 1_000)]]

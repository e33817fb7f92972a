"""Exceptions of the face beside those of aiokafka itself."""

from __future__ import annotations

import inspect
from types import ModuleType

import aiokafka.errors as original
import pytest
from kafkars import errors as engine
from kafkars.compat.aiokafka import errors as face
from kafkars.compat.aiokafka.structs import TopicPartition


def exceptions(module: ModuleType) -> dict[str, type[BaseException]]:
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and inspect.isclass(value) and issubclass(value, BaseException)
    }


NAMES = sorted(exceptions(original))


def test_every_exception_of_aiokafka_is_there() -> None:
    assert set(NAMES) <= set(exceptions(face))
    assert set(NAMES) <= set(face.__all__)


@pytest.mark.parametrize("name", NAMES)
def test_an_exception_is_what_it_is_in_aiokafka(name: str) -> None:
    ours, theirs = exceptions(face)[name], exceptions(original)[name]
    assert ours.__name__ == theirs.__name__
    assert [cls.__name__ for cls in ours.__mro__] == [cls.__name__ for cls in theirs.__mro__]
    for attribute in ("errno", "message", "retriable", "invalid_metadata"):
        assert getattr(ours, attribute, None) == getattr(theirs, attribute, None), attribute
    assert bool(getattr(ours, "description", None)) >= bool(getattr(theirs, "description", None))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in {"BrokerResponseError", "CommitFailedError"}])
@pytest.mark.parametrize("arguments", [("a",), ("a", "b")])
def test_an_exception_says_the_same_as_in_aiokafka(name: str, arguments: tuple[str, ...]) -> None:
    ours, theirs = exceptions(face)[name], exceptions(original)[name]
    if name == "ProducerFenced" and len(arguments) > 1:
        pytest.skip("takes one argument")
    assert str(ours(*arguments)) == str(theirs(*arguments))
    assert ours(*arguments).args == arguments


def test_numbers_lead_to_the_same_classes() -> None:
    assert set(face.kafka_errors) == set(original.kafka_errors)
    for number in range(-3, 140):
        assert face.for_code(number).__name__ == original.for_code(number).__name__


def test_names_of_older_documents_stay() -> None:
    assert face.IllegalStateException is face.IllegalStateError
    assert face.TransactionIdAuthorizationFailed is face.TransactionalIdAuthorizationFailed


@pytest.mark.parametrize("code", sorted(engine.BY_CODE))
def test_every_code_of_a_broker_reaches_a_class(code: int) -> None:
    error = engine.BY_CODE[code]("what the broker said", topic="t", partition=1)
    made = face.of(error)
    assert isinstance(made, face.KafkaError)
    assert made.__cause__ is error
    if code == engine.UnknownTopicIdError.code:
        # aiokafka names topics by their names only: to a program it is the topic that is not there.
        assert isinstance(made, face.UnknownTopicOrPartitionError)
    elif isinstance(made, face.BrokerResponseError):
        assert made.errno in {code, face.UnknownError.errno}


@pytest.mark.parametrize("name", [name for name in engine.__all__ if hasattr(getattr(engine, name), "mro")])
def test_every_error_of_the_engine_becomes_one_of_the_library(name: str) -> None:
    made = face.of(getattr(engine, name)("why"))
    if made is None:
        assert name in {"MaxPollIntervalExceededError", "SessionExpiredError", "RebalanceTimeoutError"}
        return
    builtin = (ValueError, AssertionError)
    assert isinstance(made, (face.KafkaError, face.IllegalOperation, face.ConsumerStoppedError, *builtin))
    assert "why" in str(made)


def test_offsets_out_of_range_name_their_partition() -> None:
    made = face.of(engine.OffsetOutOfRangeError("gone", topic="t", partition=2, offset=7))
    assert isinstance(made, face.OffsetOutOfRangeError)
    assert made.args == ({TopicPartition("t", 2): 7},)


def test_what_a_deserializer_raises_goes_on_as_it_is() -> None:
    error = engine.DeserializationError("value of t-0")
    error.__cause__ = ZeroDivisionError("inside")
    assert face.of(error) is error.__cause__
    assert face.of(ZeroDivisionError("outside")).args == ("outside",)
